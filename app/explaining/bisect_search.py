"""Which build changed a figure: from the rounds measured so far, and nothing else.

The first build is compared with the last, then with the one in the middle of what is left. A build is like
the end on whose side of the middle its whole interval is. At last the two neighbours are compared with each
other. Builds that do not start are passed over. Counts have no interval: in its place is how far starts of
one build are apart.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from math import exp, log, log1p
from statistics import median

from app.stats.at_target.verdicts import LEAST, LEAST_COUNTED, SPREADS, spread_of_starts
from app.stats.at_target.welch import LogMeanDifference

from .squares import Group, Round, estimate

GOOD, BAD, OPEN = "as before", "changed", "undecided"
FOUND, SAME, UNTOLD, GOES_ON = "found", "no change", "cannot be told", "goes on"
ROUNDS = 4  # of a comparison; as many once more where it stays open
STARTS = 2  # of each of two builds that are counted; as many once more where it stays open
TIMES = 2  # so many comparisons of two builds, at most
LEVEL = 0.05  # of the intervals
Pair = tuple[int, int]  # two builds by their place


@dataclass(frozen=True)
class CountedDifference:
    """How far the counts of two builds are apart, and how much of that their starts may be."""

    apart: float  # of the logarithms
    room: float

    @classmethod
    def of(cls, pairs: Sequence[tuple[float, float]]) -> CountedDifference:
        """From the logarithms of both in each round."""
        ours, theirs = ([exp(each) for each in side] for side in zip(*pairs, strict=True))
        spread = max(map(spread_of_starts, (ours, theirs)))
        return cls(log(median(theirs) / median(ours)), log1p(SPREADS * spread))

    def half_width(self, _level: float) -> float:
        return self.room


BuildRatio = LogMeanDifference | CountedDifference


@dataclass(frozen=True)
class EarlierBuildDifference:
    """What is known of a build against an earlier one."""

    pair: Pair
    ratio: BuildRatio | None  # None: too few rounds
    n: int
    side: str


@dataclass(frozen=True)
class BisectState:
    """Where the search is."""

    verdict: str
    low: int  # the last build that is as before
    high: int  # the first that is changed
    next: Pair | None
    looks: tuple[EarlierBuildDifference, ...] = ()
    skipped: tuple[int, ...] = ()  # between low and high: they do not start
    remarks: tuple[str, ...] = ()


@dataclass
class BisectSearch:
    """A search over builds in their order, whose change is at least this share."""

    builds: Sequence[str]
    rounds: Sequence[Round]
    broken: Collection[str] = ()
    by: float = 0.03
    level: float = LEVEL
    is_counted: bool = False  # the figures are instructions, each of another start
    _looks: list[EarlierBuildDifference] = field(default_factory=list)

    @property
    def _most(self) -> int:
        return TIMES * rounds_of_comparison(self.is_counted)

    def found(self) -> BisectState:
        last = len(self.builds) - 1
        whole = self._measured((0, last))
        side = self._side_of_ends(whole)
        self._looks.append(EarlierBuildDifference((0, last), whole, self._n((0, last)), side))
        if side == BAD and whole is not None:
            return self._searched(whole)
        if side == OPEN and self._n((0, last)) < self._most:
            return self._state(GOES_ON, 0, last, (0, last))
        return self._state(SAME if side == GOOD else UNTOLD, 0, last, None)

    def _side_of_ends(self, whole: BuildRatio | None) -> str:
        """Changed: by the share at least, and beyond the noise; as before: all of the interval is within."""
        if whole is None:
            return OPEN
        by = max(self.by, LEAST_COUNTED) if self.is_counted else self.by
        half, limit = whole.half_width(self.level), log1p(by)
        if abs(whole.apart) > max(half, limit):
            return BAD
        return GOOD if abs(whole.apart) + half < limit else OPEN

    def _searched(self, whole: BuildRatio) -> BisectState:
        low, high = 0, len(self.builds) - 1
        while (middle := self._middle(low, high)) is not None:
            look = self._look((0, middle), whole.apart)
            self._looks.append(look)
            if look.side == OPEN:
                is_told = look.n >= self._most
                return self._state(UNTOLD if is_told else GOES_ON, low, high, None if is_told else look.pair)
            low, high = (middle, high) if look.side == GOOD else (low, middle)
        return self._confirmed(low, high, whole)

    def _middle(self, low: int, high: int) -> int | None:
        """The build nearest to the middle that starts."""
        inner = [at for at in range(low + 1, high) if self.builds[at] not in self.broken]
        return min(inner, key=lambda at: abs(2 * at - low - high), default=None)

    def _confirmed(self, low: int, high: int, whole: BuildRatio) -> BisectState:
        if low == 0:  # these two have been compared
            return self._state(FOUND, low, high, None)
        look = self._of_neighbours(self._look((low, high), whole.apart), whole.apart)
        self._looks.append(look)
        if look.side == OPEN and look.n < self._most:
            return self._state(GOES_ON, low, high, look.pair)
        return self._state(FOUND if look.side == BAD else UNTOLD, low, high, None)

    def _of_neighbours(self, look: EarlierBuildDifference, whole: float) -> EarlierBuildDifference:
        """Counts of neighbours that differ are a change, also if it is less than half of the whole one."""
        if not isinstance(look.ratio, CountedDifference):
            return look
        moved = look.ratio.apart * (1 if whole > 0 else -1)
        return replace(look, side=BAD if moved > max(look.ratio.room, log1p(LEAST_COUNTED)) else look.side)

    def _look(self, pair: Pair, whole: float) -> EarlierBuildDifference:
        """The side of the second of two builds; `whole`: the logarithm between both ends."""
        ratio, n = self._measured(pair), self._n(pair)
        if ratio is None:
            return EarlierBuildDifference(pair, None, n, OPEN)
        moved, half, limit = (
            ratio.apart * (1 if whole > 0 else -1),
            ratio.half_width(self.level),
            abs(whole) / 2,
        )
        side = BAD if moved - half > limit else GOOD if moved + half < limit else OPEN
        return EarlierBuildDifference(pair, ratio, n, side)

    def _state(self, verdict: str, low: int, high: int, wanted: Pair | None) -> BisectState:
        skipped = tuple(at for at in range(low + 1, high) if self.builds[at] in self.broken)
        return BisectState(verdict, low, high, wanted, tuple(self._looks), skipped, tuple(self._odd()))

    def _odd(self) -> list[str]:
        """Builds that are further from the first than the last one is, or on the other side of it."""
        whole = self._looks[0].ratio
        odd = []
        for look in self._looks[1:]:
            if look.pair[0] == 0 and look.ratio is not None and whole is not None and look.side != OPEN:
                share, half = (
                    look.ratio.apart / whole.apart,
                    look.ratio.half_width(self.level) / abs(whole.apart),
                )
                if share - half > 1.25 or share + half < -0.25:
                    odd.append(
                        f"{self.builds[look.pair[1]]} is not between both ends: there may be several changes"
                    )
        return [*odd, *self._several(whole)]

    def _several(self, whole: BuildRatio | None) -> list[str]:
        """That the change of counted neighbours is less than half of the whole one."""
        last = self._looks[-1]
        if last.pair[0] == 0 or last.side != BAD or last.ratio is None or whole is None:
            return []
        if abs(last.ratio.apart) >= abs(whole.apart) / 2:
            return []
        low, high = (self.builds[at] for at in last.pair)
        return [f"{low} and {high} make less than half of the whole difference: there are several changes"]

    def _measured(self, pair: Pair) -> BuildRatio | None:
        both = self._of_both(pair)
        if self.is_counted:
            return CountedDifference.of(both) if len(both) >= STARTS else None
        return estimate([other - base for base, other in both]) if len(both) >= LEAST else None

    def _n(self, pair: Pair) -> int:
        return len(self._of_both(pair))

    def _of_both(self, pair: Pair) -> list[tuple[float, float]]:
        """The logarithms of two builds in each round that has both."""
        base, other = (build_as_group(self.builds[at]) for at in pair)
        return [(each[base], each[other]) for each in self.rounds if base in each and other in each]


def rounds_of_comparison(is_counted: bool) -> int:
    """The rounds of the plan that compares two builds."""
    return STARTS if is_counted else ROUNDS


def build_as_group(build: str) -> Group:
    """A build as rounds name it."""
    return frozenset((build,))
