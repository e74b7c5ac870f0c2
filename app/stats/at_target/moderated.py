"""Moderates the variance of a cell by those of many cells: a few repeats say little about one cell.

The empirical Bayes of Smyth (2004): variances are taken as drawn from a scaled inverse chi-squared
distribution, whose place and width the variances themselves tell. But none is taken as smaller than measured.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log, sqrt
from statistics import fmean, variance

from .student import MOST

LEAST = 1e-12  # a smaller variance of logarithms counts as 0: such values are not measured
_SERIES = 6.0  # from here on the asymptotic series are good to ten digits


@dataclass(frozen=True)
class VariancePrior:
    """The prior of a variance; no freedom means no knowledge."""

    variance: float = 0.0
    freedom: float = 0.0

    def moderated(self, measured: float, freedom: float) -> tuple[float, float]:
        """The moderated variance with its degrees of freedom."""
        if not self.freedom:
            return measured, freedom
        together = self.freedom + freedom
        return max(measured, (self.freedom * self.variance + freedom * measured) / together), together


UNKNOWN = VariancePrior()


def prior_of(measured: Sequence[tuple[float, float]], doubt: float = 0.0) -> VariancePrior:
    """The prior from variances and their degrees of freedom, by the moments of their logarithms.

    doubt: by how many of its standard errors the spread of the logarithms is taken as larger than seen.
    """
    there = [(each, freedom) for each, freedom in measured if each > LEAST]
    if len(there) < 2:
        return UNKNOWN
    logs = [log(each) - digamma(freedom / 2) + log(freedom / 2) for each, freedom in there]
    spread = variance(logs) * (1 + doubt * sqrt(2 / (len(logs) - 1)))
    beyond = spread - fmean(trigamma(freedom / 2) for _, freedom in there)
    half = MOST / 2 if beyond <= trigamma(MOST / 2) else trigamma_inverse(beyond)
    return VariancePrior(exp(fmean(logs) + digamma(half) - log(half)), 2 * half)


def digamma(x: float) -> float:
    """The derivative of log gamma."""
    before = 0.0
    while x < _SERIES:
        before, x = before - 1 / x, x + 1
    y = 1 / (x * x)
    return before + log(x) - 0.5 / x - y * (1 / 12 - y * (1 / 120 - y * (1 / 252 - y * (1 / 240 - y / 132))))


def trigamma(x: float) -> float:
    """The second derivative of log gamma."""
    before = 0.0
    while x < _SERIES:
        before, x = before + 1 / (x * x), x + 1
    y = 1 / (x * x)
    return before + 1 / x + y / 2 + y / x * (1 / 6 - y * (1 / 30 - y * (1 / 42 - y * (1 / 30 - y * 5 / 66))))


def trigamma_inverse(value: float) -> float:
    """The inverse of trigamma, by Newton's method on 1 / trigamma, which is almost a straight line."""
    x = 0.5 + 1 / value
    for _ in range(50):
        found = trigamma(x)
        step = found * (1 - found / value) / _tetragamma(x)
        x += step
        if abs(step) <= 1e-10 * x:
            break
    return x


def _tetragamma(x: float) -> float:
    before = 0.0
    while x < _SERIES:
        before, x = before - 2 / x**3, x + 1
    y = 1 / (x * x)
    return before - y - y / x - y * y * (1 / 2 - y * (1 / 6 - y * (1 / 6 - y * 3 / 10)))
