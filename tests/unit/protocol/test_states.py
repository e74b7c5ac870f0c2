"""The one state machine of a journal."""

from __future__ import annotations

from typing import Any

import pytest

from app.protocol.events import (
    REPEATED,
    Event,
    MomentEvent,
    SessionEnded,
    SessionPlanned,
    StepEnded,
    StepStarted,
)
from app.protocol.states import GONE, UNREACHED, SessionState, StepState
from tests.journals import Maker, plan, whole


def state_after(events: list[Event], steps: int = 5) -> SessionState:
    state = SessionState("a session", [StepState() for _ in range(steps)])
    for event in events:
        state.check(event) if event.kind != "sample" else state.check_second(event)
        state.take(event)
    return state


def going_on() -> SessionState:
    """In the middle of its second step."""
    maker = Maker(plan()).begin()
    maker.step(0)
    maker.start_step(1)
    maker.samples(1, range(-2, 3))
    return state_after(maker.events)


def event(kind: Any, **fields: Any) -> Any:
    return kind(seq=99, t=99.0, at=99.0, **fields)


def test_a_whole_journal_goes_through() -> None:
    maker = whole(plan(), failed=2)
    state = state_after(maker.events)
    assert [step.state for step in state.steps] == [
        "completed", "completed", "failed", "completed", "completed",
    ]  # fmt: skip
    assert (state.state, state.failed_steps, state.at_hand, state.seq) == (
        "completed", 1, -1, len(maker.events),
    )  # fmt: skip
    assert state.steps[1].measured_t is not None and state.steps[1].s is None


def test_a_step_that_is_repeated_begins_again() -> None:
    state = going_on()
    assert state.active.measured_t is not None
    state.take(event(MomentEvent, name=REPEATED, step=1))
    active = state.active
    assert (active.state, active.attempt, active.began_t, active.measured_t, active.s) == (
        "active", 2, 99.0, None, None,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        (event(SessionPlanned, protocol="1.0", session="s", plan={}), "begins with session_planned, once"),
        (event(StepStarted, step=2), "step 2 starts before step 1 has ended"),
        (event(StepEnded, step=0, outcome="completed"), "step 0 has ended before"),
        (event(StepEnded, step=5, outcome="completed"), "the plan has no step 5"),
        (event(StepEnded, step=-1, outcome="completed"), "the plan has no step -1"),
        (event(StepEnded, step=1, outcome="perhaps"), "the outcome 'perhaps' is unknown"),
        (event(MomentEvent, name=REPEATED, step=0), "step 0 is repeated, which is not active"),
        (event(MomentEvent, name=REPEATED, step=-1), "step -1 is repeated, which is not active"),
        (event(SessionEnded, outcome="skipped", reason="", events=99), "the outcome 'skipped' is unknown"),
    ],
)
def test_what_cannot_come_now_is_refused(wrong: Event, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        going_on().check(wrong)


def test_nothing_comes_before_the_plan_or_after_the_end() -> None:
    with pytest.raises(ValueError, match="begins with session_planned"):
        SessionState("a session").check(event(MomentEvent, name="crash"))
    with pytest.raises(ValueError, match="the session has ended before"):
        state_after(whole(plan()).events).check(event(MomentEvent, name="crash"))


def test_the_step_at_hand_goes_with_its_session_and_the_others_are_not_reached() -> None:
    state = going_on()
    state.take(event(SessionEnded, outcome="failed", reason="the server is gone", events=99))
    assert [(step.state, step.reason) for step in state.steps[1:3]] == [
        ("failed", "the server is gone"), ("skipped", UNREACHED),
    ]  # fmt: skip
    assert state.steps[1].ended_t == 99.0


def test_a_journal_without_an_end_is_lost() -> None:
    state = going_on()
    state.end_unsaid()
    assert (state.state, state.steps[1].state, state.steps[1].reason) == ("lost", "failed", GONE)
    over = state_after(whole(plan()).events)
    over.end_unsaid()
    assert over.state == "completed"
