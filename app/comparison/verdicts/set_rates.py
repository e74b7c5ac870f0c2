"""Steps at a rate that the plan sets: their QPS is that rate on a fast and on a slow server."""

from __future__ import annotations

from collections.abc import Iterable

from app.comparison.cells.cell import Row
from app.protocol.plan import Plan, keeps_rate

from .rounds import Key, key_of


def set_rates_of(plans: Iterable[Plan]) -> dict[Key, float]:
    """The rates (events a second) of the steps that have one."""
    return {
        key_of(step): rate
        for plan in plans
        for index, step in enumerate(plan.steps)
        if (rate := plan.set_rate(index))
    }


def both_keep_rate(row: Row, base: int, at: int) -> bool:
    """Whether both keep the rate of the plan, and are compared by their QPS."""
    return keeps_rate(row.rate, row.unit, [*row.cells[base].marks, *row.cells[at].marks])
