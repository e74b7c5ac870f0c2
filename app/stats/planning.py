"""Which difference a number of repeats finds, before anything is measured."""

from __future__ import annotations

from math import expm1, inf, sqrt
from statistics import NormalDist

from app.stats.at_target.verdicts import LEAST, VerdictLimits
from app.stats.at_target.welch import calibrated, welch_freedom

_FOUND = 0.8  # of such differences
_OF_MEDIAN = 1.25  # times the error of a mean: the limit of size is held by medians


def least_difference(
    repeats: int, cells: int, noise: float, share: float = VerdictLimits.false_share, between: float = 0.0
) -> float | None:
    """The difference in one of the cells that is found four times in five; None where nothing is judged.

    As if variances were known: by simulation it takes a part more that becomes less with more repeats.
    `between`: what the machine varies by between plans, where the sessions do not alternate.
    """
    if repeats < LEAST or not share:
        return None
    own, added = noise**2 / repeats, (2 * between**2, inf)
    freedom = welch_freedom((own, repeats - 1), (own, repeats - 1), added)
    level, beyond = calibrated(share, freedom) / max(cells, 1), NormalDist().inv_cdf(_FOUND)
    error = sqrt(2 * own * (1 + 1 / repeats) ** 2 + added[0])
    sure = expm1((NormalDist().inv_cdf(1 - level / 2) + beyond) * error)
    return max(sure, VerdictLimits.matters + beyond * sqrt(2 * own + added[0]) * _OF_MEDIAN)
