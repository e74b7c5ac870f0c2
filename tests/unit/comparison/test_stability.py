"""What stands beside a figure that was measured once."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.comparison import text as compare_text
from app.comparison.compare import by_measure, compare
from app.comparison.stability import read_stability, with_stability
from app.history.counting import Cut
from app.history.edits import cut
from app.history.history import History
from app.history.writing import Writer
from app.protocol.events import Sample
from tests import comparable, journals

STEPS = comparable.steps((1,), seconds=40)


def test_only_what_stands_alone_has_anything_beside_it(tmp_path: Path) -> None:
    ids = comparable.keep(tmp_path, comparable.plan(2, its_steps=STEPS))
    more = comparable.keep(tmp_path, comparable.plan(1, repeats=2, number=2, its_steps=STEPS))
    with History(tmp_path) as history:
        alone = with_stability(history, compare(history, ids))
        mixed = with_stability(history, compare(history, [*more, ids[1]]))
    drives = [row for row in alone["rows"] if row["kind"] == "drive"]
    assert len(drives) == 4
    for row in drives:
        assert all(share is not None and 0 < share < 0.3 for share in row["within"])
    assert all(row["within"] == [None, None] for row in alone["rows"] if row["kind"] != "drive")
    assert {share is None for row in mixed["rows"] for share in row["within"][:1]} == {True}
    text = compare_text.to_text(alone)
    assert "\N{PLUS-MINUS SIGN}" in text and "of the next session it says nothing" in text
    by_latency = by_measure(alone, "p95_ms")
    assert all(share is None for row in by_latency["rows"] for share in row["within"])


def test_steps_too_short_for_blocks_say_nothing(tmp_path: Path) -> None:
    ids = comparable.keep(tmp_path, comparable.plan(2))
    with History(tmp_path) as history:
        found = read_stability(history, compare(history, ids))
    assert found and all(row == [None, None] for row in found.values())


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
        Writer(history).append(made.id, maker.session, 0, maker.end().raw)
        whole = with_stability(history, compare(history, [maker.session]))
        update = next(at for at, step in enumerate(made.steps) if step.name == "update-index")
        cut(history, maker.session, update, Cut(20, 39))
        left = with_stability(history, compare(history, [maker.session]))
    shares = [{row["workload"]: row["within"][0] for row in found["rows"]} for found in (whole, left)]
    assert shares[0]["update-index"] == pytest.approx(1 / 3)
    assert shares[1]["update-index"] == pytest.approx(0.0)
    assert shares[1]["point-query"] == shares[0]["point-query"]
