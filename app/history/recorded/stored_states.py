"""The stored states of sessions, which their next events continue."""

from __future__ import annotations

import json
from sqlite3 import Connection

from app.history.store import journals
from app.history.store.damage import damage_as_error
from app.history.store.decoding import Line, decode_until_damaged
from app.history.store.history import History
from app.protocol.events import REPEATED, ProgressEvent
from app.protocol.states import GONE, SessionState, StepState

TAIL = 1 << 17  # bytes of a stored journal: the latest two minutes of 60 series


def stored_state(connection: Connection, session: str) -> SessionState:
    """The state of a session after its stored events; a blank one without events."""
    row = connection.execute(
        "SELECT number, state, reason, planned_at, started_at, ended_at, ended_t,"
        " (SELECT seq FROM journal WHERE journal.session = session.id) FROM session WHERE id = ?", (session,)
    ).fetchone()  # fmt: skip
    if row is None:
        return SessionState(session)
    number, state, reason, planned_at, started_at, ended_at, ended_t, seq = row
    steps = _steps(connection, number)
    found = SessionState(session, steps, state, reason, is_planned=True, seq=seq or 0)
    found.step = max((at for at, step in enumerate(steps) if step.state != "waiting"), default=-1)
    found.at_hand = next((at for at, step in enumerate(steps) if step.state == "active"), -1)
    found.sampled = _sampled(connection, number)
    found.t = _latest_t(connection, number, found, ended_t)
    found.at = ended_at or (started_at or planned_at) + found.t
    if found.is_over:
        found.end_steps("failed", GONE)
    return found


def _steps(connection: Connection, session: int) -> list[StepState]:
    rows = connection.execute(
        "SELECT state, reason, started_t, ended_t, value, progress, position FROM step WHERE session = ?"
        " ORDER BY position", (session,)
    )  # fmt: skip
    steps = [
        StepState(state, reason, began_t, None, ended_t, None, _progress(progress, position), value)
        for state, reason, began_t, ended_t, value, progress, position in rows
    ]
    marks = connection.execute(
        "SELECT step, name, t FROM mark WHERE session = ? AND name IN ('measured', ?) ORDER BY seq",
        (session, REPEATED),
    )
    for position, name, t in marks:
        if 0 <= position < len(steps) and name == REPEATED:
            steps[position].repeat(t)
        elif 0 <= position < len(steps):
            steps[position].measured_t = t
    return steps


def _progress(text: str, position: int) -> ProgressEvent | None:
    if not text:
        return None
    with damage_as_error():
        return ProgressEvent(seq=0, t=0.0, at=0.0, step=position, **json.loads(text))


def _sampled(connection: Connection, session: int) -> tuple[str, ...]:
    rows = connection.execute(
        "SELECT name FROM series WHERE session = ? AND position IS NOT NULL ORDER BY position", (session,)
    )
    return tuple(name for (name,) in rows)


def _latest_t(connection: Connection, session: int, state: SessionState, ended_t: float | None) -> float:
    """The latest `t` of stored rows; the running step gets its latest second."""
    times = [ended_t, *(step.began_t for step in state.steps), *(step.ended_t for step in state.steps)]
    if state.at_hand >= 0:
        latest = connection.execute(
            "SELECT s, staging.t FROM staging JOIN step ON step.number = staging.step"
            " WHERE session = ? AND position = ? ORDER BY seq DESC LIMIT 1", (session, state.at_hand),
        ).fetchone()  # fmt: skip
        if latest is not None:
            state.active.s, t = latest
            times.append(t)
    return max((t for t in times if t is not None), default=0.0)


def latest_events(history: History, session: str) -> list[Line]:
    """The events stored last, from the journal; none if it disagrees with what is stored."""
    row = history.one("SELECT offset, seq FROM journal WHERE session = ?", (session,))
    if row is None:
        return []
    offset, seq = row
    lines = decode_until_damaged(journals.tail(journals.path_of(history.journals, session), offset, TAIL))
    return lines if lines and lines[-1].seq == seq else []
