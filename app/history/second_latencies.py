"""The latencies of a step by second, with the moments of its seconds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from sqlite3 import Connection
from typing import TYPE_CHECKING

from app.protocol.latency import Counts, buckets_of

from .blocks import clock_of, staged_clock
from .distributions import Distributions, as_counts, distributions_of
from .latency import distribution

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


@dataclass(frozen=True)
class SecondLatencies:
    """Second, end and length of each sample of a step, and its events by bucket."""

    s: Floats
    t: Floats
    dt: Floats
    events: Distributions

    def part(self, first_s: int, end_s: int | None = None) -> tuple[int, int]:
        """The places of these seconds."""
        end = len(self.s) if end_s is None else int(self.s.searchsorted(end_s))
        return int(self.s.searchsorted(first_s)), end

    def between(self, first_s: int, end_s: int | None = None) -> Counts:
        """All events of these seconds by bucket."""
        return as_counts(self.events.total(*self.part(first_s, end_s)))


def latencies_of(connection: Connection, step: int) -> SecondLatencies | None:
    """The latencies of a step by second; None where no second has any."""
    events = distributions_of(connection, step)
    if events is None:
        return None
    clock = clock_of(connection, step)
    s, t, dt = staged_clock(connection, step) if clock is None else clock
    return SecondLatencies(s, t, dt, events)


def percentiles_of(counts: Counts, percents: Sequence[float]) -> list[float | None]:
    """The ascending percentiles of these events in ms; null where there are too few events."""
    found = distribution(buckets_of(counts), percents)
    return [*found, *[None] * (len(percents) - len(found))]
