"""How far the replicas of a step were behind, as one figure that steps can be compared by."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from app.protocol.checked.facts import ExistingServerStep, ReplicaLagOfStep
from app.protocol.reading import read

from .step_text import AT_LEAST, LAG_LOST


@dataclass(frozen=True)
class LagOfSlowestReplica:
    """The largest median of a replica: a step has a lag a second, too few for a percentile near their end."""

    ms: float
    resolution_ms: float  # of a smaller difference nothing is known
    marks: tuple[str, ...]  # why another replica, or this one, may have been further behind


def lag_of_slowest_replica(existing: Mapping[str, Any] | None) -> LagOfSlowestReplica | None:
    """From what a step says of a server that runs already; None without replicas, or any lag of theirs."""
    lags = read(ExistingServerStep, existing).lags if existing and existing.get("lags") else []
    medians = [each.median_ms for each in lags if each.median_ms is not None]
    if not medians:
        return None
    resolution = max(each.resolution_ms or 0.0 for each in lags)
    return LagOfSlowestReplica(max(medians), resolution, tuple(_marks(lags, resolution)))


def _marks(lags: Iterable[ReplicaLagOfStep], resolution: float) -> Iterable[str]:
    if any(_may_be_longer(each, resolution) for each in lags):
        yield AT_LEAST
    if any(each.lost for each in lags):
        yield LAG_LOST


def _may_be_longer(lag: ReplicaLagOfStep, resolution: float) -> bool:
    """Whether rows that have not arrived could make the median longer, by more than its resolution."""
    median, most = lag.median_ms, lag.median_most_ms
    return bool(lag.waiting) and (median is None or most is None or most - median > resolution)
