"""Percentiles of a step's latency buckets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from app.stats.percentiles import carries, distribution

PERCENTILES = (50, 95, 99)


def percentiles_for_sample_size(count: float) -> tuple[int, ...]:
    """The percentiles that this number of events supports."""
    return tuple(percent for percent in PERCENTILES if carries(count, percent))


def percentiles(buckets: Sequence[Any], latency_ms: dict[str, Any], events: float) -> list[float | None]:
    """p50, p95 and p99 in ms; null if there were too few events."""
    if buckets:
        found = distribution(buckets, PERCENTILES)
        return [*found, *[None] * (len(PERCENTILES) - len(found))]
    carried = percentiles_for_sample_size(events)
    return [as_number(latency_ms.get(f"p{each}")) if each in carried else None for each in PERCENTILES]


def as_number(value: Any) -> float | None:
    """A value of a journal as a number, if it is one."""
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None
