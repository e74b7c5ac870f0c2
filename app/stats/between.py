"""The variance of a machine between plans, which repeats within one plan cannot show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, log, sqrt
from statistics import variance

ENOUGH = 8  # canaries
ASSUMED = 0.1  # standard deviation of the logarithm of a result, if fewer are known


@dataclass(frozen=True)
class VarianceBetweenPlans:
    """The machine's own variance between plans, of the logarithm of a mean."""

    variance: float = ASSUMED**2
    freedom: float = inf
    canaries: int = 0  # that it was measured with; 0: it is assumed

    @property
    def deviation(self) -> float:
        """The standard deviation as a share."""
        return sqrt(self.variance)


def between_plan_variance(canaries: Sequence[float]) -> VarianceBetweenPlans:
    """The variance between plans, from the canaries of a target."""
    there = [log(figure) for figure in canaries if figure > 0]
    return (
        VarianceBetweenPlans()
        if len(there) < ENOUGH
        else VarianceBetweenPlans(variance(there), len(there) - 1, len(there))
    )
