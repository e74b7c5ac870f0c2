"""The rank test of Mann and Whitney: could two samples come from one distribution, of whatever shape?"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import groupby
from math import comb, sqrt
from statistics import NormalDist

EXACT = 24  # figures together up to which every way to share out the ranks is counted


def p_of(a: Sequence[float], b: Sequence[float]) -> float:
    """Two-sided: how often ranks lie so far apart, or further, where there is no difference."""
    ranks = _doubled_ranks([*a, *b])
    if len(ranks) > EXACT:
        return _approximate(ranks, len(a))
    counts = _counts(tuple(sorted(ranks)), len(a))
    own = sum(ranks[: len(a)])
    below = sum(count for total, count in counts.items() if total <= own)
    above = sum(count for total, count in counts.items() if total >= own)
    return min(1.0, 2 * min(below, above) / sum(counts.values()))


def least_p(n: int, m: int) -> float:
    """The smallest p that samples of these sizes can give: all of one lie beyond all of the other."""
    return min(1.0, 2 / comb(n + m, n))


def fewest(share: float) -> int | None:
    """How many of each it takes at least until a p of this share can come out; None: no number will do."""
    return next((n for n in range(2, EXACT) if least_p(n, n) <= share), None) if share > 0 else None


def _doubled_ranks(values: Sequence[float]) -> list[int]:
    """Equal values share the mean of their ranks; twice that is a whole number."""
    ranks = [0] * len(values)
    before = 0
    for _, same in groupby(sorted(range(len(values)), key=values.__getitem__), key=values.__getitem__):
        places = list(same)
        for place in places:
            ranks[place] = 2 * before + len(places) + 1
        before += len(places)
    return ranks


@cache
def _counts(ranks: tuple[int, ...], n: int) -> dict[int, int]:
    """In how many ways n of these ranks have a sum."""
    ways: list[dict[int, int]] = [{0: 1}] + [{} for _ in range(n)]
    for rank in ranks:
        for taken in range(n, 0, -1):
            for total, count in ways[taken - 1].items():
                ways[taken][total + rank] = ways[taken].get(total + rank, 0) + count
    return ways[n]


def _approximate(ranks: Sequence[int], n: int) -> float:
    """By the normal distribution, with its correction for ties and for the steps of a sum."""
    size, m = len(ranks), len(ranks) - n
    ties = sum(count**3 - count for count in (ranks.count(rank) for rank in set(ranks)))
    spread = sqrt(n * m / 12 * (size + 1 - ties / (size * (size - 1))))
    apart = abs(sum(ranks[:n]) / 2 - n * (size + 1) / 2)
    return 1.0 if spread == 0 else min(1.0, 2 * NormalDist().cdf(-max(0.0, apart - 0.5) / spread))
