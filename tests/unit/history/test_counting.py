"""Which seconds of a step count, whether they were steady; a cut by hand is kept, undone, given away."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.comparison.texts.costs_text import step_costs_table
from app.comparison.verdicts.compare import compare, comparison_by_measure
from app.comparison.why.why import why
from app.core.errors import InputError
from app.history.exchange.exporting import export
from app.history.exchange.importing import import_session
from app.history.lists import edits
from app.history.recorded import counting
from app.history.recorded.counting import Cut
from app.history.recorded.rebuilding import rebuild
from app.history.steps import figures
from app.history.steps.figures import StepEntry
from app.history.store.history import History
from app.report.caveats import caveats
from tests import journals
from tests.journals import store
from tests.plans import MARIADB
from tests.unit.comparison.cells import cells

STEPS = journals.steps(threads=(1,), seconds=60)
PLAN = journals.plan([journals.contender("innodb"), journals.contender("rocksdb")], its_steps=STEPS)
FIRST, SECOND = (turn.session for turn in PLAN.turns)
POINT, UPDATE = 1, 2  # positions of steps


class Made(journals.Maker):
    """Steps of which one is steady; the other falls to 0.6 of what it was after its first 20 seconds."""

    at = 0

    def start_step(self, at: int) -> None:
        self.at = at
        super().start_step(at)

    def value(self, position: int, s: int) -> float | None:
        if position:
            return 1.0
        falls = self.at == UPDATE and s >= 20
        return round(self.random.gauss(1, 0.01) * (30_000 if falls else 50_000), 2)


def made(session: str, seed: int = 1) -> Made:
    maker = Made(PLAN, session, seed)
    maker.begin()
    for at in range(len(STEPS)):
        maker.step(at, value=36_700.0 if at == UPDATE else 50_000.0)
    maker.end()
    return maker


class WithGaps(Made):
    """Values that are missing here and there, and a series without any."""

    def value(self, position: int, s: int) -> float | None:
        return None if position == 3 or s % 17 == 5 else super().value(position, s)


def test_what_is_packed_is_not_unpacked_to_be_counted(
    history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    maker = WithGaps(PLAN, FIRST).begin()
    for at in range(len(STEPS)):
        maker.step(at, value=50_000.0)
    with monkeypatch.context() as patched:
        patched.setattr("app.history.store.blocks.read_block", refuse)
        store(history, maker)
    kept = history.query("SELECT * FROM counted ORDER BY step")
    assert [row[6] for row in kept] == ["steady", "unsteady"]
    for step, *_ in kept:
        counting.recount(history.connection, step)  # from what was packed
    assert history.query("SELECT * FROM counted ORDER BY step") == kept


def refuse(content: bytes) -> None:
    raise AssertionError("unpacked")


@pytest.fixture
def with_buckets(history: History) -> History:
    store(history, made(FIRST), made(SECOND))
    return history


def step(history: History, position: int, session: str = FIRST) -> StepEntry:
    return figures.steps(history, session)[position]


def test_each_driven_step_says_whether_it_was_steady(with_buckets: History) -> None:
    assert step(with_buckets, 0)["steadiness"] is None  # a load ends when its work is done
    assert step(with_buckets, POINT)["steadiness"] == {
        "word": "steady", "text": "no trend of 5% or more, no two levels, no stall in 60 seconds",
    }  # fmt: skip
    found = step(with_buckets, UPDATE)
    assert found["steadiness"] == {
        "word": "unsteady", "text": "two levels: from about second 21 on throughput is 40% lower",
    }  # fmt: skip
    assert found["marks"] == ["unsteady"] and step(with_buckets, POINT)["marks"] == []


def test_a_step_that_did_not_complete_says_nothing_of_it(history: History) -> None:
    maker = Made(PLAN, FIRST)
    maker.begin()
    maker.step(0)
    maker.step(1, "stopped", "asked for by a person")
    store(history, maker)
    assert step(history, POINT)["steadiness"] is None


def test_of_a_cut_step_only_these_seconds_count(with_buckets: History) -> None:
    edits.count_only_seconds(with_buckets, FIRST, UPDATE, Cut(20, 59, "the cache was full"))
    found = step(with_buckets, UPDATE)
    assert found["value"] == pytest.approx(30_000, rel=0.01)
    assert found["cut"] == {
        "first_s": 20, "last_s": 59, "seconds": 60, "reason": "the cache was full", "whole": 36_700.0,
        "has_latency": False,
    }  # fmt: skip
    assert found["steadiness"] == {
        "word": "steady", "text": "no trend of 5% or more, no two levels, no stall in 40 seconds",
    }  # fmt: skip
    assert found["marks"] == []
    assert step(with_buckets, POINT)["cut"] is None
    headline = "SELECT qps FROM headline JOIN session ON session = number WHERE id = ? AND grouping = 'write'"
    assert with_buckets.one(headline, (FIRST,)) == (pytest.approx(found["value"]),)


def test_a_cut_takes_the_place_of_the_one_before_and_is_undone(with_buckets: History) -> None:
    before = figures.session_details(with_buckets, FIRST)
    edits.count_only_seconds(with_buckets, FIRST, UPDATE, Cut(30, 59))
    edits.count_only_seconds(with_buckets, FIRST, UPDATE, Cut(0, 18))
    assert step(with_buckets, UPDATE)["value"] == pytest.approx(50_000, rel=0.01)
    edits.undo_cut(with_buckets, FIRST, UPDATE)
    assert figures.session_details(with_buckets, FIRST) == before
    with pytest.raises(InputError, match="all seconds of this step count already"):
        edits.undo_cut(with_buckets, FIRST, UPDATE)


@pytest.mark.parametrize(
    ("cut", "words"),
    [
        (Cut(30, 29), "seconds 30 to 30: the end must be after the start"),
        (Cut(40, 20), "seconds 40 to 21: the end must be after the start"),
        (Cut(20, 60), "the step only has seconds 0 to 60"),
        (Cut(-2, 30), "the step only has seconds 0 to"),
        (Cut(20, 25), "contain 6 measured ones, at least 10 are needed"),
        (Cut(0, 59), "are the whole step: choose fewer"),
    ],
)
def test_nonsense_is_refused(with_buckets: History, cut: Cut, words: str) -> None:
    with pytest.raises(InputError, match=words):
        edits.count_only_seconds(with_buckets, FIRST, UPDATE, cut)
    assert with_buckets.query("SELECT * FROM cut") == []


def test_what_has_no_seconds_to_choose_from_is_not_cut(with_buckets: History) -> None:
    with pytest.raises(InputError, match="seconds can be chosen only for a timed step"):
        edits.count_only_seconds(with_buckets, FIRST, 0, Cut(0, 20))
    with pytest.raises(InputError, match="has no step 9"):
        edits.count_only_seconds(with_buckets, FIRST, 9, Cut(0, 20))


def test_a_cut_survives_a_rebuild(tmp_path: Path) -> None:
    with History(tmp_path) as history:
        store(history, made(FIRST), made(SECOND))
        edits.count_only_seconds(history, FIRST, UPDATE, Cut(20, 59, "a backup ran"))
        before = (
            figures.session_details(history, FIRST),
            history.query("SELECT * FROM headline ORDER BY 1, 2"),
        )
    assert rebuild(tmp_path).problems == []
    with History(tmp_path) as history:
        shown = figures.session_details(history, FIRST)
        assert shown == before[0]
        assert sorted(qps for _, _, qps, _, _ in history.query("SELECT * FROM headline")) == sorted(
            qps for _, _, qps, _, _ in before[1]
        )


def test_a_cut_comes_along_with_an_export(with_buckets: History, tmp_path: Path) -> None:
    edits.count_only_seconds(with_buckets, FIRST, UPDATE, Cut(20, 59, "a backup ran"))
    file = export(with_buckets, FIRST, tmp_path / "session.zip")
    with History(tmp_path / "other") as other:
        import_session(other, file)
        assert step(other, UPDATE) == step(with_buckets, UPDATE)


def test_a_cut_of_seconds_that_are_not_there_changes_nothing(with_buckets: History) -> None:
    with_buckets.connection.execute(
        "INSERT INTO cut (session, step, first_s, last_s, reason) VALUES (?, ?, 50, 400, '')", (FIRST, UPDATE)
    )
    before = step(with_buckets, UPDATE)
    edits.delete(with_buckets, FIRST)
    edits.undelete(with_buckets, FIRST)
    assert step(with_buckets, UPDATE) == before


def test_an_unsteady_cell_is_marked_and_never_judged(with_buckets: History) -> None:
    found = compare(with_buckets, [FIRST, SECOND])
    row = next(row for row in found.rows if row.workload == "update-index")
    assert cells(row, "marks") == [["unsteady"], ["unsteady"]]
    assert cells(row, "verdict") == ["base", "marked"]
    assert [(each or {})["word"] for (each,) in cells(row, "steadiness")] == ["unsteady", "unsteady"]
    for session in (FIRST, SECOND):
        edits.count_only_seconds(with_buckets, session, UPDATE, Cut(20, 59))
    found = compare(with_buckets, [FIRST, SECOND])
    row = next(row for row in found.rows if row.workload == "update-index")
    assert cells(row, "marks") == [[], []] and cells(row, "verdict") == ["base", "n=1"]
    assert row.cells[0].value == pytest.approx(30_000, rel=0.01)
    assert [(each or {})["first_s"] for (each,) in cells(row, "cuts")] == [20, 20]


def test_other_measures_of_a_cut_step_are_of_the_whole_step_and_not_judged(with_buckets: History) -> None:
    edits.count_only_seconds(with_buckets, FIRST, UPDATE, Cut(20, 59))
    whole = compare(with_buckets, [FIRST, SECOND])
    of_step = next(row for row in whole.rows if row.workload == "update-index")
    assert why(whole, of_step, 1)["marks"] == ["of-all-seconds", "unsteady"]
    (remark,) = step_costs_table(whole, is_relative=True).remarks
    assert remark.startswith(
        f"update-index threads=1, {MARIADB}-innodb-default-1: of-all-seconds: its figures cover"
    )
    told = caveats(with_buckets, whole, ["one", "other"])
    assert any(each.startswith("of-all-seconds: ") and "one in update-index" in each for each in told)
    found = comparison_by_measure(whole, "p95_ms")
    row = next(row for row in found.rows if row.workload == "update-index")
    assert cells(row, "marks") == [["of-all-seconds"], ["unsteady"]]
    assert cells(row, "verdict") == ["base", "marked"]


@pytest.mark.parametrize(
    ("repeats", "left_out", "marks"), [(4, [["unsteady"], [], [], []], []), (3, [[]] * 3, ["unsteady"])]
)
def test_an_unsteady_repeat_is_left_out_where_three_remain(
    history: History, repeats: int, left_out: list[list[str]], marks: list[str]
) -> None:
    its_plan = journals.plan([journals.contender("innodb"), journals.contender("rocksdb")], repeats, 5, STEPS)
    for turn in its_plan.turns:
        kind = Made if turn.ordinal == 1 else Steady
        maker = kind(its_plan, turn.session)
        maker.begin()
        for at in range(len(STEPS)):
            maker.step(at, value=50_000.0)
        maker.end()
        store(history, maker)
    row = compare(history, [turn.session for turn in its_plan.turns]).rows[UPDATE]
    words = [[(each or {})["word"] for each in column] for column in cells(row, "steadiness")]
    assert words == [["unsteady", *["steady"] * (repeats - 1)], ["steady"] * repeats]
    assert cells(row, "left_out") == [left_out, [[]] * repeats] and cells(row, "marks") == [marks, []]
    assert cells(row, "n") == [3, repeats] and row.cells[1].verdict == ("marked" if marks else "same")


class Steady(Made):
    def start_step(self, at: int) -> None:
        super().start_step(at)
        self.at = POINT
