"""The ratio of two ways to do the same, from turns A B B A: what drifts slowly falls out of each block."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import mean, stdev

BLOCK = "ABBA"
LEVEL = 0.95


@dataclass(frozen=True)
class Ratio:
    """A over B: the geometric mean, and its interval."""

    value: float
    low: float
    high: float
    pairs: int


def ratio_of(blocks: Sequence[tuple[float, float, float, float]]) -> Ratio:
    """The ratio from the figures of each block, in the order of its turns; Student's t over the blocks."""
    logs = [(math.log(a1) + math.log(a2) - math.log(b1) - math.log(b2)) / 2 for a1, b1, b2, a2 in blocks]
    found = mean_ratio(logs)
    return Ratio(found.value, found.low, found.high, 2 * len(logs))


def mean_ratio(logs: Sequence[float]) -> Ratio:
    """Of a logarithm for each pair; Student's t over the pairs."""
    middle, half = mean(logs), half_width(logs)
    return Ratio(math.exp(middle), math.exp(middle - half), math.exp(middle + half), len(logs))


def half_width(logs: Sequence[float]) -> float:
    """From the mean to either end of its interval; infinite where there is but one."""
    from scipy.stats import t  # type: ignore[import-untyped]

    n = len(logs)
    return float(t.ppf((1 + LEVEL) / 2, n - 1)) * stdev(logs) / math.sqrt(n) if n > 1 else math.inf
