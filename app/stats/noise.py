"""How much results of equals differ, pooled over steps."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import log, sqrt
from statistics import NormalDist, variance


@dataclass(frozen=True)
class Noise:
    """Of the logarithm of a figure, between sessions: near enough a share of it."""

    deviation: float
    freedom: int  # sessions less one, over all steps

    def bounds(self, share: float = 0.9) -> tuple[float, float]:
        """Within which the true one is in this share of calibrations."""
        tail = (1 - share) / 2
        low, high = (_chi_square(each, self.freedom) for each in (1 - tail, tail))
        return self.deviation * sqrt(self.freedom / low), self.deviation * sqrt(self.freedom / high)


def pooled(steps: Iterable[Sequence[float]]) -> Noise | None:
    """Of the figures of each step in several sessions; None where no step has two."""
    logs = [[log(figure) for figure in figures if figure > 0] for figures in steps]
    known = [each for each in logs if len(each) > 1]
    freedom = sum(len(each) - 1 for each in known)
    if not freedom:
        return None
    squares = sum((len(each) - 1) * variance(each) for each in known)
    return Noise(sqrt(squares / freedom), freedom)


def _chi_square(share: float, freedom: int) -> float:
    """Its quantile, by Wilson and Hilferty: within 1 % from three degrees of freedom on."""
    part = 2 / (9 * freedom)
    return float(freedom * (1 - part + NormalDist().inv_cdf(share) * sqrt(part)) ** 3)
