"""What waits in `uncounted` is counted anew: all of it, once, whatever comes in between."""

from __future__ import annotations

import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.comparison.verdicts.compare import compare
from app.history.lists import edits
from app.history.lists.browsing import Filter, Order, browse, read_session_lines
from app.history.recorded import recounting
from app.history.recorded.counting import Cut, unsteady_steps
from app.history.recorded.rebuilding import rebuild
from app.history.recorded.recounting import recount_backlog, recount_if_waiting, recount_within_time
from app.history.recorded.writing import JournalStorer
from app.history.steps import figures
from app.history.steps.timeline import overview, timeline
from app.history.store.history import History
from app.history.store.packing import pack
from app.protocol.plan import QPS_UNIT, Step
from tests import journals
from tests.journals import store
from tests.uncounted import LEFT, uncount
from tests.unit.history.test_counting import FIRST, PLAN, POINT, SECOND, UPDATE, Made, made

LONG_S = 60.0


def fill(home: Path) -> None:
    """Two sessions; a step of the first is cut."""
    with History(home) as history:
        store(history, made(FIRST), made(SECOND))
        edits.count_only_seconds(history, FIRST, UPDATE, Cut(20, 59, "the cache was full"))


def everything(history: History) -> list[Any]:
    """All that is counted."""
    return [
        figures.steps(history, FIRST),
        figures.steps(history, SECOND),
        unsteady_steps(history, PLAN.id),
        headlines(history),
    ]


def headlines(history: History) -> list[Any]:
    return [
        (each["id"], each["headlines"])
        for each in read_session_lines(history, browse(history, Filter(), Order()).ids)
    ]


@pytest.fixture
def before(tmp_path: Path) -> list[Any]:
    fill(tmp_path)
    with History(tmp_path) as history:
        return everything(history)


@pytest.mark.parametrize("left", LEFT)
def test_it_comes_to_what_is_stored_today(tmp_path: Path, before: list[Any], left: str) -> None:
    uncount(tmp_path, left)
    with History(tmp_path) as history:
        assert recount_backlog(history) == 2
        assert recount_within_time(history, LONG_S) == 0
        assert everything(history) == before
        assert recount_within_time(history, LONG_S) == 0
        assert everything(history) == before


@pytest.mark.parametrize("left", LEFT)
def test_what_is_about_to_be_read_is_counted_first_and_nothing_else(
    tmp_path: Path, before: list[Any], left: str
) -> None:
    uncount(tmp_path, left)
    with History(tmp_path) as history:
        figures.session_details(history, FIRST)
        assert figures.steps(history, FIRST) == before[0]
        assert recount_backlog(history) == 1
        compare(history, [FIRST, SECOND])
        assert recount_backlog(history) == 0
        assert everything(history) == before


def test_rates_that_the_plan_sets_leave_the_means(tmp_path: Path) -> None:
    steps = [
        Step("reads", "drive", "reads", rate=rate, seconds=5, coordinates={"rate": rate}, unit=QPS_UNIT)
        for rate in (100, 400)
    ]
    plan = journals.plan(its_steps=[*steps, replace(steps[0], name="most", rate=0, coordinates={})])
    with History(tmp_path) as history:
        maker = journals.Maker(plan).begin()
        for at, value in enumerate((100.0, 400.0, 5000.0)):
            maker.step(at, value=value)
        store(history, maker)
        ((_, found),) = headlines(history)
        assert [each.qps for each in found.values()] == [pytest.approx(5000.0)]


@pytest.mark.parametrize("read", [overview, lambda history, session: timeline(history, session, [])])
def test_the_live_page_has_all_of_its_plan_counted(tmp_path: Path, before: list[Any], read: Any) -> None:
    uncount(tmp_path)
    with History(tmp_path) as history:
        read(history, SECOND)
        assert everything(history) == before


def test_a_rebuild_makes_the_same(tmp_path: Path, before: list[Any]) -> None:
    uncount(tmp_path)
    assert rebuild(tmp_path).problems == []
    with History(tmp_path) as history:
        assert recount_backlog(history) == 0
        assert everything(history)[:-1] == before[:-1]
        assert sorted(map(str, headlines(history))) == sorted(map(str, before[-1]))


def test_a_damaged_session_does_not_stop_the_others(tmp_path: Path, before: list[Any]) -> None:
    """The latest one, with which counting begins: one step of it is damaged."""
    uncount(tmp_path)
    with History(tmp_path) as history:
        history.connection.execute(
            "UPDATE block SET content = x'00112233' WHERE step = (SELECT step.number FROM step"
            " JOIN session ON session = session.number WHERE id = ? AND position = ?)",
            (SECOND, UPDATE),
        )
        assert recount_within_time(history, LONG_S) == 0
        assert figures.steps(history, FIRST) == before[0]
        damaged = figures.steps(history, SECOND)
        assert damaged[POINT] == before[1][POINT]
        assert damaged[UPDATE]["steadiness"] is None


