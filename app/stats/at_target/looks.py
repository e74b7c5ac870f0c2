"""Tests after each round of a plan, without more false alarms than one test at the end.

Who looks six times at the usual level finds something in equals twice as often. So each look takes
a smaller share, as far as the plan has come. The last one may take all of it where cells are tested
together: their level holds even where they share all of their noise (simulated: docs/measured/verdicts.md).
"""

from __future__ import annotations

from dataclasses import replace
from math import log1p, sqrt

from .student import MOST as KNOWN
from .student import quantile, two_sided
from .welch import LogMeanDifference

ROUNDS = 8  # the most
# cells whose level leaves no room for earlier looks: of loads, of others beside loads, or a single one
FEW_LOADS, FEW_LOADED = 3, 2
OF_FEW = 0.54  # of the share, for those
_SAME = 0.3  # of the share, for `same`
LUCK = 0.7  # standard errors that a mean may still move: waiting for more seldom decides


def share_of_look(share: float, rounds: int) -> float:
    """The share of false verdicts allowed at the look after this round."""
    return share * (min(rounds, ROUNDS) / ROUNDS) ** 2


def p_same(found: LogMeanDifference, matters: float) -> float:
    """The p-value of *the same*: how rarely figures with a relevant difference are so close."""
    room = log1p(matters) - abs(found.apart)
    if room <= 0 or not found.error:
        return float(room <= 0)
    return two_sided(room / found.error, found.freedom) / 2 / found.weight


def equivalence_false_share(share: float) -> float:
    return share * _SAME


def can_still_decide(found: LogMeanDifference, rounds: int, share: float, matters: float) -> bool:
    """Whether all rounds could decide what these do not, with the same noise."""
    left = max(ROUNDS - rounds, 0)
    at_end = _at_end(found, rounds, left)
    apart, luck = abs(found.apart), LUCK * found.error * sqrt(left / ROUNDS)
    can_differ = apart + luck >= max(at_end.half_width(share), log1p(matters))
    reach = quantile(1 - equivalence_false_share(share * found.weight), at_end.freedom) * at_end.error
    return can_differ or max(apart - luck, 0.0) + reach <= log1p(matters)


def _at_end(found: LogMeanDifference, rounds: int, left: int) -> LogMeanDifference:
    freedom, shared = (known and min(known + left, KNOWN) for known in (found.freedom, found.shared))
    return replace(
        found, error=found.error * sqrt(rounds / ROUNDS), freedom=freedom or found.freedom, shared=shared
    )
