"""Four contenders around two groups of settings: what each group does, and whether one depends on the other.

Each round of the four gives, in logarithms: the effect of a group next to both states of the other one,
and how far these two effects are apart, the interaction. The effects of both groups add up to the ratio
of the last corner to the first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from app.stats.at_target.welch import LogMeanDifference, PairedResults, cell_differences

Group = frozenset[str]  # of a contender: the settings that have the value of B, all others that of A
Round = Mapping[Group, float]  # the logarithm of the figure of each contender that was measured


@dataclass(frozen=True)
class SettingsSquare:
    """Two groups, next to settings that already have the value of B."""

    context: Group
    one: Group
    other: Group  # empty: only the first is looked at

    @classmethod
    def of(cls, context: Group, *groups: Iterable[str]) -> SettingsSquare:
        """The same square for both orders of the two groups."""
        one, other = sorted(map(frozenset, groups), key=lambda group: (not group, *sorted(group)))
        return cls(context, one, other)

    @property
    def corners(self) -> tuple[Group, ...]:
        """Without either group, with one, with the other, with both."""
        one, other = self.context | self.one, self.context | self.other
        return self.context, one, other, one | other

    @property
    def contenders(self) -> tuple[Group, ...]:
        """The corners, each once, in the order of a round.

        Servers that begin a round may be slower than those that end it. In this order a trend along the round
        leaves the effect of the smaller group alone, touches that of the other one least, and is mostly taken
        for interaction; the next round has the opposite order.
        """
        none, one, other, both = self.corners
        return tuple(dict.fromkeys((none, both, *sorted((one, other), key=len))))

    def measured(self, rounds: Sequence[Round]) -> SettingsSquareRounds:
        """What the rounds that have all corners say."""
        whole = [each for each in rounds if all(corner in each for corner in self.corners)]
        return SettingsSquareRounds(self, [tuple(each[corner] for corner in self.corners) for each in whole])


@dataclass(frozen=True)
class SettingsSquareRounds:
    """The rounds of a square."""

    square: SettingsSquare
    rounds: Sequence[tuple[float, ...]]

    @property
    def n(self) -> int:
        return len(self.rounds)

    def effect(self, group: Iterable[str]) -> LogMeanDifference:
        """What changing the group does, on the average of both states of the other one."""
        return estimate([(low + high) / 2 for low, high in self._edges(group)])

    @property
    def interaction(self) -> LogMeanDifference:
        """How much more the groups do together than one by one."""
        return estimate([both - one - other + none for none, one, other, both in self.rounds])

    @property
    def ratio(self) -> LogMeanDifference:
        """Both groups together."""
        return estimate([both - none for none, _, _, both in self.rounds])

    def is_larger_next_to_other(self, group: Iterable[str]) -> bool:
        """Whether the group does more where the other one has the value of B."""
        edges = self._edges(group)
        return abs(fmean(high for _, high in edges)) > abs(fmean(low for low, _ in edges))

    def _edges(self, group: Iterable[str]) -> list[tuple[float, float]]:
        is_one = frozenset(group) == self.square.one
        return [
            (one - none, both - other) if is_one else (other - none, both - one)
            for none, one, other, both in self.rounds
        ]


def estimate(values: Sequence[float]) -> LogMeanDifference:
    """The mean of a value of each round, with its error; the rounds are n."""
    (found,) = cell_differences([PairedResults((), tuple(values))])
    return found
