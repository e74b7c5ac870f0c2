"""The order slices: who may take part, which steps are cut into slices, and why others are not."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from app.catalog import SequenceStep
from app.core.errors import InputError
from app.engines import engine_of
from app.history.machines.calibration import SEQUENCE as CALIBRATION
from app.protocol.answers import PASS, WARN, Check
from app.protocol.plan import LIMIT, SLICES, Contender, Plan, Step
from app.protocol.sysbench import lua_with_required

from .request import PlanRequest

FEWEST, MOST = 2, 4  # contenders
SWITCH_S = 0.06  # assumed time of a change between contenders
SLICE_S = 0.25  # the shortest one
SLOW_S = 0.5  # an event, on average; if it takes longer, the agent does not slice
MANY = 256  # clients that may wait too long for a slice, without a rate
_BY_WORK = "as long as the work takes"
_BY_SEARCH = "searches a rate for each server"
_DYNO = "workloads/dyno.lua"
_OWN_RUN = re.compile(r"^(?!\s*--).*\bthread_run\b", re.MULTILINE)  # not in a comment


def check_slices(request: PlanRequest) -> None:
    """Raise InputError if contenders cannot alternate within steps."""
    if request.order == SLICES and (problem := slices_problem(request)):
        raise InputError(": ".join(problem), "order")


def slices_problem(request: PlanRequest) -> tuple[str, str] | None:
    """Why its contenders cannot alternate within steps, and what to do."""
    count, whole = len(request.contenders), "choose the order interleaved"
    if not FEWEST <= count <= MOST:
        more = "more" if count < FEWEST else "fewer"
        what = f"the order slices needs {FEWEST} to {MOST} servers, not {count}"
        return what, f"choose {more}, or the order interleaved"
    if 0 < sum(bool(each.server) for each in request.contenders) < count:
        return "the order slices cannot mix builds and servers that run already", whole
    if request.repeat_if_disturbed:
        what = "the order slices cannot repeat disturbed steps"
        return what, f"leave 'repeat if disturbed' out, or {whole}"
    if request.sequence == CALIBRATION:
        return "a calibration measures the noise of whole sessions", whole
    return None


def name_with_roles(steps: Iterable[SequenceStep]) -> str:
    """The first step that has roles; '' if none has."""
    return next((step.name for step in steps if step.role), "")


def roles_problem(name: str) -> tuple[str, str]:
    """Why a step with roles is not cut into slices, and what to do."""
    return (
        f"step {name} has roles, which the order slices cannot cut",
        "choose the order interleaved",
    )


def servers_at_once(asked: PlanRequest | Plan) -> int:
    """Servers that run at the same time: all of a round in slices, else one."""
    return max(1, len(asked.contenders)) if asked.order == SLICES else 1


def with_slices(
    steps: Sequence[Step], contenders: Sequence[Contender], files: Mapping[str, str]
) -> list[Step]:
    """The steps, sliced unless a reason is against it."""
    return [replace(step, sliced=not _why_whole(step, contenders, files)) for step in steps]


def slices_check(plan: Plan) -> list[Check]:
    """A check that names sliced steps, and the others with their reasons."""
    if plan.order != SLICES:
        return []
    driven = [step for step in plan.steps if step.workload]
    sliced = dict.fromkeys(step.name for step in driven if step.sliced)
    whole: dict[str, dict[str, None]] = {}
    for step in driven:
        if not step.sliced:
            why = _why_whole(step, plan.contenders, plan.files)
            whole.setdefault(why, {})[step.name] = None
    rest = "; ".join(f"{', '.join(names)} ({why})" for why, names in whole.items())
    if not sliced:
        todo = "choose the order interleaved, which gives each server the whole memory"
        return [Check("slices", WARN, f"the servers never take turns within a step: {rest}", todo)]
    text = f"the servers take turns, up to four a second, in {', '.join(sliced)}"
    whole_too = f"they run one after the other in {rest}" if rest else ""
    return [Check("slices", PASS, "; ".join(filter(None, (text, whole_too, _slow_text(driven)))))]


def _slow_text(steps: Sequence[Step]) -> str:
    """The text on steps whose warm-up decides whether they can be sliced."""
    slow = [step.threads for step in steps if step.sliced and step.threads >= MANY and not step.rate]
    if not slow:
        return ""
    return (
        f"with {min(slow)} threads or more they run one after the other where an event takes"
        f" longer than {SLOW_S:g} s on average in the warm-up"
    )


def _why_whole(step: Step, contenders: Sequence[Contender], files: Mapping[str, str]) -> str:
    """Why a step is not sliced; '' if it is."""
    if step.kind == LIMIT:
        return _BY_SEARCH
    if step.kind != "drive":
        return _BY_WORK
    if step.events or not step.seconds:
        return "bounded by events"
    if step.comes_each_second:
        return "its rate comes each second"
    engines = dict.fromkeys(each.engine for each in contenders)
    refusals = (engine_of(each).no_slices(step.workload, step.writes) for each in engines)
    return _why_not_gated(step, files) or next(filter(None, refusals), "")


def check_rates(steps: Sequence[Step], files: Mapping[str, str]) -> None:
    """Raise InputError for a workload that cannot have a rate or roles: they replace its thread_run."""
    for step in steps:
        why = _why_not_gated(step, files) if step.rate or step.limit_ms or step.role else ""
        if why and step.role:
            raise InputError(f"step {step.name} cannot have roles: {why}; choose another workload", "steps")
        if why:
            raise InputError(f"step {step.name} cannot have a rate: {why}; leave rate out", "rate")


def _why_not_gated(step: Step, files: Mapping[str, str]) -> str:
    """Why a workload cannot use the gate, which replaces thread_run and needs dyno.lua."""
    lua = lua_with_required([step.lua], files.get)
    if _DYNO not in lua:
        return "its Lua does not use dyno.lua"
    own = next((name for name, text in lua.items() if _OWN_RUN.search(text)), "")
    return f"{own.removeprefix('workloads/')} has its own thread_run" if own else ""
