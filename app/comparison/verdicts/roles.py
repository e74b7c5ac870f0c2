"""Steps that are roles of others, and those that do the work of a role alone."""

from __future__ import annotations

from collections.abc import Iterable

from app.protocol.plan import Plan, Step

from .rounds import Key, key_of


def other_role_keys(plans: Iterable[Plan]) -> set[Key]:
    """The steps that are roles of others, or kinds of their events."""
    return {key_of(step) for plan in plans for step in plan.steps if step.beside}


def alone_of(plans: Iterable[Plan]) -> dict[Key, Key]:
    """The roles whose work another step of the plan does without the others, and that step."""
    found: dict[Key, Key] = {}
    for plan in plans:
        alone = {_work_of(step): key_of(step) for step in plan.steps if not step.role and step.workload}
        roles = (step for step in plan.steps if step.role and not step.event_kind)
        found |= {key_of(role): alone[_work_of(role)] for role in roles if _work_of(role) in alone}
    return found


def _work_of(step: Step) -> tuple[object, ...]:
    options = tuple(sorted((name, str(value)) for name, value in step.options.items()))
    return step.workload, options, step.threads, step.rate, step.arrivals
