"""Steps at a rate that the plan sets: their QPS is that rate on a fast and on a slow server."""

from __future__ import annotations

from collections.abc import Iterable

from app.comparison.cells.cell import Row
from app.protocol.plan import Plan, Step, keeps_rate

from .rounds import Key, key_of


def set_rates_of(plans: Iterable[Plan]) -> dict[Key, float]:
    """The rates (events a second) of the steps that have one."""
    return {
        key_of(step): rate
        for plan in plans
        for index, step in enumerate(plan.steps)
        if (rate := plan.set_rate(index))
    }


def other_role_keys(plans: Iterable[Plan]) -> set[Key]:
    """The steps that are roles of others."""
    return {key_of(step) for plan in plans for step in plan.steps if step.beside}


def alone_of(plans: Iterable[Plan]) -> dict[Key, Key]:
    """The roles whose work another step of the plan does without the others, and that step."""
    found: dict[Key, Key] = {}
    for plan in plans:
        alone = {_work_of(step): key_of(step) for step in plan.steps if not step.role and step.workload}
        roles = (step for step in plan.steps if step.role)
        found |= {key_of(role): alone[_work_of(role)] for role in roles if _work_of(role) in alone}
    return found


def _work_of(step: Step) -> tuple[object, ...]:
    options = tuple(sorted((name, str(value)) for name, value in step.options.items()))
    return step.workload, options, step.threads, step.rate, step.arrivals


def both_keep_rate(row: Row, base: int, at: int) -> bool:
    """Whether both keep the rate of the plan, and are compared by their QPS."""
    return keeps_rate(row.rate, row.unit, [*row.cells[base].marks, *row.cells[at].marks])
