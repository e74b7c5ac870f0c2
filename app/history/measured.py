"""What earlier sessions on a machine tell about the next ones: how noisy it is, how long steps take."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from .history import History

LATEST = 40  # sessions: older ones may be of another Dyno, or another system

_SESSIONS = """
SELECT number, id, plan, ended_t FROM session
WHERE machine_key = ? AND state = 'completed' AND id NOT IN (SELECT session FROM published)
ORDER BY started_at DESC LIMIT ?"""
_STEPS = """
SELECT session, position, started_t, ended_t, state = 'completed' FROM step
WHERE session IN ({}) AND ended_t IS NOT NULL ORDER BY session, position"""


class Span(NamedTuple):
    """A step that was carried out: where it is in the plan, and what it took."""

    position: int
    seconds: float  # until the next one began
    own_s: float  # until it ended
    is_completed: bool


@dataclass(frozen=True)
class PastSession:
    """The times of a session that completed."""

    id: str
    plan: bytes  # packed JSON
    outside_s: float  # before its first step and after its last one
    steps: tuple[Span, ...]


@dataclass(frozen=True)
class Measured:
    """What is known of a machine."""

    noise: float | None = None  # between sessions of equals; None: nobody has measured it
    sessions: tuple[PastSession, ...] = ()  # the latest first


def measured(history: History, machine_key: str) -> Measured:
    from .calibration import noise_of  # by the thread that reads

    return Measured(noise_of(history, machine_key), tuple(_past_sessions(history, machine_key)))


def measured_at(home: Path, machine_key: str) -> Measured:
    """The same, for a thread without an open history."""
    from .history import History

    with History(home) as history:
        return measured(history, machine_key)


def _past_sessions(history: History, machine_key: str) -> list[PastSession]:
    rows = history.query(_SESSIONS, (machine_key, LATEST))
    spans = _spans(history, [number for number, *_ in rows])
    plans = {
        plan: history.query("SELECT content FROM plan WHERE id = ?", (plan,))[0][0] for *_, plan, _ in rows
    }
    return [
        PastSession(
            id_, plans[plan], max(0.0, ended_t - sum(each.seconds for each in spans[number])), spans[number]
        )
        for number, id_, plan, ended_t in rows
        if ended_t is not None and number in spans
    ]


def _spans(history: History, numbers: Sequence[int]) -> dict[int, tuple[Span, ...]]:
    """The steps of sessions by number; what follows a step, `ANALYZE TABLE` for example, is its own."""
    found: dict[int, list[tuple[int, float, float, int]]] = {}
    statement = _STEPS.format(", ".join("?" * len(numbers)))  # no word of it comes from outside
    for session, *times in history.query(statement, numbers):
        if times[1] is not None:
            found.setdefault(session, []).append(tuple(times))
    return {session: tuple(_until_the_next(its)) for session, its in found.items()}


def _until_the_next(steps: Sequence[tuple[int, float, float, int]]) -> list[Span]:
    ends = [*(started for _, started, _, _ in steps[1:]), steps[-1][2]]
    return [
        Span(position, max(0.0, end - started), max(0.0, ended - started), bool(is_completed))
        for (position, started, ended, is_completed), end in zip(steps, ends, strict=True)
    ]
