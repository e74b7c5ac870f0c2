"""The duel: the comparison that Bench offers before anything is chosen."""

from __future__ import annotations

from dataclasses import replace

from app.core.errors import TargetError
from app.engines import DUEL
from app.planner.request.contender import ContenderRequest
from app.planner.request.request import PlanRequest
from app.planner.request.slicing import slices_problem
from app.protocol.answers import Survey
from app.protocol.plan import SLICES, UNTIL_DECIDED

SEQUENCE = "duel"
ENGINES = tuple(each.name for each in DUEL)
ROUNDS = 6
LEAST_BYTES = 3 << 29  # of memory, for two servers at once with the caches of their presets
_STEPS = ("point-query", "read-only", "update-index", "insert")  # of the sequence
_PLAIN = PlanRequest(sequence=SEQUENCE)
_DUEL = replace(_PLAIN, steps=_STEPS, seconds=4, repeats=ROUNDS, order=SLICES, start="snapshot")


def duel(survey: Survey, request: PlanRequest) -> PlanRequest:
    """The duel on the target of a request; in slices where the memory is enough for two servers."""
    target, contenders = request.target, duelists(survey, request.target)
    order = order_by_memory(survey)
    made = replace(_DUEL, name=request.name, target=target, contenders=contenders, order=order)
    return replace(made, allow_busy=request.allow_busy, allow_small_disk=request.allow_small_disk)


def order_by_memory(survey: Survey) -> str:
    """Slices where the memory is enough for servers side by side, else whole sessions."""
    return SLICES if (survey.memory_bytes or 0) >= LEAST_BYTES else "interleaved"


def duel_of(request: PlanRequest) -> PlanRequest:
    """The duel's own steps, seconds, start and order for contenders that a person chose."""
    made = replace(request, sequence=SEQUENCE, steps=_STEPS, seconds=_DUEL.seconds, start=_DUEL.start)
    if slices_problem(made):
        return made
    repeats = ROUNDS if request.repeats == UNTIL_DECIDED else request.repeats
    return replace(made, order=SLICES, repeats=repeats)


def is_untouched(request: PlanRequest) -> bool:
    """Whether a person has chosen only target and contenders so far."""
    bare = replace(request, target=_DUEL.target, contenders=(), allow_busy=False, allow_small_disk=False)
    plain = (PlanRequest(), _PLAIN, replace(_PLAIN, repeats=UNTIL_DECIDED))  # the window's repeats
    return bare in (*plain, _DUEL, replace(_DUEL, order="interleaved"))


def duelists(survey: Survey, target: str) -> tuple[ContenderRequest, ...]:
    """InnoDB and MyRocks of the first build that has both and can start."""
    for build in survey.builds:
        if build.has(*ENGINES):
            return tuple(ContenderRequest(build.name, engine) for engine in ENGINES)
    raise TargetError(
        f"{target} has no build with InnoDB and RocksDB:"
        " install mariadb-server and mariadb-plugin-rocksdb there"
    )
