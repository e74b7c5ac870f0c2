"""Percentiles of events that are counted by bucket."""

from __future__ import annotations

from bisect import bisect_left
from itertools import accumulate
from typing import List, Optional, Sequence

from app.protocol.latency import Counts, buckets_of


def carries(count: float, percent: float) -> bool:
    """Whether so many events put at least one beyond the percentile: no p99 from 50 events."""
    return count * round(100 - percent, 9) >= 100


def distribution(buckets: Sequence[Sequence[float]], percents: Sequence[float]) -> List[float]:
    """The ascending percentiles that the events support: upper bounds of their buckets."""
    counted = sorted((float(upper), float(count)) for upper, count in buckets)
    seen = list(accumulate(count for _, count in counted))
    total = seen[-1] if seen else 0.0
    carried = [percent for percent in percents if carries(total, percent)]
    return [counted[bisect_left(seen, total * percent / 100)][0] for percent in carried]


def percentiles_of(counts: Counts, percents: Sequence[float]) -> List[Optional[float]]:
    """The ascending percentiles of these events in ms; None where there are too few events."""
    found = distribution(buckets_of(counts), percents)
    return [*found, *[None] * (len(percents) - len(found))]
