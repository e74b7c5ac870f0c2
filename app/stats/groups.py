"""Groups of steps as ratios: geometric means over steps and sessions, with intervals like those of cells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, inf, log
from statistics import fmean

from .verdicts import LEAST
from .welch import Difference, Pair, Part, differences

WIDEST = 4.0  # of an interval, its upper end by its lower one: a wider one says nothing

Sessions = Sequence[Sequence[float | None]]  # the figures of each session, of the same steps


@dataclass(frozen=True)
class Group:
    """The steps of a group in two columns."""

    base: Sessions
    other: Sessions


@dataclass(frozen=True)
class GroupRatio:
    """`low` and `high` are known where both columns have repeats enough."""

    ratio: float
    low: float | None
    high: float | None
    steps: int


def group_ratios(
    columns: Sequence[Sequence[Group]], share: float = 0.05, added: Sequence[tuple[Part, ...]] = ()
) -> list[list[GroupRatio | None]]:
    """Of the groups of each column: at most this share of comparisons of equals has an interval without 1.

    The test is that of the cells, so that a mean says no more than they do. A session counts once, however
    many steps it has: what makes it fast or slow as a whole is in all of them.
    """
    known = [[_Levels.of(group) for group in groups] for groups in columns]
    count = sum(each is not None and each.is_repeated for groups in known for each in groups)
    beside = added or [()] * len(columns)
    return [_ratios(groups, share, count, parts) for groups, parts in zip(known, beside, strict=True)]


@dataclass(frozen=True)
class _Levels:
    """The mean logarithm of each session."""

    base: tuple[float, ...]
    other: tuple[float, ...]
    steps: int

    @classmethod
    def of(cls, group: Group) -> _Levels | None:
        there = [
            at
            for at, figures in enumerate(zip(*group.base, *group.other, strict=True))
            if all(figure is None or figure > 0 for figure in figures)
            and all(_has_enough(column, at) for column in (group.base, group.other))
        ]
        return cls(_levels(group.base, there), _levels(group.other, there), len(there)) if there else None

    @property
    def is_repeated(self) -> bool:
        return min(len(self.base), len(self.other)) >= LEAST


def _has_enough(column: Sessions, at: int) -> bool:
    """Of a step: a figure of each session, or of as many as a verdict takes."""
    return sum(session[at] is not None for session in column) >= min(len(column), LEAST)


def _levels(column: Sessions, there: Sequence[int]) -> tuple[float, ...]:
    """A session that lacks a step is as far from the others as in the steps that it has."""
    steps = [[None if (figure := session[at]) is None else log(figure) for session in column] for at in there]
    means = [fmean(each for each in step if each is not None) for step in steps]
    off = [
        [own - mean for figures, mean in zip(steps, means, strict=True) if (own := figures[at]) is not None]
        for at in range(len(column))
    ]
    return tuple(fmean(means) + fmean(each) for each in off if each)


def _ratios(
    groups: Sequence[_Levels | None], share: float, count: int, added: tuple[Part, ...]
) -> list[GroupRatio | None]:
    repeated = [each for each in groups if each is not None and each.is_repeated]
    tested = iter(differences([Pair(each.base, each.other, added) for each in repeated]))
    return [
        None if each is None else _ratio(each, next(tested) if each.is_repeated else None, share, count)
        for each in groups
    ]


def _ratio(levels: _Levels, found: Difference | None, share: float, count: int) -> GroupRatio:
    apart = fmean(levels.other) - fmean(levels.base)
    half = inf if found is None else found.half_width(share, count)
    low, high = (None, None) if 2 * half > log(WIDEST) else (exp(apart - half), exp(apart + half))
    return GroupRatio(exp(apart), low, high, levels.steps)
