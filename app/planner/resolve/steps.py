"""The steps of a sequence at every point of their sweep, with settling, restart and bounds filled in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import takewhile

from app.catalog import Sequence, SequenceStep, Workload
from app.core.errors import InputError
from app.core.nearest import did_you_mean
from app.protocol.plan import COUNT, EACH_SECOND, INSTRUCTIONS, LIMIT, PREPARING, Step

from .loads import data_load_increments, first_measured_index, points_with_loads
from .roles import role_steps
from .step_point import StepDefaults, step_at, step_bounds, swept_step
from .support import clients_of_load
from .sweep import SweepPoint, sweep_points

SETTLE_LEAST_S, SETTLE_MOST_S = 60, 1200  # a minute, and a second more for each million rows
_MAKERS = {
    "tables": "of kind load",
    "index": "of kind index",
    "texts": "that loads texts, like text-load,",
    "text-index": "of kind text-index",
    "purchases": "that loads purchases, like insert-benchmark-load,",
    "purchases-index": "that builds their indexes, like insert-benchmark-index,",
    "orders": "that loads orders, like orders-load,",
    "accounts": "that loads accounts, like accounts-load,",
}
_STARTERS = {"restarted": "restart", "snapshot": "snapshot"}  # a state -> the step that brings it about
SEARCH_S = 900  # a search for a limit, at most


def chosen_steps(
    sequence: Sequence, ticked: tuple[str, ...], workloads: Mapping[str, Workload]
) -> list[SequenceStep]:
    """The chosen steps, or all; load and index always belong to them."""
    known = [step.name for step in sequence.steps]
    for name in ticked:
        if name not in known:
            no_step = f"no step {name}{did_you_mean(name, known)}"
            raise InputError(f"the sequence {sequence.name} has {no_step}; choose one of {', '.join(known)}")
    return [
        step
        for step in sequence.steps
        if not ticked or step.name in ticked or _kind(step, workloads) in PREPARING
    ]


def resolve_steps(
    chosen: list[SequenceStep], workloads: Mapping[str, Workload], size: StepDefaults, start: str = "loaded"
) -> list[Step]:
    """Every step in order, as the agent carries it out."""
    found: list[Step] = []
    for at, step in enumerate(chosen):
        later = chosen[at + 1 :]
        if step.settle_before and _has_written(found):
            found.append(_settle(f"settle.before-{step.name}", step, size))
        driven = _points(step, workloads, size, later)
        driven = [replace(each, check=step.check and not each.beside) for each in driven]
        found += list(points_with_loads(step, driven, found, start)) if step.reload else driven
        if step.settle_after:
            found.append(_settle(f"settle.{step.name}", step, size))
    if start in _STARTERS:
        name = _STARTERS[start]
        restart = Step(name, "restart", group="load", unit="s", analyse=start == "snapshot")
        found.insert(first_measured_index(found), restart)
    if any(each.kind == COUNT for each in found):  # the load is of the snapshot, and nothing to compare
        found = [replace(each, warm=each.warm or each.kind in PREPARING) for each in found]
    _check_needs(found, workloads)
    _check_conditions(found)
    _check_names(found)
    _check_profile(size.profile, found)
    return list(_analysed(found, workloads))


def _has_written(steps: list[Step]) -> bool:
    """Whether anything since the last settling may still have to be flushed, compacted or purged."""
    since = takewhile(lambda each: each.kind != "settle", reversed(steps))
    return any(each.writes or each.kind in PREPARING for each in since)


def _analysed(steps: list[Step], workloads: Mapping[str, Workload]) -> Iterator[Step]:
    """The same steps, with ANALYZE TABLE after those that change rows or indexes which a later step uses."""
    for at, step in enumerate(steps):
        roles = [step, *takewhile(lambda each: each.beside, steps[at + 1 :])]
        used = next((each for each in steps[at + len(roles) :] if each.workload), None)
        changes = any(each.workload and workloads[each.workload].changes_rows for each in roles)
        is_due = (changes or step.kind in PREPARING) and used is not None and used.kind not in PREPARING
        yield replace(step, analyse=step.analyse or (is_due and not step.beside))


def load_table_count(workloads: Iterable[Workload]) -> int:
    """The number of tables of a load that creates its own; 0: the plan's."""
    loads = [each.tables for each in workloads if each.kind == "load"]
    return max(loads, default=0) if all(loads) else 0


def _kind(step: SequenceStep, workloads: Mapping[str, Workload]) -> str:
    return workloads[step.main_workload].kind if step.main_workload else step.kind


def _points(
    step: SequenceStep, workloads: Mapping[str, Workload], size: StepDefaults, later: list[SequenceStep]
) -> list[Step]:
    if step.kind == "settle":
        return [_settle(step.name, step, size)]
    if step.role:
        return role_steps(step, workloads, size, _is_read(later, workloads))
    if not step.workload:
        return [Step(step.name, step.kind, group="load", unit="s")]
    workload = workloads[step.workload]
    _check_limit(step, workload)
    if step.count is not None and (why := why_not_counted(workload)):
        raise InputError(f"step {step.name}: {why}")
    if workload.kind in PREPARING:
        return _prepare(step, workload, size)
    step, cores = swept_step(step, size)
    if workload.kind == "scan":  # to the end of all tables
        sweep = sweep_points(step, step.threads or (size.tables,), cores)
        return [step_at(step, workload, each, size) for each in sweep]
    threads = (size.tables,) if step.per_table else step.threads or size.threads
    if step.count is not None:
        return [_counted(step, workload, size, each) for each in sweep_points(step, (1,), ())]
    if step.limit_ms is not None:
        return _searches(step, workload, size, sweep_points(step, threads, cores))
    rates = step.rate or (() if step.warm else size.rates)
    sweep = sweep_points(step, threads, cores, rates)
    bounds = step_bounds(step, workload, size, len(sweep), _is_read(later, workloads))
    return [step_at(step, workload, each, size, **bounds) for each in sweep]


