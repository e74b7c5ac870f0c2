"""What earlier sessions on a machine tell about the next ones: how noisy it is, how long steps take."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from app.history.store.damage import read_json
from app.protocol.others import DISTURBED
from app.stats.noise import NoiseParts

if TYPE_CHECKING:
    from app.history.store.history import History

LATEST = 40  # sessions: older ones may be of another Dyno, or another system

_SESSIONS = """
SELECT number, id, plan, ended_t, build FROM session
WHERE machine_key = ? AND state = 'completed' AND id NOT IN (SELECT session FROM published)
ORDER BY started_at DESC LIMIT ?"""
_STEPS = """
SELECT session, position, started_t, ended_t, state = 'completed', value, marks FROM step
WHERE session IN ({}) AND ended_t IS NOT NULL ORDER BY session, position"""
_VARIABLES = "SELECT content FROM fact WHERE name = 'variables' AND session = ? ORDER BY seq DESC LIMIT 1"


class PastStep(NamedTuple):
    """A step that was carried out: where it is in the plan, and what it took."""

    position: int
    seconds: float  # until the next one began
    own_s: float  # until it ended
    is_completed: bool
    value: float | None = None  # its result
    is_disturbed: bool = False


@dataclass(frozen=True)
class PastSession:
    """The times of a session that completed."""

    id: str
    plan: bytes  # packed JSON
    outside_s: float  # before its first step and after its last one
    steps: tuple[PastStep, ...]
    variables: bytes = b""  # in force, packed JSON; of the latest session of each build


@dataclass(frozen=True)
class MachineHistory:
    """What is known of a machine."""

    noise: float | None = None  # between sessions of its calibration; None: it has none
    sessions: tuple[PastSession, ...] = ()  # the latest first
    self_test: str = ""  # which planted differences it found, in words; '' without a self test
    parts: NoiseParts | None = None  # of the noise of whole sessions
    parts_in_slices: NoiseParts | None = None  # of the ratio of a repeat


def read_machine_record(history: History, machine_key: str) -> MachineHistory:
    from .calibration import calibration  # by the thread that reads

    found = calibration(history, machine_key)
    noise, parts = (found.best, found.parts) if found else (None, None)
    return MachineHistory(noise, tuple(_past_sessions(history, machine_key)), parts=parts)


def _past_sessions(history: History, machine_key: str) -> list[PastSession]:
    rows = history.query(_SESSIONS, (machine_key, LATEST))
    spans = _spans(history, [number for number, *_ in rows])
    plans = {
        plan: history.query("SELECT content FROM plan WHERE id = ?", (plan,))[0][0] for _, _, plan, *_ in rows
    }
    of_builds = {build: number for number, *_, build in reversed(rows)}
    variables = {number: history.one(_VARIABLES, (number,)) for number in of_builds.values()}
    return [
        PastSession(
            id_,
            plans[plan],
            max(0.0, ended_t - sum(each.seconds for each in spans[number])),
            spans[number],
            (variables.get(number) or (b"",))[0],
        )
        for number, id_, plan, ended_t, _ in rows
        if ended_t is not None and number in spans
    ]


def _spans(history: History, numbers: Sequence[int]) -> dict[int, tuple[PastStep, ...]]:
    """The steps of sessions by number; what follows a step, `ANALYZE TABLE` for example, is its own."""
    found: dict[int, list[_Row]] = {}
    statement = _STEPS.format(", ".join("?" * len(numbers)))  # no word of it comes from outside
    for session, *columns in history.query(statement, numbers):
        row = _Row(*columns)
        if row.started_t is not None:
            found.setdefault(session, []).append(row)
    return {session: tuple(_until_the_next(its)) for session, its in found.items()}


class _Row(NamedTuple):
    position: int
    started_t: float
    ended_t: float
    is_completed: int
    value: float | None
    marks: str


def _until_the_next(steps: Sequence[_Row]) -> list[PastStep]:
    ends = [*(step.started_t for step in steps[1:]), steps[-1].ended_t]
    return [
        PastStep(
            step.position,
            max(0.0, end - step.started_t),
            max(0.0, step.ended_t - step.started_t),
            bool(step.is_completed),
            step.value,
            DISTURBED in read_json(step.marks),
        )
        for step, end in zip(steps, ends, strict=True)
    ]
