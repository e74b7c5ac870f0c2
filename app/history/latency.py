"""Percentiles of a step's latency buckets."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate
from typing import Any

PERCENTILES = (50, 95, 99)


def carries(count: float, percent: float) -> bool:
    """Whether so many events put at least one beyond the percentile: no p99 from 50 events."""
    return count * round(100 - percent, 9) >= 100


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


def distribution(buckets: Sequence[Any], percents: Sequence[float]) -> list[float]:
    """The ascending percentiles that the events support: upper bounds of their buckets."""
    counted = sorted((float(upper), float(count)) for upper, count in buckets)
    seen = list(accumulate(count for _, count in counted))
    total = seen[-1] if seen else 0.0
    carried = [percent for percent in percents if carries(total, percent)]
    return [counted[bisect_left(seen, total * percent / 100)][0] for percent in carried]


def as_number(value: Any) -> float | None:
    """A value of a journal as a number, if it is one."""
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None