@pytest.mark.parametrize("position", [POINT, UPDATE])
def test_of_a_damaged_step_stays_what_was_counted_before(
    tmp_path: Path, before: list[Any], position: int
) -> None:
    uncount(tmp_path, "other rules")
    with History(tmp_path) as history:
        history.connection.execute("UPDATE block SET content = x'00112233'")
        figures.session_details(history, FIRST)
        assert figures.steps(history, FIRST)[position] == {
            **before[0][position], "max_block_deviation": None, "soak": None,
            "steadiness": {"word": "steady", "text": "as it was judged then"},
        }  # fmt: skip


@pytest.mark.parametrize("seconds", [[], [0.0, 1.0, 2.0], [*range(60), 4e9, 5e9]], ids=["none", "few", "far"])
def test_a_clock_that_is_damaged_stops_nothing(
    tmp_path: Path, before: list[Any], seconds: list[float]
) -> None:
    """It is of other seconds than the values; or of one so far away that no memory holds all before it."""
    uncount(tmp_path)
    (clock,) = pack(np.array([seconds], dtype=float), [0])
    with History(tmp_path) as history:
        history.connection.execute("UPDATE clock SET s = ?", (clock,))
        assert recount_within_time(history, LONG_S) == 0
        assert not any(each["steadiness"] for each in figures.steps(history, FIRST))


def test_it_ends_when_its_time_is_over_and_goes_on_later(tmp_path: Path, before: list[Any]) -> None:
    uncount(tmp_path)
    with History(tmp_path) as history:
        assert recount_within_time(history, 0.0) == recount_backlog(history) == 1
        assert figures.steps(history, SECOND) == before[1]
    with History(tmp_path) as history:
        assert recount_within_time(history, LONG_S) == 0
        assert everything(history) == before


@pytest.mark.parametrize("is_deleted", [True, False])
def test_what_others_did_meanwhile_stays(
    tmp_path: Path, before: list[Any], monkeypatch: pytest.MonkeyPatch, is_deleted: bool
) -> None:
    """Between the reading of a session and the writing: it is deleted, or counted and cut."""
    uncount(tmp_path)
    counts = recounting._counts
    with History(tmp_path) as history, History(tmp_path) as other:

        def interrupted(history: History, session: int) -> Any:
            found = counts(history, session)
            monkeypatch.setattr(recounting, "_counts", counts)
            edits.delete(other, FIRST) if is_deleted else edits.count_only_seconds(
                other, FIRST, UPDATE, Cut(0, 18)
            )
            return found

        monkeypatch.setattr(recounting, "_counts", interrupted)
        recount_if_waiting(history, [FIRST])
        if is_deleted:
            assert [id_ for id_, _ in headlines(history)] == [SECOND]
            assert edits.undelete(other, FIRST)
            assert figures.steps(history, FIRST) == before[0]
        else:
            assert figures.steps(history, FIRST)[UPDATE]["value"] == pytest.approx(50_000, rel=0.01)


def test_a_session_that_is_followed_meanwhile(tmp_path: Path, before: list[Any]) -> None:
    """Its writer remembers where it was; one step ended before, one ends after."""
    home = tmp_path / "other"
    lines = made(SECOND).raw.splitlines(keepends=True)
    ended = [at for at, line in enumerate(lines) if b'"step_ended"' in line][POINT]
    old, now, later = b"".join(lines[: ended + 1]), lines[ended + 1], b"".join(lines[ended + 2 :])
    with History(home) as history:
        store(history, made(FIRST))
        edits.count_only_seconds(history, FIRST, UPDATE, Cut(20, 59, "the cache was full"))
        JournalStorer(history).append(PLAN.id, SECOND, 0, old)
    uncount(home)
    with History(home) as history, History(home) as other:
        writer = JournalStorer(history)
        writer.append(PLAN.id, SECOND, len(old), now)
        assert recount_within_time(other, LONG_S) == 0
        writer.append(PLAN.id, SECOND, len(old + now), later)
        assert everything(history) == before


def test_several_processes_at_once_of_which_one_is_killed(tmp_path: Path) -> None:
    """Each session comes to the same, whoever counted it."""
    plan = journals.plan([journals.contender("innodb")], repeats=40, its_steps=PLAN.steps)
    with History(tmp_path) as history:
        for turn in plan.turns:
            maker = Made(plan, turn.session, turn.ordinal)
            maker.begin()
            maker.step(POINT, value=50_000.0)
            maker.step(UPDATE, value=36_700.0)
            maker.end()
            store(history, maker)
        rows = "SELECT * FROM counted ORDER BY step", "SELECT * FROM headline ORDER BY session, grouping"
        before = [history.query(each) for each in rows]
    uncount(tmp_path)
    code = (
        "import sys; from pathlib import Path; from app.history.store.history import History;"
        "from app.history.recorded.recounting import recount_within_time;"
        "history = History(Path(sys.argv[1]));"
        "[None for _ in iter(lambda: recount_within_time(history, 0.0), 0)]"
    )
    processes = [subprocess.Popen([sys.executable, "-c", code, str(tmp_path)]) for _ in range(3)]
    with History(tmp_path) as history:
        deadline = time.monotonic() + 30
        while recount_backlog(history) == 40 and time.monotonic() < deadline:
            time.sleep(0.001)
        processes[0].kill()
        assert [process.wait(30) for process in processes] == [-9, 0, 0]
        assert recount_backlog(history) == 0
        assert [history.query(each) for each in rows] == before
