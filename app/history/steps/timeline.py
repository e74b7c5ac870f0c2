"""A session over time: the values of some series, its steps and their bounds, its remarks.

One read gives all that is drawn, of a session that is over and of one that is still carried out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.history.lists.sessions import SessionEntry, sessions
from app.history.recorded.counting import unsteady_steps
from app.history.recorded.recounting import recount_if_waiting
from app.history.recorded.stored_states import stored_state
from app.history.store.blocks import step_clock_rows, unfinished_step_seconds, values_of
from app.history.store.distributions import Distributions, distributions_of
from app.history.store.history import History
from app.protocol.plan import SLICES, Plan
from app.protocol.states import SessionState

from .driving import only_drives
from .figures import StepEntry, plan_of, steps
from .remarks import JournalRemark, remarks
from .series import SeriesEntry, declared_series

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

GHOSTS = 40  # earlier sessions that are offered


@dataclass(frozen=True)
class StepOnTimeline:
    """A step on the time axis of its session."""

    position: int
    name: str
    coordinates: str  # JSON, keys sorted
    latency_per: str
    began_t: float
    ended_t: float | None
    measured_t: float | None  # where its warm-up was over
    s: Floats  # seconds of the step, below 0 in its warm-up
    t: Floats
    dt: Floats
    values: dict[str, Floats]  # by name of the series; NaN is missing
    latencies: Distributions | None  # of these seconds, where they are stored and asked for


@dataclass(frozen=True)
class SessionResults:
    """The results of a session so far."""

    session: SessionEntry
    plan: Plan
    siblings: list[SessionEntry]  # all sessions of its plan, itself too
    steps: list[StepEntry]  # all of the plan
    base: SessionEntry | None  # what it is held against
    base_steps: list[StepEntry]
    unsteady: dict[tuple[str, int], str]  # steps of the plan, by session and position, and why
    only_drives: bool  # its machine: the server is on another one


@dataclass(frozen=True)
class SessionTimeline:
    overview: SessionResults
    state: SessionState  # of the last event in here: what comes after continues it
    series: list[SeriesEntry]  # all there are
    stretches: list[StepOnTimeline]  # of the steps that began
    remarks: list[JournalRemark]


def timeline(
    history: History, session: str, names: Sequence[str], base: str = "", *, has_latencies: bool = False
) -> SessionTimeline:
    """A session as it is drawn, with the values of these series."""
    _recount(history, session, base)
    with history.reading():
        seen = _overview(history, session, base)
        number = history.query("SELECT number FROM session WHERE id = ?", (session,))[0][0]
        return SessionTimeline(
            overview=seen,
            state=stored_state(history.connection, session),
            series=declared_series(history, session),
            stretches=_stretches(history, number, names, has_latencies),
            remarks=remarks(history, session),
        )


def overview(history: History, session: str, base: str = "") -> SessionResults:
    """Its steps with those of the base: a named one, else the first contender of the same repeat."""
    _recount(history, session, base)
    with history.reading():
        return _overview(history, session, base)


def _recount(history: History, session: str, base: str) -> None:
    """Recount all sessions whose steps are shown."""
    of_plan = history.query(
        "SELECT id FROM session WHERE plan = (SELECT plan FROM session WHERE id = ?)", (session,)
    )
    recount_if_waiting(history, [base, *(id_ for (id_,) in of_plan)])


def _overview(history: History, session: str, base: str) -> SessionResults:
    plan = Plan.from_json(plan_of(history, session))
    siblings = sessions(history, plan=plan.id)
    if base:
        held_against = next(iter(sessions(history, ids=[base])), None)
    else:
        held_against = _base_of(plan, siblings, session)
    return SessionResults(
        session=next(each for each in siblings if each["id"] == session),
        plan=plan,
        siblings=siblings,
        steps=steps(history, session),
        base=held_against,
        base_steps=steps(history, held_against["id"]) if held_against else [],
        unsteady=unsteady_steps(history, plan.id),
        only_drives=only_drives(history, session),
    )


def _base_of(plan: Plan, siblings: Sequence[SessionEntry], session: str) -> SessionEntry | None:
    """The first contender's session of the same repeat, of its attempts the latest completed one."""
    own = plan.turn_of(session)
    if own.contender == 0:
        return None
    attempts = {
        turn.session: turn.attempt
        for turn in plan.turns
        if (turn.contender, turn.repeat) == (0, own.repeat)
        and (plan.order != SLICES or turn.attempt == own.attempt)  # only these took turns with it
    }
    begun = [each for each in siblings if each["id"] in attempts and each["started_at"]]
    return max(begun, key=lambda each: (each["state"] == "completed", attempts[each["id"]]), default=None)


def load_step_series(history: History, session: str, names: Sequence[str]) -> list[StepOnTimeline]:
    """The steps of a session that began, with the values of these series and their latencies."""
    with history.reading():
        row = history.one("SELECT number FROM session WHERE id = ?", (session,))
        return _stretches(history, row[0], names, has_latencies=True) if row else []


def ghosts(history: History, session: str) -> list[SessionEntry]:
    """Earlier sessions to draw behind this one: those with the same work first, the latest first."""
    rows = history.query(
        "SELECT other.id FROM session AS other JOIN session AS this ON this.id = ?"
        " WHERE other.id != this.id AND other.started_at IS NOT NULL"
        " AND (this.started_at IS NULL OR other.started_at < this.started_at)"
        " ORDER BY other.work_key = this.work_key DESC, other.started_at DESC LIMIT ?",
        (session, GHOSTS),
    )
    order = {id_: at for at, (id_,) in enumerate(rows)}
    return sorted(sessions(history, ids=list(order)), key=lambda each: order[each["id"]]) if order else []


def _stretches(
    history: History, session: int, names: Sequence[str], has_latencies: bool
) -> list[StepOnTimeline]:
    known = dict(history.query("SELECT name, number FROM series WHERE session = ?", (session,)))
    wanted = {name: known[name] for name in names if name in known}
    measured = dict(
        history.query(
            "SELECT mark.step, t FROM mark JOIN step ON step.session = mark.session AND position = mark.step"
            " WHERE mark.session = ? AND mark.name = 'measured' AND t >= started_t",  # of its latest attempt
            (session,),
        )
    )
    rows = history.query(
        "SELECT number, position, name, coordinates, latency_per, started_t, ended_t FROM step"
        " WHERE session = ? AND started_t IS NOT NULL ORDER BY position",
        (session,),
    )
    found = []
    for number, position, name, coordinates, latency_per, began_t, ended_t in rows:
        (s, t, dt), values = _values(history, number, wanted, len(known))
        latencies = distributions_of(history.connection, number) if has_latencies else None
        times = (began_t, ended_t, measured.get(position))
        found.append(
            StepOnTimeline(position, name, coordinates, latency_per, *times, s, t, dt, values, latencies)
        )
    return found


def _values(
    history: History, step: int, wanted: dict[str, int], series_count: int
) -> tuple[Floats, dict[str, Floats]]:
    """The rows s, t and dt of its clock, and the values by series."""
    import numpy as np

    clock = step_clock_rows(history.connection, step)
    if clock is None:
        staged = unfinished_step_seconds(history.connection, step, series_count)
        return staged.clock, {name: staged.values[number] for name, number in wanted.items()}
    found = {name: values_of(history.connection, step, number) for name, number in wanted.items()}
    missing = np.full(clock.shape[1], np.nan)
    return clock, {name: missing if values is None else values for name, values in found.items()}
