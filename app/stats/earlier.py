"""How much noise earlier plans let one expect in a step."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import log

from app.stats.at_target.moderated import LEAST, UNKNOWN, VariancePrior, prior_of
from app.stats.at_target.verdicts import LEAST as REPEATS
from app.stats.at_target.welch import measured_variance

PLANS = 4  # the fewest that tell how much the noise varies from plan to plan
_DOUBT = 1.0  # standard errors: with few plans their likeness may be chance


def variances_of_plans(plans: Iterable[Sequence[float]]) -> list[tuple[float, float]]:
    """Variance and freedom of each earlier plan that has enough repeats; `plans`: a ratio a repeat."""
    logs = [[log(each) for each in ratios] for ratios in plans if len(ratios) >= REPEATS]
    return [each for each in map(measured_variance, logs) if each[0] > LEAST]


def prior_of_plans(measured: Sequence[tuple[float, float]]) -> VariancePrior:
    """The prior from the variances of earlier plans; it knows no more than all of their repeats."""
    if len(measured) < PLANS:
        return UNKNOWN
    found, of_all = prior_of(measured, _DOUBT), sum(freedom for _, freedom in measured)
    return VariancePrior(found.variance, 1 / (1 / found.freedom + 1 / of_all))
