"""The steps of a sequence at every point of their sweep, with settling, restart and bounds filled in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import takewhile

from app.catalog import Sequence, SequenceStep, StepVariation, Workload
from app.catalog.sequence import CoreSets
from app.core.errors import InputError
from app.core.nearest import did_you_mean
from app.planner.request.cores import ALL_CORES, CoreSet, Nodes, as_far_as_it_goes
from app.protocol.plan import ARRIVALS, COUNT, INSTRUCTIONS, LIMIT, PREPARING, QUERYING, Step

from .support import clients_of_load
from .sweep import SweepPoint, sweep_points

SETTLE_LEAST_S, SETTLE_MOST_S = 60, 1200  # a minute, and a second more for each million rows
_MAKERS = {
    "tables": "of kind load",
    "index": "of kind index",
    "texts": "that loads texts, like text-load,",
    "text-index": "of kind text-index",
}
_STARTERS = {"restarted": "restart", "snapshot": "snapshot"}  # a state -> the step that brings it about
SEARCH_S = 900  # a search for a limit, at most
GROWTH = 10  # without a limit, a step adds or deletes one in this many rows


@dataclass(frozen=True)
class StepDefaults:
    """Sizes and times for steps without their own."""

    tables: int
    rows: int
    seconds: int
    warmup: int
    threads: tuple[int, ...]
    cpu_threads: int
    load_method: str = "ordered"
    rates: tuple[int, ...] = ()  # events a second that are asked for; none: as many as there can be
    arrivals: str = ARRIVALS[0]  # of a rate
    cores: CoreSets = ()  # none: every step has all
    variations: tuple[StepVariation, ...] = ()  # of steps that have none of their own
    nodes: Nodes = field(default_factory=list)
    profile: tuple[str, ...] = ()  # steps to profile, besides those that say so
    own_cpus: bool = False  # server and load share none, in steps that have no core set

    @property
    def all_rows(self) -> int:
        return self.tables * self.rows


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
        used = next((each for each in steps[at + 1 :] if each.workload), None)
        changes = step.kind in PREPARING or (step.workload and workloads[step.workload].changes_rows)
        is_due = changes and used is not None and used.kind not in PREPARING
        yield replace(step, analyse=step.analyse or bool(is_due))


def load_table_count(workloads: Iterable[Workload]) -> int:
    """The number of tables of a load that creates its own; 0: the plan's."""
    loads = [each.tables for each in workloads if each.kind == "load"]
    return max(loads, default=0) if all(loads) else 0


def _kind(step: SequenceStep, workloads: Mapping[str, Workload]) -> str:
    return workloads[step.workload].kind if step.workload else step.kind


def _points(
    step: SequenceStep, workloads: Mapping[str, Workload], size: StepDefaults, later: list[SequenceStep]
) -> list[Step]:
    if step.kind == "settle":
        return [_settle(step.name, step, size)]
    if not step.workload:
        return [Step(step.name, step.kind, group="load", unit="s")]
    workload = workloads[step.workload]
    _check_limit(step, workload)
    if step.count is not None and (why := why_not_counted(workload)):
        raise InputError(f"step {step.name}: {why}")
    if workload.kind in PREPARING:
        return _prepare(step, workload, size)
    cores = as_far_as_it_goes(step.cores or (), size.nodes) or (() if step.warm else size.cores)
    if not step.warm:
        step = replace(step, variation=step.variation or size.variations)
    if workload.kind == "scan":  # to the end of all tables
        sweep = sweep_points(step, step.threads or (size.tables,), cores)
        return [_step(step, workload, each, size) for each in sweep]
    threads = (size.tables,) if step.per_table else step.threads or size.threads
    if step.count is not None:
        return [_counted(step, workload, size, each) for each in sweep_points(step, (1,), ())]
    if step.limit_ms is not None:
        return _searches(step, workload, size, sweep_points(step, threads, cores))
    rates = step.rate or (() if step.warm else size.rates)
    sweep = sweep_points(step, threads, cores, rates)
    bounds = _bounds(step, workload, size, len(sweep), _is_read(later, workloads))
    return [_step(step, workload, each, size, **bounds) for each in sweep]


