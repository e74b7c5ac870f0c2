"""A step with roles: one step of the plan for each of them, at each point of its sweep.

An operation comes first, without a workload: all of its roles work for the same time.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from app.catalog import SequenceRole, SequenceStep, StepVariation, Workload
from app.catalog.operations import LONG
from app.core.errors import InputError
from app.protocol.plan import TIME, Step
from app.protocol.sysbench import LEDGER

from .step_point import StepBounds, StepDefaults, step_at, step_bounds, swept_step
from .sweep import SweepPoint, sweep_points

OPERATION_GROUP = "operations"
USUAL_CAP_S = 3600  # of an operation that may take longer than its roles work
REDEFINED = (1412, 1615)  # errors by which servers say that the table has changed: the event begins again


def role_steps(
    step: SequenceStep, workloads: Mapping[str, Workload], size: StepDefaults, is_read: bool
) -> list[Step]:
    """The roles at each point, that of the figure first."""
    for role in step.role:
        _check_role(step, role, workloads[role.workload], is_read)
    if sum(workloads[role.workload].lua == LEDGER for role in step.role) > 1:
        raise InputError(f"step {step.name}: two roles cannot keep one ledger: leave all but one out")
    step, cores = swept_step(step, size)
    if step.is_operation:
        step = replace(step, variation=tuple(map(_started_with, step.variation)))
    clients = {role.name: role.threads for role in step.role}
    clients.update({role.name: clients[role.follows] for role in step.role if role.follows})
    own = clients[step.roles[0].name] if all(clients.values()) else None
    sweep = sweep_points(step, (own,) if own else step.threads or size.threads, cores)
    bounds = _bounds_of_roles(step, workloads, size, len(sweep), is_read)
    found: list[Step] = []
    for point in sweep:
        found += [_operation(step, point, size)] if step.is_operation else []
        found += [
            _role(step, role, workloads[role.workload], point, size, clients[role.name], bounds[role.name])
            for role in step.roles
        ]
    if not step.is_operation:
        _check_time(step, found)
    return found


def _started_with(variation: StepVariation) -> StepVariation:
    """Variables of an operation are options: those that are set while a server is up go with it."""
    return replace(variation, variables={}, restart_with={**variation.variables, **variation.restart_with})


def _operation(step: SequenceStep, point: SweepPoint, size: StepDefaults) -> Step:
    return Step(
        step.name,
        step.kind,
        group=OPERATION_GROUP,
        unit="s",
        figure=TIME,
        threads=0,
        coordinates=point.coordinates,
        seconds=step.seconds or size.seconds,
        warmup=size.warmup if step.warmup is None else step.warmup,
        restart_with=point.variation.restart_with,
        after=step.after or size.seconds,
        again_after_ms=step.again_after_ms or 0,
        cold=step.cold,
        statement=step.statement,
        algorithm=step.algorithm,
        tool=step.tool,
        cap_s=(step.cap_s or USUAL_CAP_S) if step.kind in LONG else 0,
    )


def _check_role(step: SequenceStep, role: SequenceRole, workload: Workload, is_read: bool) -> None:
    if workload.kind != "drive":
        raise InputError(
            f"step {step.name}: the role {role.name} needs a workload that is driven, and {workload.name} is"
            f" of kind {workload.kind}"
        )
    if step.is_operation and is_read and workload.changes_rows:
        raise InputError(
            f"step {step.name}: the role {role.name} changes the number of rows that later steps read, and"
            f" each contender has others after a {step.kind}: choose another workload, or let it come last"
        )
    leader = next((each for each in step.role if each.name == role.follows), role)
    is_open = role is step.roles[0] and not any(each.is_bounded for each in step.role)
    is_exact = leader.is_waited_for and leader.events is not None
    if is_read and workload.changes_rows and not is_exact and not is_open:
        raise InputError(
            f"step {step.name}: the role {role.name} changes the number of rows that later steps read: bound"
            " it by events, and let the step wait for it, so that all contenders leave the same rows"
        )


def _bounds_of_roles(
    step: SequenceStep, workloads: Mapping[str, Workload], size: StepDefaults, points: int, is_read: bool
) -> dict[str, StepBounds]:
    """The limits of each role; where none has any, the figure's ends like a step without roles."""
    if step.is_operation:
        whole = _operation(step, SweepPoint(0), size)
        alike: StepBounds = {"seconds": whole.after + whole.seconds, "warmup": whole.warmup}
        return {role.name: alike for role in step.role}
    first = step.roles[0]
    found = {role.name: _own_bounds(role, size) for role in step.role}
    if not any(each.is_bounded for each in step.role):
        alone = _as_step(step, first)
        found[first.name] = step_bounds(alone, workloads[first.workload], size, points, is_read)
    warmup = 0 if any(each.get("events") for each in found.values()) else size.warmup
    warmup = warmup if step.warmup is None else step.warmup
    return {name: {**each, "warmup": warmup} for name, each in found.items()}


def _check_time(step: SequenceStep, roles: Iterable[Step]) -> None:
    """Refuse a time limit in which a role cannot do its part at the rate that it has."""
    for role in roles:
        needed = max(role.seconds, role.events / role.sent_rate if role.rate else 0.0) + role.warmup
        if step.cap_s and role.ends and needed > step.cap_s:
            raise InputError(
                f"step {step.name}: the role {role.role} takes {needed:,.0f} s, and cap_s ends the step after"
                f" {step.cap_s:,} s: choose fewer seconds or events, or a longer cap_s"
            )


def _own_bounds(role: SequenceRole, size: StepDefaults) -> StepBounds:
    seconds = max(1, round(size.seconds * role.share)) if role.share else role.seconds or 0
    return {"seconds": seconds, "events": role.events or 0}


def _as_step(step: SequenceStep, role: SequenceRole) -> SequenceStep:
    """A role like a step of its own."""
    return replace(
        step,
        name=step.name_in_plan(role),
        workload=role.workload,
        options=role.options,
        arrivals=role.arrivals,
        on=role.on,
        profile=step.profile and role is step.roles[0],
        role=(),
        figure="",
    )


def _role(
    step: SequenceStep,
    role: SequenceRole,
    workload: Workload,
    point: SweepPoint,
    size: StepDefaults,
    clients: int | None,
    bounds: StepBounds,
) -> Step:
    is_first = role is step.roles[0] and not step.is_operation
    own = replace(point, threads=clients or point.threads, rate=role.rate or 0)
    made = step_at(_as_step(step, role), workload, own, size, **bounds)
    redefined = REDEFINED if step.kind == "ddl" else ()
    return replace(
        made,
        ignore_errors=[*made.ignore_errors, *redefined],
        coordinates=point.coordinates,  # the same of all roles: they are one point
        cap_s=step.cap_s or 0 if is_first else 0,
        role=role.name,
        beside=not is_first,
        ends=bool(bounds.get("seconds") or bounds.get("events")) and role.ends is not False,
        follows=role.follows,
        apart=role.apart or 0,
        least_pct=float(role.level.get("rate", 0)),
        most_p99_ms=float(role.level.get("p99_ms", 0)),
    )
