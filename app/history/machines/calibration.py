"""What the latest calibration of a machine came to: figures of equals, by step and by core set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log
from typing import TYPE_CHECKING, NamedTuple

from app.core.errors import InputError
from app.history.store.damage import read_json
from app.protocol.others import DISTURBED
from app.stats.noise import Noise, NoiseParts, noise_parts, pooled_noise

if TYPE_CHECKING:
    from app.history.store.history import History

SEQUENCE = "calibration"
LEAST = 2  # sessions

_PLAN = """
SELECT plan FROM session WHERE machine_key = ? AND sequence = ? AND state = 'completed'
GROUP BY plan HAVING count(*) >= ? ORDER BY max(started_at) DESC LIMIT 1"""
_STEPS = """
SELECT engine, step.name, coordinates, step.value, marks, session.id, position
FROM step JOIN session ON step.session = session.number
WHERE plan = ? AND session.state = 'completed' AND step.state = 'completed' AND kind = 'drive'
    AND step.value IS NOT NULL"""
_TIMES = (
    "SELECT count(*), avg(ended_at - started_at), max(started_at) FROM session"
    " WHERE plan = ? AND state = 'completed'"
)


@dataclass(frozen=True)
class Calibration:
    """The noise of a machine, with all CPUs for both and with CPUs of their own for server and load."""

    at: float  # when its last session began
    sessions: int
    session_s: float  # that one takes
    shared: Noise | None
    own: Noise | None  # None: the machine has one core, or only one core set was measured
    engines: dict[str, Noise]  # of shared, by engine
    disturbed: int  # figures that were left out, or kept as there are no others
    parts: NoiseParts | None = None  # of the noise of all steps; None: their seconds are not known

    @property
    def best(self) -> float | None:
        """The noise of plans as they are usually made."""
        noise = self.shared or self.own
        return noise.deviation if noise else None


def calibration(history: History, machine_key: str) -> Calibration | None:
    """The latest calibration; None without one."""
    plan = latest_plan(history, machine_key, SEQUENCE, LEAST)
    if not plan:
        return None
    sessions, seconds, at = history.query(_TIMES, (plan,))[0]
    quiet: dict[_Place, list[float]] = {}
    noisy: dict[_Place, list[float]] = {}
    of_seconds: dict[_Place, list[list[float]]] = {}
    for engine, name, coordinates, value, marks, session, position in history.query(_STEPS, (plan,)):
        where = noisy if DISTURBED in read_json(marks) else quiet
        place = _Place(engine, name, read_json(coordinates).get("cores", 0))
        where.setdefault(place, []).append(value)
        logs = [log(each) for each in seconds_of_step(history, session, position) if each]
        of_seconds.setdefault(place, []).append(logs)
    disturbed = sum(map(len, noisy.values()))
    steps = quiet if any(len(each) >= LEAST for each in quiet.values()) else noisy
    largest = max((place.cores for place in steps), default=0)
    shared = {place: each for place, each in steps.items() if place.cores == largest}
    own = pooled_noise(each for place, each in steps.items() if place.cores != largest)
    times = float(at), sessions, float(seconds)
    parts = noise_parts(of_seconds.values())
    return Calibration(*times, pooled_noise(shared.values()), own, _by_engine(shared), disturbed, parts)


def latest_plan(history: History, machine_key: str, sequence: str, least: int) -> str:
    """The latest plan of a sequence that has this many completed sessions or more; '' without one."""
    row = history.one(_PLAN, (machine_key, sequence, least))
    return str(row[0]) if row else ""


def seconds_of_step(history: History, session: str, position: int) -> Sequence[float | None]:
    """The measured seconds of a step; none where its result is not made of them."""
    from app.history.recorded.counting import cuttable_step  # by the thread that reads

    try:
        return cuttable_step(history, session, position).seconds.values
    except InputError:
        return ()


class _Place(NamedTuple):
    """A step on a core set, measured repeatedly."""

    engine: str
    step: str
    cores: int


def _by_engine(steps: Mapping[_Place, Sequence[float]]) -> dict[str, Noise]:
    names = dict.fromkeys(place.engine for place in steps)
    found = {
        name: pooled_noise(each for place, each in steps.items() if place.engine == name) for name in names
    }
    return {name: noise for name, noise in found.items() if noise}
