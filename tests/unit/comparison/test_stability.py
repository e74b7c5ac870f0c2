"""What stands beside a figure that was measured once."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from app.comparison.texts import text as compare_text
from app.comparison.verdicts.compare import compare, comparison_by_measure
from app.history.lists.edits import count_only_seconds
from app.history.recorded.counting import Cut, max_block_deviation
from app.history.recorded.writing import JournalStorer
from app.history.steps.curves import curves
from app.history.store.history import History
from app.protocol.events import Sample
from tests import comparable, journals
from tests.unit.comparison.cells import cells

STEPS = comparable.steps((1,), seconds=40)


def test_only_what_stands_alone_has_anything_beside_it(tmp_path: Path) -> None:
    ids = comparable.keep(tmp_path, comparable.plan(2, its_steps=STEPS))
    more = comparable.keep(tmp_path, comparable.plan(1, repeats=2, number=2, its_steps=STEPS))
    with History(tmp_path) as history:
        alone = compare(history, ids)
        mixed = compare(history, [*more, ids[1]])
    drives = [row for row in alone.rows if row.kind == "drive"]
    assert len(drives) == 4
    for row in drives:
        assert all(share is not None and 0 < share < 0.3 for share in cells(row, "within"))
    assert all(cells(row, "within") == [None, None] for row in alone.rows if row.kind != "drive")
    assert {row.cells[0].within is None for row in mixed.rows} == {True}
    text = compare_text.to_text(alone, True)
    assert "\N{PLUS-MINUS SIGN}" in text and "it says nothing about the next session" in text.replace(
        "\n ", ""
    )
    assert "\N{PLUS-MINUS SIGN} how far blocks of its seconds" in compare_text.to_text(alone)
    by_latency = comparison_by_measure(alone, "p95_ms")
    assert all(share is None for row in by_latency.rows for share in cells(row, "within"))


def test_steps_too_short_for_blocks_say_nothing(tmp_path: Path) -> None:
    ids = comparable.keep(tmp_path, comparable.plan(2))
    with History(tmp_path) as history:
        found = compare(history, ids).rows
    assert found and all(cells(row, "within") == [None, None] for row in found)


def test_seconds_that_were_cut_take_no_part(tmp_path: Path) -> None:
    """The first half of each step is at half its speed: what is left is steady."""
    made = comparable.plan(1, its_steps=STEPS)
    maker = journals.Maker(made).begin()
    for at, step in enumerate(made.steps):
        maker.start_step(at)
        for s in range(step.seconds):
            maker.t += 1.0
            maker.add(Sample, step=at, s=s, dt=1.0, values=[1000.0 if s < 20 else 2000.0, 0, 1, 90, 10])
        maker.end_step(at)
    with History(tmp_path) as history:
        JournalStorer(history).append(made.id, maker.session, 0, maker.end().raw)
        whole = compare(history, [maker.session])
        update = next(at for at, step in enumerate(made.steps) if step.name == "update-index")
        count_only_seconds(history, maker.session, update, Cut(20, 39))
        left = compare(history, [maker.session])
    shares = [{row.workload: row.cells[0].within for row in found.rows} for found in (whole, left)]
    assert shares[0]["update-index"] == pytest.approx(1 / 3)
    assert shares[1]["update-index"] == pytest.approx(0.0)
    assert shares[1]["point-query"] == shares[0]["point-query"]


class Torn(journals.Maker):
    """Seconds without a figure, and seconds of which no sample came."""

    def samples(self, at: int, seconds: Iterable[int]) -> None:
        super().samples(at, [s for s in seconds if s % 9 or s < 1])

    def value(self, position: int, s: int) -> float | None:
        return None if s % 7 == 3 else round(self.random.gauss(5000, 900), 2)


@pytest.mark.parametrize("wanted", [None, Cut(3, 57), Cut(11, 39)])
def test_what_is_stored_is_what_its_seconds_give(tmp_path: Path, wanted: Cut | None) -> None:
    """Computed here as comparisons did before it was stored."""
    made = comparable.plan(1, its_steps=comparable.steps((1,), seconds=71))
    maker = Torn(made).begin()
    for at in range(len(made.steps)):
        maker.step(at)
    with History(tmp_path) as history:
        JournalStorer(history).append(made.id, maker.session, 0, maker.end().raw)
        driven = [at for at, step in enumerate(made.steps) if step.kind == "drive"]
        for at in driven if wanted else ():
            count_only_seconds(history, maker.session, at, wanted or Cut(0, 0))
        rows = {row.workload: cells(row, "within") for row in compare(history, [maker.session]).rows}
        for at in driven:
            step = made.steps[at]
            (curve,) = curves(history, [maker.session], step.name, step.coordinates, "qps").values()
            first, last = (wanted.first_s, wanted.last_s) if wanted else (0, curve.seconds[-1])
            values = curve.values[(curve.seconds >= first) & (curve.seconds <= last)].tolist()
            anew = max_block_deviation([None if value != value else value for value in values])
            assert anew and rows[step.name] == [anew]
    assert len(driven) == 4
