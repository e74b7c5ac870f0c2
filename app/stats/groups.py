"""A group of steps as one ratio: the geometric mean over steps and sessions, with its interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log, sqrt
from statistics import fmean, variance

from .student import quantile

CONFIDENCE = 0.95


@dataclass(frozen=True)
class GroupRatio:
    """`low` and `high` are known where both columns have repeats."""

    ratio: float
    low: float | None
    high: float | None
    steps: int


def group_ratio(
    base: Sequence[Sequence[float | None]], other: Sequence[Sequence[float | None]]
) -> GroupRatio | None:
    """Of columns of sessions, each with figures of the same steps; those that one of them lacks are left out.

    A session counts once, however many steps it has: what makes it fast or slow as a whole is in all of them.
    """
    there = [at for at, figures in enumerate(zip(*base, *other, strict=True)) if _are_all_known(figures)]
    if not there:
        return None
    ours, theirs = ([_mean_log(session, there) for session in column] for column in (other, base))
    apart = fmean(ours) - fmean(theirs)
    half = _half_width(ours, theirs)
    low, high = (None, None) if half is None else (exp(apart - half), exp(apart + half))
    return GroupRatio(exp(apart), low, high, len(there))


def _are_all_known(figures: Sequence[float | None]) -> bool:
    return all(figure is not None and figure > 0 for figure in figures)


def _mean_log(session: Sequence[float | None], there: Sequence[int]) -> float:
    return fmean(log(session[at] or 1.0) for at in there)


def _half_width(a: Sequence[float], b: Sequence[float]) -> float | None:
    """Of the interval of a difference of means (Welch); None where a spread is not known."""
    if min(len(a), len(b)) < 2:
        return None
    of_a, of_b = variance(a) / len(a), variance(b) / len(b)
    if of_a + of_b == 0:
        return 0.0
    freedom = (of_a + of_b) ** 2 / (of_a**2 / (len(a) - 1) + of_b**2 / (len(b) - 1))
    return quantile((1 + CONFIDENCE) / 2, freedom) * sqrt(of_a + of_b)
