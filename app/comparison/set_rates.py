"""Steps at a rate that the plan sets: while it is kept, the result says nothing about who is faster."""

from __future__ import annotations

import json
from collections.abc import Iterable

from app.protocol.plan import RATE_MISSED, Plan

from .entries import RowEntry
from .rounds import Key

QPS = "queries/s"


def rates_of(plans: Iterable[Plan]) -> dict[Key, float]:
    """The rates (events a second) of the steps that have one."""
    return {
        (step.name, json.dumps(step.coordinates, sort_keys=True)): step.rate
        for plan in plans
        for step in plan.steps
        if step.rate
    }


def keep_rate(row: RowEntry, base: int, at: int) -> bool:
    """Whether both keep the rate of the plan, and are compared by it."""
    missed = any(RATE_MISSED in row["marks"][each] for each in (base, at))
    return row["rate"] is not None and row["unit"] == QPS and not missed
