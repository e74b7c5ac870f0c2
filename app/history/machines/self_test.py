"""The self test of a machine: sessions of one server, in two of which a difference is planted."""

from __future__ import annotations

import re
from math import log
from typing import TYPE_CHECKING

from app.history.machines.calibration import latest_plan, seconds_of_step
from app.stats.at_target.verdicts import LEAST
from app.stats.noise import NoiseParts, noise_parts

if TYPE_CHECKING:
    from app.history.store.history import History

SEQUENCE = "self-test"
PLANTED = (3, 10)  # % of more work a query
_LINE = 'init_connect="SET @dyno_planted_pct = {}"'  # as workloads/planted.lua reads it
_PCT = re.compile(re.escape(_LINE.rpartition("{")[0].partition('"')[2]) + r"([1-9]\d?)\b")

_SESSIONS = "SELECT id FROM session WHERE plan = ? AND state = 'completed' ORDER BY id"


def planting_line(pct: int) -> str:
    """The line of a my.cnf that plants so much more work; '' for none."""
    return _LINE.format(pct) if pct else ""


def planted_pct(cnf: str) -> int:
    """The percentage that a my.cnf plants; 0: none."""
    found = _PCT.search(cnf)
    return int(found[1]) if found else 0


def self_test_noise_parts(history: History, machine_key: str) -> NoiseParts | None:
    """The same of the ratio of a repeat in slices, where seconds of the machine hit both alike."""
    from app.history.steps.figures import plans_by_session

    ids = [id_ for (id_,) in history.query(_SESSIONS, (latest_self_test(history, machine_key),))]
    steps = {
        (turn.contender, at, turn.repeat): seconds_of_step(history, id_, at)
        for id_, plan in plans_by_session(history, ids).items()
        for turn in [plan.turn_of(id_)]
        for at, step in enumerate(plan.steps)
        if step.sliced
    }
    ratios: dict[tuple[int, int], list[list[float]]] = {}
    for (contender, at, repeat), seconds in steps.items():
        if contender:
            both = zip(steps.get((0, at, repeat), ()), seconds, strict=False)
            ratios.setdefault((contender, at), []).append([log(b / a) for a, b in both if a and b])
    return noise_parts(ratios.values())


def latest_self_test(history: History, machine_key: str) -> str:
    """The plan of the latest one with enough sessions for a verdict; '' without one."""
    return latest_plan(history, machine_key, SEQUENCE, LEAST * (1 + len(PLANTED)))
