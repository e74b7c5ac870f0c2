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
    from scipy.stats import t  # type: ignore[import-untyped]

    logs = [(math.log(a1) + math.log(a2) - math.log(b1) - math.log(b2)) / 2 for a1, b1, b2, a2 in blocks]
    middle, n = mean(logs), len(logs)
    half = float(t.ppf((1 + LEVEL) / 2, n - 1)) * stdev(logs) / math.sqrt(n) if n > 1 else math.inf
    return Ratio(math.exp(middle), math.exp(middle - half), math.exp(middle + half), 2 * n)
