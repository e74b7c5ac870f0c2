"""What so many repeats could tell, before they are measured."""

from __future__ import annotations

from math import sqrt
from statistics import NormalDist

from .verdicts import LEAST, Limits
from .welch import calibrated

NOISE = 0.01  # between sessions, where nobody has measured it
_FOUND = 0.8  # of such differences
_OF_MEDIAN = 1.25  # times the error of a mean: the limit of size is held by medians


def least_difference(
    repeats: int, cells: int, noise: float = NOISE, share: float = Limits.false_share
) -> float | None:
    """The difference in one of the cells that is found four times in five; None where nothing is judged.

    As if variances were known: by simulation it takes a part more that becomes less with more repeats.
    """
    if repeats < LEAST or not share:
        return None
    level = calibrated(share, 2 * repeats - 2) / max(cells, 1)
    error, beyond = noise * sqrt(2 / repeats), NormalDist().inv_cdf(_FOUND)
    sure = (NormalDist().inv_cdf(1 - level / 2) + beyond) * error * (1 + 1 / repeats)
    return max(sure, Limits.matters + beyond * error * _OF_MEDIAN)
