"""The plans of a calibration: equal contenders several times, and a self test with planted differences."""

from __future__ import annotations

from app.core.errors import TargetError
from app.engines import FIRST, KNOWN
from app.history.machines import self_test
from app.history.machines.calibration import SEQUENCE
from app.planner.request.contender import ContenderRequest
from app.planner.request.cores import cpus_in_server_order
from app.planner.request.request import PlanRequest
from app.protocol.answers import Build, Survey

from .canary import CNF, canary_build
from .duel import order_by_memory

SELF_TEST_ROUNDS = 5
SESSIONS = 6  # of all contenders together
MOST_ENGINES = 2  # more would take too long


def calibration_request(survey: Survey, target: str) -> PlanRequest:
    """A calibration of about five minutes; raises TargetError if no build can run it."""
    build = _build(survey, target)
    engines = [name for name in KNOWN if build.has(name)][:MOST_ENGINES]  # they use the disk differently
    return PlanRequest(
        name=SEQUENCE,
        target=target,
        sequence=SEQUENCE,
        contenders=tuple(ContenderRequest(build.name, each) for each in engines),
        repeats=SESSIONS // len(engines),
        cores=_core_sets(survey),
    )


def self_test_request(survey: Survey, target: str) -> PlanRequest:
    """The self test, in slices where the memory is enough; raises TargetError if no build can run it."""
    build = _build(survey, target)
    return PlanRequest(
        name=self_test.SEQUENCE,
        target=target,
        sequence=self_test.SEQUENCE,
        contenders=tuple(_planted(build, pct) for pct in (0, *self_test.PLANTED)),
        repeats=SELF_TEST_ROUNDS,
        order=order_by_memory(survey),
        start="snapshot",
    )


def _planted(build: Build, pct: int) -> ContenderRequest:
    """The server of the canary, with a small redo log as snapshots stay on the disk."""
    cnf = f"{CNF}loose_innodb_log_file_size=8M\n{self_test.planting_line(pct)}\n"
    return ContenderRequest(build.name, FIRST.name, f"planted-{pct}", preset_text=cnf)


def _build(survey: Survey, target: str) -> Build:
    build = canary_build(survey)
    if build is None:
        raise TargetError(
            f"{target} has no build with {FIRST.title} that starts: install mariadb-server there"
        )
    return build


def _core_sets(survey: Survey) -> tuple[int, ...] | None:
    """Core sets: all CPUs shared by server and load, and half of the cores for each."""
    cores = sum(map(len, survey.topology))
    return (len(cpus_in_server_order(survey.topology)), cores // 2) if cores > 1 else None
