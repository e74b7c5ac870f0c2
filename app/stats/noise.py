"""How much results of equals differ, pooled over steps."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import log, sqrt
from statistics import NormalDist, variance


@dataclass(frozen=True)
class Noise:
    """The noise between sessions, of the logarithm of a result: nearly a share of it."""

    deviation: float
    freedom: int  # sessions less one, over all steps

    def bounds(self, share: float = 0.9) -> tuple[float, float]:
        """The interval that holds the true noise in this share of calibrations."""
        tail = (1 - share) / 2
        low, high = (_chi_square(each, self.freedom) for each in (1 - tail, tail))
        return self.deviation * sqrt(self.freedom / low), self.deviation * sqrt(self.freedom / high)


def pooled_noise(steps: Iterable[Sequence[float]]) -> Noise | None:
    """The noise of steps over several sessions; None if no step has two."""
    logs = [[log(figure) for figure in figures if figure > 0] for figures in steps]
    known = [each for each in logs if len(each) > 1]
    freedom = sum(len(each) - 1 for each in known)
    if not freedom:
        return None
    squares = sum((len(each) - 1) * variance(each) for each in known)
    return Noise(sqrt(squares / freedom), freedom)


def _chi_square(share: float, freedom: int) -> float:
    """A quantile of chi-squared, by Wilson and Hilferty: within 1 % from three degrees of freedom."""
    part = 2 / (9 * freedom)
    return float(freedom * (1 - part + NormalDist().inv_cdf(share) * sqrt(part)) ** 3)