def _check_limit(step: SequenceStep, workload: Workload) -> None:
    is_fit = workload.kind == "drive" and not workload.changes_rows and workload.figure == "rate"
    if step.limit_ms is not None and not is_fit:
        raise InputError(
            f"step {step.name}: limit_ms needs a workload that is driven, keeps its number of rows and counts"
            f" queries: {workload.name} does not"
        )


def why_not_counted(workload: Workload) -> str:
    """Why the instructions of a workload cannot be counted; '' if they can."""
    if workload.kind != "drive":
        return f"only what clients do by event is counted, and {workload.name} is of kind {workload.kind}"
    return ""


def _counted(step: SequenceStep, workload: Workload, size: StepDefaults, point: SweepPoint) -> Step:
    """One client, and its events: counting takes no seconds that could be compared."""
    whole = _step(step, workload, point, size, events=step.count or 0)
    varied = {name: value for name, value in whole.coordinates.items() if name != "threads"}
    return replace(whole, kind=COUNT, figure=INSTRUCTIONS, unit=INSTRUCTIONS, coordinates=varied)


def _searches(
    step: SequenceStep, workload: Workload, size: StepDefaults, sweep: list[SweepPoint]
) -> list[Step]:
    """Searches for the highest rate under a limit, one at each point."""
    bounds = _bounds(step, workload, size, len(sweep), is_read=False)
    return [
        replace(
            _step(step, workload, each, size, **bounds),
            kind=LIMIT,
            limit_ms=float(step.limit_ms or 0),
            cap_s=step.cap_s or SEARCH_S,
            arrivals=step.arrivals or size.arrivals,
        )
        for each in sweep
    ]


def _prepare(step: SequenceStep, workload: Workload, size: StepDefaults) -> list[Step]:
    """A step that prepares tables: one client per table; custom SQL uses one client."""
    method = size.load_method if workload.kind == "load" else "ordered"
    clients = 1 if workload.sql else clients_of_load(method, size.tables, size.cpu_threads)
    threads = step.threads[0] if step.threads else clients
    whole = replace(_step(step, workload, SweepPoint(threads), size), coordinates={})
    if step.increments is None:
        return [whole]
    if not workload.sql:
        raise InputError(f"step {step.name}: increments need a load of custom SQL")
    return list(data_load_increments(whole, step.increments, size.tables, size.rows, _cap_s(step, size)))


def _step(
    step: SequenceStep, workload: Workload, point: SweepPoint, size: StepDefaults, **bounds: int
) -> Step:
    given = _cores(workload, point, size)
    return Step(
        name=step.name,
        kind=workload.kind,
        workload=workload.name,
        group=workload.group,
        figure=workload.figure,
        unit=workload.unit,
        latency_per=workload.latency_per,
        lua=workload.lua,
        options={**workload.options, **_checked_options(step, workload, point)},
        ignore_errors=list(workload.ignore_errors),
        ignore_errors_by_engine=workload.ignore_errors_by_engine,
        coordinates=point.coordinates,
        rate=point.rate,
        arrivals=(step.arrivals or size.arrivals) if point.rate else ARRIVALS[0],
        threads=point.threads,
        warm=step.warm,
        writes=workload.writes,
        cores=given.server,
        load_cores=given.load,
        shared_cores=given.shared,
        variables=point.variation.variables,
        restart_with=point.variation.restart_with,
        key_caches=step.key_caches,
        profile=step.profile or step.name in size.profile,
        sliced=False,
        analyse=False,  # both known once all steps are
        **bounds,
    )


def _cores(workload: Workload, point: SweepPoint, size: StepDefaults) -> CoreSet:
    if point.cores:
        return CoreSet.of(point.cores, size.nodes)
    return CoreSet.apart(size.nodes) if size.own_cpus and workload.kind in QUERYING else ALL_CORES


