"""A step at one point of its sweep, with what the plan says where it says nothing."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TypedDict, Unpack

from app.catalog import SequenceStep, StepVariation, Workload
from app.catalog.amounts import CoreSets, replica_number
from app.core.errors import InputError
from app.planner.request.cores import ALL_CORES, CoreSet, Nodes, as_far_as_it_goes
from app.protocol.plan import ARRIVALS, QUERYING, Step

from .sweep import SweepPoint

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


class StepBounds(TypedDict, total=False):
    """Where a step ends; what is left out is not a limit."""

    seconds: int
    events: int
    warmup: int


def swept_step(step: SequenceStep, size: StepDefaults) -> tuple[SequenceStep, CoreSets]:
    """The step with its variations, and its cores: the plan's where it has none of its own."""
    cores = as_far_as_it_goes(step.cores or (), size.nodes) or (() if step.warm else size.cores)
    variations = step.variation or (() if step.warm else size.variations)
    return replace(step, variation=variations), cores


def step_at(
    step: SequenceStep,
    workload: Workload,
    point: SweepPoint,
    size: StepDefaults,
    **bounds: Unpack[StepBounds],
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
        conditions=list(workload.condition),
        figure_kind=workload.figure_kind,
        on=replica_number(step.on),
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


def step_bounds(
    step: SequenceStep, workload: Workload, size: StepDefaults, points: int, is_read: bool
) -> StepBounds:
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
