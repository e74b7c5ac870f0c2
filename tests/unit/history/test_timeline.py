"""A session along its time."""

from __future__ import annotations

import pytest

from app.following.progress import PlanProgress, stored_progress
from app.history.history import History
from app.history.series import series
from app.history.timeline import ghosts, overview, stretches, timeline
from app.protocol.plan import Plan
from tests.journals import SERIES, Maker, contender, plan, renamed, whole
from tests.unit.history.conftest import store

QPS = "load.queries"
TWO = [contender(), contender("rocksdb")]


def running(its_plan: Plan, seconds: int = 3) -> Maker:
    """In the middle of its second step."""
    maker = Maker(its_plan).begin()
    maker.step(0)
    maker.start_step(1)
    maker.samples(1, range(-2, seconds))
    return maker


def test_all_steps_with_their_bounds_and_values(history: History) -> None:
    maker = whole(plan())
    store(history, maker)
    found = timeline(history, maker.session, [QPS, "server.cpu_pct"])
    assert found.state.seq == len(maker.events)
    assert found.state.sampled == tuple(each["name"] for each in SERIES)
    assert [each.name for each in found.stretches] == [step.name for step in maker.plan.steps]
    second = found.stretches[1]
    wanted = series(history, maker.session, "point-query", threads=1)["values"]
    assert [None if value != value else value for value in second.values[QPS].tolist()] == wanted
    began = [event.t for event in maker.events if event.kind == "step_started"]
    measured = [event.t for event in maker.events if event.kind == "mark"]
    assert [each.began_t for each in found.stretches] == pytest.approx(began)
    assert [each.measured_t for each in found.stretches] == [None, *measured]
    assert [(each.kind, each.text) for each in found.remarks if each.kind != "mark"] == [
        ("note", "the fan is loud"), ("log", "page cleaner took 4000ms"),
    ]  # fmt: skip


def test_a_running_step_is_read_from_the_staging(history: History) -> None:
    maker = running(plan())
    store(history, maker)
    found = timeline(history, maker.session, [QPS, "no such series"])
    step = found.stretches[-1]
    assert (step.position, step.ended_t, len(step.t)) == (1, None, 5)
    samples = [event for event in maker.events if event.kind == "sample" and event.step == 1]
    assert step.t.tolist() == [event.t for event in samples]
    assert list(step.values) == [QPS]
    assert found.overview.steps[1]["state"] == "active"


def test_the_base_is_the_first_session_of_the_plan_or_the_one_that_is_named(history: History) -> None:
    its_plan, earlier = plan(TWO), whole(plan(number=2))
    first, second = (whole(its_plan, turn.session) for turn in its_plan.turns)
    store(history, earlier, first, second)
    assert overview(history, first.session).base is None
    seen = overview(history, second.session)
    assert seen.base is not None
    assert seen.base["id"] == first.session
    assert len(seen.base_steps) == len(its_plan.steps)
    assert [each["id"] for each in seen.siblings] == [first.session, second.session]
    named = overview(history, second.session, earlier.session).base
    assert named is not None
    assert named["id"] == earlier.session


def test_ghosts_that_did_the_same_work_come_first(history: History) -> None:
    other_work = renamed(plan(number=3), rows=7)
    same, same_later, other, now, later = (
        whole(each) for each in (plan(number=1), plan(number=2), other_work, plan(number=4), plan(number=5))
    )
    store(history, same, same_later, other, now, later)
    found = [each["id"] for each in ghosts(history, now.session)]
    assert found == [same_later.session, same.session, other.session]
    assert ghosts(history, same.session) == []


def test_stored_progress_is_what_the_journals_tell(history: History) -> None:
    its_plan = plan(TWO)
    makers = [
        whole(its_plan, its_plan.turns[0].session, failed=2),
        Maker(its_plan, its_plan.turns[1].session),
    ]
    makers[1].begin()
    makers[1].step(0)
    makers[1].start_step(1)
    store(history, *makers)
    told = PlanProgress(its_plan)
    for maker in makers:
        told.take_all(maker.session, maker.events)
    stored = stored_progress(history, its_plan)
    for id_, session in told.sessions.items():
        assert stored.sessions[id_].state == session.state
        assert [each.state for each in stored.sessions[id_].steps] == [each.state for each in session.steps]
        assert stored.sessions[id_].step == session.step
        assert stored.length_s(id_, 0) == pytest.approx(told.length_s(id_, 0))
    assert stored.elapsed_s == pytest.approx(told.elapsed_s)


def test_a_session_that_is_not_there_has_no_stretches(history: History) -> None:
    assert stretches(history, "nobody", [QPS]) == []
