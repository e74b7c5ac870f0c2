"""The noise that earlier plans on a target have shown, beside that of the plan that is judged.

Variances are taken as multiples of the usual one of their step, and these are moderated by one another. So a
few repeats know which steps are noisy. How noisy the plan is as a whole they say almost alone: a machine may
have become noisier. A plan noisier than its history explains is judged without it.
"""

from __future__ import annotations

from math import sqrt
from statistics import fmean
from typing import Sequence, Tuple

from .moderated import LEAST, VariancePrior, prior_of
from .student import MOST, f_above
from .welch import LogMeanDifference, PairedResults, cell_differences, measured_variance

UNLIKE = 0.2  # share of plans, the noisiest, that are judged without the earlier ones
ADDED = 0.25  # of the freedom of its repeats: as much as history may add, however like its plans are


def pooled_differences(
    pairs: Sequence[PairedResults], earlier: Sequence[VariancePrior]
) -> list[LogMeanDifference]:
    """The differences of all cells of two columns; `earlier`: the prior of each, from earlier plans."""
    if not all(each.freedom for each in earlier):
        return cell_differences(pairs)
    multiples = [_multiple(pair, usual) for pair, usual in zip(pairs, earlier)]
    freedom, known = max(own for _, own in multiples), fmean(each.freedom for each in earlier)
    is_unlike = f_above(fmean(each for each, _ in multiples), freedom, known) < UNLIKE
    here = prior_of(multiples)
    if is_unlike or not here.freedom:  # one cell alone is only its own noise
        return cell_differences(pairs)
    return [_pooled(*each, here, min(known, ADDED * freedom)) for each in zip(pairs, earlier, multiples)]


def _multiple(pair: PairedResults, usual: VariancePrior) -> Tuple[float, float]:
    """The variance of the repeats as a multiple of the usual one, and its freedom."""
    found, own = measured_variance(pair.other)
    return found / usual.variance if found > LEAST else 0.0, own


def _pooled(
    pair: PairedResults,
    usual: VariancePrior,
    multiple: Tuple[float, float],
    here: VariancePrior,
    known: float,
) -> LogMeanDifference:
    found, own = multiple
    whole = (own * here.variance + known) / (own + known)
    variance, freedom = VariancePrior(whole, max(here.freedom, known)).moderated(found, own)
    error = sqrt(usual.variance * variance / len(pair.other))
    return LogMeanDifference(pair.apart, error, min(freedom, MOST), own + known, is_pooled=True)
