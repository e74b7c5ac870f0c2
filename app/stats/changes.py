"""When a figure changed, over many sessions: change points by E-divisive means, judged by Student's test.

The method is that of Hunter (Fleming and others, 2023), which Apache Otava carries on: split where two parts
differ most (Matteson and James, 2014), at a weak level; then take back the weakest until all are significant.
The level is calibrated: of 100 series without a change one shows one (`python -m tests.bench changes`).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from math import sqrt
from statistics import fmean
from typing import Iterator, List, NamedTuple, Optional, Sequence, Tuple

from app.stats.at_target.student import quantile, two_sided

_SIDE = 2  # values on each side of a change, at least
FEWEST = 2 * _SIDE
MOST = 200  # the latest values: the search takes the square of them
_WEAK = 5  # levels: that of the split
SHARE = 0.01  # of series that do not change, and show a change
_LEVEL, _LONG = 0.016, 60  # give this share, simulated for 8 to 200 values

Part = Tuple[int, int]  # from, and up to but without


@dataclass(frozen=True)
class LevelChange:
    """The first value after a change, and how far the means on both sides of it are apart."""

    at: int
    apart: float
    error: float
    freedom: int

    @property
    def p(self) -> float:
        """How often chance alone sets two such parts so far apart."""
        if not self.error:
            return 0.0 if self.apart else 1.0
        return two_sided(self.apart / self.error, self.freedom)

    def half_width(self, level: float = 0.05) -> float:
        return quantile(1 - level / 2, self.freedom) * self.error


class _Candidate(NamedTuple):
    statistic: float
    at: int
    part: Part  # its neighbourhood, in which it is judged first: a later change does not hide it


def changes(values: Sequence[float], level: Optional[float] = None) -> List[LevelChange]:
    """The changes of a series, by place."""
    level = chance_level(max(len(values), 1)) if level is None else level
    places: List[int] = []
    while True:
        best = _best(values, places)
        if best is None or change_at(values, best.at, best.part).p >= level * _WEAK:
            return _without_weak(values, places, level)
        places = sorted([*places, best.at])


def _best(values: Sequence[float], places: Sequence[int]) -> Optional[_Candidate]:
    found = (_candidate(values, part) for part in parts_between_changes(places, len(values)))
    return max(filter(None, found), default=None)


def parts_between_changes(places: Sequence[int], count: int) -> List[Part]:
    """The parts between changes."""
    ends = [0, *places, count]
    return list(zip(ends, ends[1:]))


def change_at(values: Sequence[float], at: int, part: Part) -> LevelChange:
    """The change at this place of a part, whether it is significant or not."""
    before, after = values[part[0] : at], values[at : part[1]]
    freedom = len(before) + len(after) - 2
    variance = (_squares(before) + _squares(after)) / freedom
    error = sqrt(variance * (1 / len(before) + 1 / len(after)))
    return LevelChange(at, fmean(after) - fmean(before), error, freedom)


def _squares(values: Sequence[float]) -> float:
    mean = fmean(values)
    return sum((each - mean) ** 2 for each in values)


def chance_level(count: int, share: float = SHARE) -> float:
    """The level of a change, so that this share of series of so many values shows one by chance."""
    return share / SHARE * _LEVEL / count * min(1.0, _LONG / count)


def chance_of_change(values: Sequence[float]) -> float:
    """How many of such series show as clear a change by chance, as a share; 1 where none can be seen."""
    best = _best(values, [])
    if best is None:
        return 1.0
    return min(1.0, SHARE * change_at(values, best.at, best.part).p / chance_level(len(values)))


def _without_weak(values: Sequence[float], places: Sequence[int], level: float) -> List[LevelChange]:
    """Without those that are not significant between their neighbours, the weakest first."""
    left = list(places)
    while True:
        ends = [0, *left, len(values)]
        found = [change_at(values, at, (ends[i], ends[i + 2])) for i, at in enumerate(left)]
        weakest = max(found, key=lambda each: each.p, default=None)
        if weakest is None or weakest.p < level:
            return found
        left.remove(weakest.at)


def _candidate(values: Sequence[float], part: Part) -> Optional[_Candidate]:
    """Where the energy statistic of a part is largest, and up to where."""
    own = values[part[0] : part[1]]
    if len(own) < FEWEST:
        return None
    distances = [[abs(one - other) for other in own] for one in own]
    found = max(_statistics(distances))
    return _Candidate(found[0], part[0] + found[1], (part[0], part[0] + found[2]))


def _statistics(distances: Sequence[Sequence[float]]) -> Iterator[Tuple[float, int, int]]:
    """Of each way to split: how much further apart values of both sides are than those of one."""
    count = len(distances)
    sums = [[0.0, *accumulate(row)] for row in distances]
    within = [0.0, *accumulate(sums[k][k] for k in range(count))]  # all pairs of the first values
    for at in range(_SIDE, count - _SIDE + 1):
        after = 0.0  # all pairs of the right side
        for end in range(at + 1, count + 1):
            after += sums[end - 1][end - 1] - sums[end - 1][at]
            n, m = at, end - at
            if m >= _SIDE:
                across = within[end] - within[at] - after
                own = m * within[at] / (n - 1) + n * after / (m - 1)
                yield 2 / (n + m) * (across - own), at, end
