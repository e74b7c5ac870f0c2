"""The plan of a calibration: the same contenders several times, with shared and with separate CPUs."""

from __future__ import annotations

from app.core.errors import TargetError
from app.engines import FIRST, KNOWN
from app.history.machines.calibration import SEQUENCE
from app.planner.request.contender import ContenderRequest
from app.planner.request.cores import cpus_in_server_order
from app.planner.request.request import PlanRequest
from app.protocol.answers import Survey

from .canary import canary_build

SESSIONS = 6  # of all contenders together
MOST_ENGINES = 2  # more would take too long


def calibration_request(survey: Survey, target: str) -> PlanRequest:
    """A calibration of about five minutes; raises TargetError if no build can run it."""
    build = canary_build(survey)
    if build is None:
        raise TargetError(
            f"{target} has no build with {FIRST.title} that starts: install mariadb-server there"
        )
    engines = [name for name in KNOWN if build.has(name)][:MOST_ENGINES]  # they use the disk differently
    return PlanRequest(
        name=SEQUENCE,
        target=target,
        sequence=SEQUENCE,
        contenders=tuple(ContenderRequest(build.name, each) for each in engines),
        repeats=SESSIONS // len(engines),
        cores=_core_sets(survey),
    )


def _core_sets(survey: Survey) -> tuple[int, ...] | None:
    """Core sets: all CPUs shared by server and load, and half of the cores for each."""
    cores = sum(map(len, survey.topology))
    return (len(cpus_in_server_order(survey.topology)), cores // 2) if cores > 1 else None
