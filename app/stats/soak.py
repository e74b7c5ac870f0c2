"""What the seconds of a long step say beside their mean: its slowest second, its stalls, its trend."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean, median

from app.stats.at_target.steady import LEAST_S, stalls
from app.stats.at_target.student import quantile

# simulated without a trend: 0 is in the interval of 93 % or more of steps of ten minutes and more, also where
# a second keeps 0.9 of the deviation of the one before, or checkpoints come and go; of a minute in 90 %
BLOCKS = 8
_SURE = 0.975  # at either end


@dataclass(frozen=True)
class Trend:
    """How much a quantity grows from the beginning of a step to its end, by a straight line; its interval."""

    value: float
    low: float
    high: float


def slowest(seconds: Sequence[float | None]) -> float | None:
    return min(_known(seconds), default=None)


def below_half_pct(seconds: Sequence[float | None]) -> float | None:
    """The percentage of seconds below half of the median of all."""
    known = _known(seconds)
    if not known:
        return None
    half = median(known) / 2
    return 100 * sum(value < half for value in known) / len(known)


def longest_stall_s(seconds: Sequence[float | None]) -> int | None:
    """Seconds of the longest stall, as steadiness finds them; 0 where there is none."""
    return max((each.seconds for each in stalls(seconds)), default=0) if _known(seconds) else None


def trend(seconds: Sequence[float | None]) -> Trend | None:
    """The line through the means of equal blocks; None for too few seconds."""
    if len(_known(seconds)) < LEAST_S:
        return None
    means = [fmean(known) for block in _blocks(seconds) if (known := _known(block))]
    if len(means) < BLOCKS:  # a hole as long as a block has no place on the line
        return None
    return _line(means)


def trend_pct(seconds: Sequence[float | None]) -> Trend | None:
    """The same as a percentage of the mean."""
    found, mean = trend(seconds), fmean(_known(seconds)) if _known(seconds) else 0.0
    if found is None or not mean:
        return None
    return Trend(*(100 * each / mean for each in (found.value, found.low, found.high)))


def _known(seconds: Sequence[float | None]) -> list[float]:
    return [value for value in seconds if value is not None]


def _blocks(seconds: Sequence[float | None]) -> list[Sequence[float | None]]:
    bounds = [len(seconds) * at // BLOCKS for at in range(BLOCKS + 1)]
    return [seconds[first:last] for first, last in zip(bounds, bounds[1:])]


def _line(means: Sequence[float]) -> Trend:
    """Least squares; the whole step is 1 long."""
    n, middle = len(means), fmean(means)
    places = [(at + 0.5) / n - 0.5 for at in range(n)]
    spread = sum(place * place for place in places)
    slope = sum(place * mean for place, mean in zip(places, means)) / spread
    rest = sum((mean - middle - slope * place) ** 2 for place, mean in zip(places, means))
    error = quantile(_SURE, n - 2) * sqrt(rest / (n - 2) / spread)
    return Trend(slope, slope - error, slope + error)
