"""Welch's test of two means, over all cells of two columns, whose variances are moderated by one another.

Where both columns were measured round by round, Student's test of how far the two of a round lie apart.

Cells of one column share what made its sessions fast or slow, so they tell less of their noise than as many
independent ones would: the level is calibrated to hold where all of the noise is shared.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import exp, inf, log, sqrt
from statistics import fmean
from typing import Sequence, Tuple

from .moderated import VariancePrior, prior_of
from .student import MOST, quantile, two_sided

_ROOM = 2.0  # levels assume this much more freedom, as the found one is an estimate
WIDEST = 4.0  # upper end over lower end of an interval: a wider one says nothing

Part = Tuple[float, float]  # of a variance of a mean: how large, of how many degrees of freedom


@dataclass(frozen=True)
class PairedResults:
    """The results of two columns, as logarithms if possible.

    Without a base `other` has how far the two of each round are apart.
    """

    base: tuple[float, ...]
    other: tuple[float, ...]
    added: tuple[Part, ...] = ()  # variances of the difference that no repeat shows

    @property
    def apart(self) -> float:
        return fmean(self.other) - (fmean(self.base) if self.base else 0.0)

    @property
    def n(self) -> int:
        """The smallest number of values of a side."""
        return min(len(side) for side in (self.base or self.other, self.other))


@dataclass(frozen=True)
class LogMeanDifference:
    """The difference of two means of logarithms."""

    apart: float
    error: float  # standard
    freedom: float
    shared: float | None  # its freedom where cells share all of their noise; None: nothing is moderated
    weight: float = 1.0  # of the share of false verdicts, as much as it may take
    is_pooled: bool = False  # the noise of earlier plans was taken into account

    def p(self, share: float) -> float:
        """The two-sided p, scaled so that the calibrated level is this share."""
        if not self.error or not share:
            return 1.0 if not self.apart or not share else 0.0
        return min(1.0, two_sided(self.apart / self.error, self.freedom) * share / self._level(share))

    def half_width(self, share: float, of: int = 1) -> float:
        """Half the width of the interval."""
        return quantile(1 - self._level(share) / of / 2, self.freedom) * self.error if share else inf

    def interval(self, share: float, of: int = 1) -> tuple[float, float] | None:
        """The interval of the ratio; None if it is too wide to be useful."""
        half = self.half_width(share, of)
        return None if 2 * half > log(WIDEST) else (exp(self.apart - half), exp(self.apart + half))

    def _level(self, share: float) -> float:
        taken, shared = share * self.weight, self.shared
        return taken if shared is None else calibrated(taken, shared, max(self.freedom, shared))


def cell_differences(pairs: Sequence[PairedResults]) -> list[LogMeanDifference]:
    """The differences of all cells of two columns, each with its own noise."""
    ours, theirs = (
        prior_of([measured_variance(side) for side in column if side]) for column in _columns(pairs)
    )
    return [_difference(pair, ours, theirs) for pair in pairs]


def _columns(pairs: Sequence[PairedResults]) -> tuple[list[tuple[float, ...]], list[tuple[float, ...]]]:
    return [pair.base for pair in pairs], [pair.other for pair in pairs]


@lru_cache(maxsize=4096)
def calibrated(share: float, shared: float, taken: float = MOST) -> float:
    """The level that keeps this share even if the freedom is only that of shared noise."""
    return two_sided(quantile(1 - share / 2, shared), min(_ROOM * taken, MOST))


def measured_variance(figures: Sequence[float]) -> tuple[float, float]:
    """Variance and its freedom; the library computes in fractions, ten times as slow."""
    mean, freedom = fmean(figures), len(figures) - 1
    return sum((figure - mean) ** 2 for figure in figures) / freedom, freedom


def _difference(pair: PairedResults, *priors: VariancePrior) -> LogMeanDifference:
    sides = [each for each in zip((pair.base, pair.other), priors) if each[0]]
    own = [_of_mean(*side) for side in sides]
    error = sqrt(sum(part for part, _ in (*own, *pair.added)))
    usual = [_usual(*side) for side in sides]
    is_moderated = any(prior.freedom for prior in priors)
    return LogMeanDifference(
        pair.apart,
        error,
        welch_freedom(*own, *pair.added),
        welch_freedom(*usual, *pair.added) if is_moderated else None,
    )


def _usual(figures: Sequence[float], prior: VariancePrior) -> Part:
    """The usual variance of a mean in the column, as if all cells shared their noise."""
    found, freedom = measured_variance(figures)
    return (prior.variance if prior.freedom else found) / len(figures), freedom


def _of_mean(figures: Sequence[float], prior: VariancePrior) -> Part:
    found, freedom = prior.moderated(*measured_variance(figures))
    return found / len(figures), freedom


def welch_freedom(*parts: Part) -> float:
    """Degrees of freedom of a sum of variances (Welch and Satterthwaite)."""
    whole = sum(part for part, _ in parts)
    loose = sum(part * part / freedom for part, freedom in parts)
    return min(whole * whole / loose, MOST) if loose else MOST
