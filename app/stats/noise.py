"""How much results of equals differ, pooled over steps."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from math import log, sqrt
from statistics import NormalDist, fmean, variance


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


@dataclass(frozen=True)
class NoiseParts:
    """Where the noise of a timed step comes from: variances of the logarithm of its result."""

    start: float  # of a start of the server: however long the step is
    second: float  # of one second; a step of more seconds has a part of it

    def deviation(self, seconds: float) -> float:
        """The noise of a step of this length, as a share of its result."""
        return sqrt(self.start + self.second / seconds)


def noise_parts(steps: Iterable[Collection[Sequence[float]]]) -> NoiseParts | None:
    """From the logarithms of the seconds of each session, step by step; None if they are too few.

    Halves of a step have the same start: what they differ by comes from second to second. By halves, as
    neighbouring seconds hang together.
    """
    means: list[list[float]] = []
    apart: list[list[float]] = []
    counts: list[int] = []
    for sessions in steps:
        long = [each for each in sessions if len(each) > 1]
        if len(long) > 1:
            counts += [len(each) for each in long]
            means.append([fmean(each) for each in long])
            apart.append([_halves_apart(each) for each in long])
    if not means:
        return None
    a_second = _pooled_variance(apart)
    return NoiseParts(max(0.0, _pooled_variance(means) - a_second / fmean(counts)), a_second)


def _halves_apart(seconds: Sequence[float]) -> float:
    """How far the means of both halves are apart, scaled to the variance of one second."""
    first, second = seconds[: len(seconds) // 2], seconds[len(seconds) // 2 :]
    return (fmean(second) - fmean(first)) / sqrt(1 / len(first) + 1 / len(second))


def _pooled_variance(steps: Sequence[Sequence[float]]) -> float:
    freedom = sum(len(each) - 1 for each in steps)
    return sum((len(each) - 1) * variance(each) for each in steps) / freedom


def pooled_noise(steps: Iterable[Sequence[float]]) -> Noise | None:
    """The noise of steps over several sessions; None if no step has two."""
    logs = [[log(figure) for figure in figures if figure > 0] for figures in steps]
    known = [each for each in logs if len(each) > 1]
    return Noise(sqrt(_pooled_variance(known)), sum(len(each) - 1 for each in known)) if known else None


def _chi_square(share: float, freedom: int) -> float:
    """A quantile of chi-squared, by Wilson and Hilferty: within 1 % from three degrees of freedom."""
    part = 2 / (9 * freedom)
    return float(freedom * (1 - part + NormalDist().inv_cdf(share) * sqrt(part)) ** 3)