def _checked_options(step: SequenceStep, workload: Workload, point: SweepPoint) -> dict[str, object]:
    said = {**step.options, **point.variation.options}
    for key, value in said.items():
        if key not in workload.options:
            known = ", ".join(workload.options) or "none"
            raise InputError(
                f"step {step.name}: the workload {workload.name} has no option {key}; it has {known}"
            )
        if type(value) is not type(workload.options[key]):
            kind = type(workload.options[key]).__name__
            raise InputError(f"step {step.name}: option {key} of {workload.name} must be of type {kind}")
    return said


def _bounds(
    step: SequenceStep, workload: Workload, size: StepDefaults, points: int, is_read: bool
) -> dict[str, int]:
    """Limits of a step; deletes, and changes before later reads, are limited by events."""
    if step.events is None and step.seconds is None and step.share is None:  # then custom SQL may say
        step = replace(step, events=workload.events, seconds=workload.seconds)
    is_timed = step.seconds is not None or step.share is not None
    is_read = is_read and workload.changes_rows
    if is_read and is_timed and step.events is None:
        raise InputError(
            f"step {step.name} changes the number of rows that later steps read: bound it by events, not by"
            " seconds, so that all contenders leave the same rows"
        )
    if step.events is None and not is_timed and (is_read or workload.removes_rows):
        return {"events": max(1, size.all_rows // GROWTH // points), "warmup": step.warmup or 0}
    if step.events is not None:
        return {"events": step.events, "seconds": step.seconds or 0, "warmup": step.warmup or 0}
    warmup = size.warmup if step.warmup is None else step.warmup
    return {"seconds": step.seconds or max(1, round(size.seconds * (step.share or 1))), "warmup": warmup}


def _is_read(later: list[SequenceStep], workloads: Mapping[str, Workload]) -> bool:
    """Whether a later step reads existing rows, not only adds or deletes."""
    return any(step.workload and not workloads[step.workload].changes_rows for step in later)


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


def _check_profile(names: Iterable[str], steps: list[Step]) -> None:
    known = list(dict.fromkeys(step.name for step in steps if step.workload))
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


# loads of several steps: in increments, or again before each point of a sweep


def data_load_increments(load: Step, count: int, tables: int, rows: int, cap_s: int) -> Iterator[Step]:
    """Parts of a load, each followed by a settle step whose result is the database size."""
    if rows < count:
        raise InputError(f"step {load.name}: cannot load {rows:,} rows in {count:,} increments")
    for part in range(1, count + 1):
        before, after = rows * (part - 1) // count, rows * part // count
        options = {**load.options, "table_size": after, "rows_before": before}
        coordinates = {"volume_rows": tables * after}
        yield replace(load, options=options, coordinates=coordinates)
        settled = Step("size", "settle", group="load", figure="size", unit="bytes", cap_s=cap_s)
        yield replace(settled, coordinates=coordinates)


def points_with_loads(
    step: SequenceStep, points: list[Step], earlier: list[Step], start: str
) -> Iterator[Step]:
    """The points of a step, with load and following steps before the first or each of them."""
    loaded = earlier[: first_measured_index(earlier)]
    if not loaded or any("rows_before" in each.options for each in loaded):
        raise InputError(f"step {step.name}: reload needs one load step before it")
    if start != "loaded":
        raise InputError(
            f"step {step.name} loads its tables again, which the start {start} does not allow: choose the"
            " start loaded, or a sequence that loads once"
        )
    is_fresh = len(loaded) == len(earlier)
    for at, point in enumerate(points):
        if not is_fresh and (at == 0 or step.reload == "each"):
            for each in loaded:
                yield replace(each, name=f"{each.name}.{point.name}", coordinates=point.coordinates)
        is_fresh = False
        yield point


def first_measured_index(steps: list[Step]) -> int:
    """The index of the first step after the load and what belongs to it."""
    return next((at for at, step in enumerate(steps) if step.kind not in (*PREPARING, "settle")), len(steps))