def _check_limit(step: SequenceStep, workload: Workload) -> None:
    is_fit = workload.kind == "drive" and not workload.changes_rows and workload.figure == "rate"
    if step.limit_ms is not None and workload.figure_kind:
        kind = f"the figure of {workload.name} is that of one kind of events, {workload.figure_kind}"
        raise InputError(f"step {step.name}: {kind}, and a search for a limit does not tell kinds apart")
    if step.limit_ms is not None and not is_fit:
        raise InputError(
            f"step {step.name}: limit_ms needs a workload that is driven, keeps its number of rows and counts"
            f" queries: {workload.name} does not"
        )


def why_not_counted(workload: Workload) -> str:
    """Why the instructions of a workload cannot be counted; '' if they can."""
    if workload.figure_kind:
        kind = f"its figure is that of one kind of events, {workload.figure_kind}"
        return f"{kind}, and a count does not tell kinds apart"
    if workload.kind != "drive":
        return f"only what clients do by event is counted, and {workload.name} is of kind {workload.kind}"
    return ""


def _counted(step: SequenceStep, workload: Workload, size: StepDefaults, point: SweepPoint) -> Step:
    """One client, and its events: counting takes no seconds that could be compared."""
    whole = step_at(step, workload, point, size, events=step.count or 0)
    varied = {name: value for name, value in whole.coordinates.items() if name != "threads"}
    return replace(whole, kind=COUNT, figure=INSTRUCTIONS, unit=INSTRUCTIONS, coordinates=varied)


def _searches(
    step: SequenceStep, workload: Workload, size: StepDefaults, sweep: list[SweepPoint]
) -> list[Step]:
    """Searches for the highest rate under a limit, one at each point."""
    if (arrivals := step.arrivals or size.arrivals) == EACH_SECOND:
        raise InputError(f"step {step.name} searches a rate, whose arrivals are poisson or even: choose one")
    bounds = step_bounds(step, workload, size, len(sweep), is_read=False)
    return [
        replace(
            step_at(step, workload, each, size, **bounds),
            kind=LIMIT,
            limit_ms=float(step.limit_ms or 0),
            cap_s=step.cap_s or SEARCH_S,
            arrivals=arrivals,
        )
        for each in sweep
    ]


def _prepare(step: SequenceStep, workload: Workload, size: StepDefaults) -> list[Step]:
    """A step that prepares tables: one client per table; custom SQL uses one client."""
    method = size.load_method if workload.kind == "load" else "ordered"
    clients = 1 if workload.sql else clients_of_load(method, size.tables, size.cpu_threads)
    threads = step.threads[0] if step.threads else clients
    whole = replace(step_at(step, workload, SweepPoint(threads), size), coordinates={})
    if step.increments is None:
        return [whole]
    if not workload.sql:
        raise InputError(f"step {step.name}: increments need a load of custom SQL")
    return list(data_load_increments(whole, step.increments, size.tables, size.rows, _cap_s(step, size)))


def _is_read(later: list[SequenceStep], workloads: Mapping[str, Workload]) -> bool:
    """Whether a later step reads existing rows, not only adds or deletes."""
    return any(not workloads[name].changes_rows for step in later for name in step.workloads)


def _settle(name: str, step: SequenceStep, size: StepDefaults) -> Step:
    return Step(name, "settle", group="load", unit="s", cap_s=_cap_s(step, size))


def _cap_s(step: SequenceStep, size: StepDefaults) -> int:
    return step.cap_s or min(SETTLE_MOST_S, SETTLE_LEAST_S + size.all_rows // 1_000_000)


def _check_needs(steps: list[Step], workloads: Mapping[str, Workload]) -> None:
    there: set[str] = set()
    for step in steps:
        if not step.workload:
            continue
        for need in workloads[step.workload].needs:
            if need not in there:
                raise InputError(f"step {step.name} needs a step {_MAKERS[need]} before it")
        there.add(workloads[step.workload].makes)


def _check_conditions(steps: list[Step]) -> None:
    for at, step in enumerate(steps):
        if step.check and not any(each.conditions for each in steps[:at]):
            raise InputError(
                f"step {step.name} has check = true, and no load before it has conditions: leave it out"
            )


def _check_profile(names: Iterable[str], steps: list[Step]) -> None:
    known = list(dict.fromkeys(step.name for step in steps if step.workload and not step.beside))
    for name in names:
        if name not in known:
            meant, there = did_you_mean(name, known), ", ".join(known)
            raise InputError(f"step {name} cannot be profiled{meant}: choose one of {there}", "profile")


def _check_names(steps: list[Step]) -> None:
    seen: set[str] = set()
    for step in steps:
        if step.label in seen:
            raise InputError(f"two steps have the name {step.label}: rename one in the sequence")
        seen.add(step.label)
