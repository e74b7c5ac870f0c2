"""Groups of steps as ratios: geometric means over steps and sessions, with intervals like those of cells."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import chain
from math import exp, log
from statistics import fmean
from typing import Optional, Sequence

from app.stats.at_target.verdicts import LEAST
from app.stats.at_target.welch import LogMeanDifference, PairedResults, Part, cell_differences

Sessions = Sequence[Sequence[Optional[float]]]  # the figures of each session, of the same steps


@dataclass(frozen=True)
class StepGroupPair:
    """The steps of a group in two columns; `by_round`: the same position is the same round."""

    base: Sessions
    other: Sessions
    by_round: bool = False

    @property
    def columns(self) -> tuple[Sessions, ...]:
        """The samples with separate noise: both columns, or the ratios of rounds."""
        if not self.by_round:
            return (self.base, self.other)
        return ([[*map(_of_round, *both)] for both in zip(self.base, self.other)],)


def _of_round(ours: float | None, theirs: float | None) -> float | None:
    if ours is None or theirs is None:
        return None
    return theirs / ours if ours > 0 else 0.0  # which has no logarithm either


@dataclass(frozen=True)
class GroupRatio:
    """The ratio of a group; with `low` and `high` if both columns have enough repeats."""

    ratio: float
    low: float | None
    high: float | None
    steps: int


def step_group_ratios(
    columns: Sequence[Sequence[StepGroupPair]],
    share: float = 0.05,
    added: Sequence[tuple[Part, ...]] = (),
) -> list[list[GroupRatio | None]]:
    """Ratios of groups; at most this share of comparisons of equals has an interval without 1.

    The test is that of the cells, so that a mean says no more than they do. A session counts once, however
    many steps it has: what makes it fast or slow as a whole is in all of them.
    """
    known = [[_Levels.of(group) for group in groups] for groups in columns]
    count = sum(each is not None and each.is_repeated for groups in known for each in groups)
    beside = added or [()] * len(columns)
    return [_ratios(groups, share, count, parts) for groups, parts in zip(known, beside)]


@dataclass(frozen=True)
class _Levels:
    """The mean logarithms of each session, or each round."""

    pair: PairedResults
    steps: int

    @classmethod
    def of(cls, group: StepGroupPair) -> _Levels | None:
        columns = group.columns
        there = [
            at
            for at, figures in enumerate(zip(*chain(*columns)))
            if all(figure is None or figure > 0 for figure in figures)
            and all(_has_enough(column, at) for column in columns)
        ]
        if not there:
            return None
        *base, other = (_levels(column, there) for column in columns)
        return cls(PairedResults(base[0] if base else (), other), len(there))

    @property
    def is_repeated(self) -> bool:
        return self.pair.n >= LEAST


def _has_enough(column: Sessions, at: int) -> bool:
    """Whether a step has enough results for a verdict."""
    return sum(session[at] is not None for session in column) >= min(len(column), LEAST)


def _levels(column: Sessions, there: Sequence[int]) -> tuple[float, ...]:
    """The level of each session; for a missing step it is as far from the others as elsewhere."""
    steps = [[None if (figure := session[at]) is None else log(figure) for session in column] for at in there]
    means = [fmean(each for each in step if each is not None) for step in steps]
    off = [
        [own - mean for figures, mean in zip(steps, means) if (own := figures[at]) is not None]
        for at in range(len(column))
    ]
    return tuple(fmean(means) + fmean(each) for each in off if each)


def _ratios(
    groups: Sequence[_Levels | None], share: float, count: int, added: tuple[Part, ...]
) -> list[GroupRatio | None]:
    repeated = [each for each in groups if each is not None and each.is_repeated]
    tested = iter(cell_differences([replace(each.pair, added=added) for each in repeated]))
    return [
        None if each is None else _ratio(each, next(tested) if each.is_repeated else None, share, count)
        for each in groups
    ]


def _ratio(levels: _Levels, found: LogMeanDifference | None, share: float, count: int) -> GroupRatio:
    low, high = (found and found.interval(share, count)) or (None, None)
    return GroupRatio(exp(levels.pair.apart), low, high, levels.steps)
