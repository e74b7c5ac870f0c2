"""How far a plan has come, in words: which step of which session, how it ended, what it did not need."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from app.core.names import short_names
from app.core.units import count_text, unit_text, with_unit
from app.protocol.events import ANSWERS, OPERATION, ProgressEvent
from app.protocol.plan import LIMIT, OUTAGES, Plan, Step
from app.protocol.states import ENDINGS, OUT_OF_TIME, SessionState, StepState, reason_text

_LETTERS = 36  # of all names in front of their rates


def plan_position_text(plan: Plan, sessions: Sequence[SessionState]) -> str:
    """`1/2 innodb-a  3/8 point-query threads=2`, `repeat 1 of 3  3/8 ...` in slices."""
    turn, index = plan.turn_of(sessions[0].id), sessions[0].step
    number, count = step_number(plan, index), step_count(plan)
    step = step_with_roles(plan, index) if number else None
    place = f"{turn.ordinal}/{len(plan.first_turns)} {turn.name.removeprefix(f'{plan.name}-')}"
    if step is not None and step.sliced:
        place = f"repeat {turn.repeat} of {plan.repeats}"
    return place if step is None else f"{place}  {number}/{count} {step.label}"


def step_count(plan: Plan) -> int:
    """The steps that are carried out one after the other: those with roles once."""
    return sum(not each.beside for each in plan.steps)


def step_number(plan: Plan, index: int) -> int:
    """Which of them one is, or one of its roles; 0 before the first."""
    return sum(not each.beside for each in plan.steps[: index + 1])


def step_with_roles(plan: Plan, index: int) -> Step:
    """The step that one is, or is a role of."""
    return [each for each in plan.steps if not each.beside][step_number(plan, index) - 1]


def rates_by_session_text(plan: Plan | None, rates: Sequence[tuple[str, float | None]]) -> str:
    """`9,800`, `innodb 9,800 | rocksdb 12,345` by session, in the order of the contenders."""
    if plan is None or len(rates) < 2:
        return " | ".join(_rate_text(rate) for _, rate in rates)
    names = short_names([each.name for each in plan.contenders]).names
    places = {plan.turn_of(session).contender: rate for session, rate in rates}
    has_names = sum(map(len, names)) <= _LETTERS
    return " | ".join(
        f"{names[at]} {_rate_text(rate)}" if has_names else _rate_text(rate)
        for at, rate in sorted(places.items())
    )


def _rate_text(rate: float | None) -> str:
    return "-" if rate is None else f"{rate:,.0f}"


def step_progress_text(session: SessionState, step: Step) -> str:
    """How far the latest step of a session is."""
    if session.step < 0:
        return "starting the server"
    progress = session.steps[session.step]
    if progress.state != "active":
        return progress.state
    again = _attempt_text(progress.attempt, step)
    if (step.seconds or step.role) and progress.s is not None:
        return ", ".join(filter(None, (again, _second_text(progress, progress.s, step))))
    shown = progress.progress
    return ", ".join(filter(None, (again, _progress_text(shown) if shown else "")))


def _attempt_text(attempt: int, step: Step) -> str:
    """Which time the step is carried out; a search for a limit begins without one."""
    if step.kind == LIMIT:
        return f"try {attempt - 1}" if attempt > 1 else "without a limit"
    return f"attempt {attempt}" if attempt > 1 else ""


def _progress_text(shown: ProgressEvent) -> str:
    """The progress of a step in words; of a settle step what is still to be written."""
    done = f"{shown.done:,.0f} of {shown.total:,.0f} {unit_text(shown.unit)}"
    return ": ".join(filter(None, (done, shown.text)))


def _second_text(progress: StepState, s: int, step: Step) -> str:
    if s < 0:
        return f"warm-up second {s + step.warmup + 1} of {step.warmup}"
    if step.is_operation:
        return f"second {s + 1} of {step.after + step.seconds}, {_operation_text(progress, step)}"
    return f"second {s + 1} of {step.seconds}" if step.seconds else f"second {s + 1}"


def _operation_text(progress: StepState, step: Step) -> str:
    """`kill at second 20, waits for the server`."""
    kind, moments = step.kind.replace("-", " "), progress.moments
    if OPERATION not in moments:
        return f"{kind} after {step.after} s"
    at = f"{kind} at second {moments[OPERATION]:.0f}"
    if ANSWERS in moments:
        return f"{at}, the server answered {with_unit(moments[ANSWERS] - moments[OPERATION], 's')} later"
    return f"{at}, {'waits for the server' if step.kind in OUTAGES else 'under way'}"


# of plans until decided


def early_end_text(plan: Plan, sessions: Mapping[str, SessionState]) -> str:
    """`decided after 4 repeats`, of a plan that is over and has ended before its last one; '' of others.

    The base stays as long as anybody does; a person may stop what goes on without some of the others.
    """
    spared = [each for each in sessions.values() if not each.is_needed]
    of_base = next((each for each in spared if plan.turn_of(each.id).contender == 0), None)
    if of_base is None:
        return ""
    how = "ended by its time limit" if of_base.reason == OUT_OF_TIME else of_base.reason
    after = f" after {count_text(first_unneeded_round(plan, sessions, of_base.id) - 1, 'repeat')}"
    return reason_text(how, after, plan.repeats)


def not_needed_text(plan: Plan, sessions: Mapping[str, SessionState], session: str) -> str:
    """`not needed: decided after 4 repeats`."""
    state, first = sessions[session], first_unneeded_round(plan, sessions, session)
    after = f" after {count_text(first - 1, 'repeat')}" if state.reason in ENDINGS else ""
    return f"{state.word}: {reason_text(state.reason, after, plan.repeats)}"


def first_unneeded_round(plan: Plan, sessions: Mapping[str, SessionState], session: str) -> int:
    """The first round in which the contender of a session was not needed."""
    contender = plan.turn_of(session).contender
    turns = [plan.turn_of(id_) for id_, state in sessions.items() if not state.is_needed]
    return min(turn.repeat for turn in turns if turn.contender == contender)
