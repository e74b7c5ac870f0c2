"""After how many rounds a plan until decided may be decided, if its noise stays as it is.

The agent decides by the same rule after each round.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import log1p, sqrt

from app.stats import VerdictLimits
from app.stats.at_target.looks import ROUNDS, equivalence_false_share
from app.stats.at_target.student import MOST, quantile
from app.stats.at_target.verdicts import (
    HOPELESS,
    LEAST,
    StepResultPair,
    cell_stopping_decisions,
    tested_differences,
)
from app.stats.at_target.welch import LogMeanDifference

DECIDED, LATE = 0, -1  # nothing is left to decide; it is not foreseen within the rounds that there are


def rounds_left(cells: Sequence[StepResultPair], limits: VerdictLimits, rounds: int, most: int) -> list[int]:
    """How many more rounds each cell takes: DECIDED, a number, or LATE."""
    words = cell_stopping_decisions(cells, limits, rounds)
    found = dict(tested_differences(cells, limits))
    return [
        (LATE if word == HOPELESS else DECIDED)
        if word
        else _more_rounds(cells, found.get(at), at, limits, rounds, most)
        for at, word in enumerate(words)
    ]


def _more_rounds(
    cells: Sequence[StepResultPair],
    found: LogMeanDifference | None,
    at: int,
    limits: VerdictLimits,
    rounds: int,
    most: int,
) -> int:
    n, later = cells[at].n, range(rounds + 1, min(most, ROUNDS) + 1)
    if found is None:  # too few repeats to be tested
        return max(LEAST - n, 1) if rounds + LEAST - n <= most else LATE
    shares = ((each, limits.at_look(cells, each).false_share) for each in later)
    decided = (
        each - rounds
        for each, share in shares
        if _is_decided(_after(found, n, each - rounds), share, limits.matters)
    )
    return next(decided, LATE)


def _after(found: LogMeanDifference, n: int, more: int) -> LogMeanDifference:
    """The same difference with more rounds of the same noise."""
    freedom, shared = (known and min(known + more, MOST) for known in (found.freedom, found.shared))
    error = found.error * sqrt(n / (n + more))
    return replace(found, error=error, freedom=freedom or found.freedom, shared=shared)


def _is_decided(found: LogMeanDifference, share: float, matters: float) -> bool:
    apart, least = abs(found.apart), log1p(matters)
    reach = quantile(1 - equivalence_false_share(share * found.weight), found.freedom) * found.error
    return apart >= max(found.half_width(share), least) or apart + reach <= least
