"""What a calibration is of: the same contender several times, on all CPUs and on CPUs of its own."""

from __future__ import annotations

from app.core.errors import TargetError
from app.engines import FIRST
from app.history.calibration import SEQUENCE
from app.protocol.answers import Survey

from .canary import steadiest_build
from .cores import in_order
from .request import ContenderRequest, PlanRequest

SESSIONS = 4


def calibration_request(survey: Survey, target: str) -> PlanRequest:
    """About four minutes; raises TargetError where no build can be measured."""
    build = steadiest_build(survey)
    if build is None:
        raise TargetError(
            f"{target} has no build with {FIRST.title} that can start: install mariadb-server there"
        )
    return PlanRequest(
        name=SEQUENCE,
        target=target,
        sequence=SEQUENCE,
        contenders=(ContenderRequest(build.name, FIRST.name),),
        repeats=SESSIONS,
        cores=_core_sets(survey),
    )


def _core_sets(survey: Survey) -> tuple[int, ...] | None:
    """All, where server and load share them, and half, where they do not."""
    cpus = len(in_order(survey.topology))
    return (cpus, cpus // 2) if cpus > 1 else None
