"""Percentiles of a step's latency buckets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

PERCENTILES = (50, 95, 99)


def percentiles_for_sample_size(count: float) -> tuple[int, ...]:
    """Those of which at least one event lies in the tail: no p99 from 50 events."""
    return tuple(percent for percent in PERCENTILES if count * (100 - percent) >= 100)


def percentiles(buckets: Sequence[Any], latency_ms: dict[str, Any], events: float) -> list[float | None]:
    """p50, p95 and p99 in ms; null where there were too few events to tell."""
    counted = [(float(upper), float(count)) for upper, count in buckets]
    total = sum(count for _, count in counted)
    carried = percentiles_for_sample_size(total if counted else events)
    found: list[float | None] = []
    for percent in PERCENTILES:
        if percent not in carried:
            found.append(None)
        elif counted:
            found.append(_bound(counted, total * percent / 100))
        else:
            found.append(_number(latency_ms.get(f"p{percent}")))
    return found


def _bound(counted: Sequence[tuple[float, float]], wanted: float) -> float | None:
    """The upper bound of the bucket in which the wanted event lies."""
    seen = 0.0
    for upper, count in sorted(counted):
        seen += count
        if seen >= wanted:
            return upper
    return None


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None
