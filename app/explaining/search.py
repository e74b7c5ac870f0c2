"""Which contenders to measure next, and what is decided: from the rounds measured so far, and nothing else.

The settings are halved. A half that does nothing is done, another is halved again. A setting that is left
alone is then confirmed with rounds of its own: added to A, and taken from B. Only that names it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import log1p, sqrt

from app.stats import VerdictLimits
from app.stats.at_target.verdicts import LEAST
from app.stats.at_target.welch import LogMeanDifference, welch_freedom

from .squares import Group, Round, SettingsSquare, SettingsSquareRounds, estimate

DID, NONE, OPEN = "did it", "no effect", "undecided"
ROUNDS = 4  # of a plan: after each somebody looks
LOOKS = 3
MOST = ROUNDS * LOOKS  # rounds of a square
PART = 10  # a setting with less than a tenth of the whole ratio is too small
_SUSPECT = "suspect"
_SEARCH = 0.05  # the level of a search; what it finds is not named before it is confirmed
_FIRST, _MORE, _PAIR, _REST = range(4)  # what is measured first


@dataclass(frozen=True)
class SettingsShare:
    """Settings that only were measured together, or a single one, and their share of the ratio."""

    settings: tuple[str, ...]
    verdict: str
    share: LogMeanDifference | None = None  # None: not measured yet
    n: int = 0  # rounds
    level: float = _SEARCH  # two-sided, of its interval

    @property
    def interval(self) -> tuple[float, float] | None:
        """The interval of the share, in logarithms."""
        if self.share is None:
            return None
        half = self.share.half_width(self.level)
        return self.share.apart - half, self.share.apart + half

    @property
    def beyond(self) -> float | None:
        """No effect is larger than this, in logarithms."""
        return None if self.interval is None else max(map(abs, self.interval))


@dataclass(frozen=True)
class Interaction:
    """What settings do together that none does alone."""

    settings: tuple[str, ...]  # one: it depends on settings that could not be named
    share: LogMeanDifference
    n: int
    level: float


@dataclass(frozen=True)
class DifferenceShares:
    """The state after some rounds."""

    parts: tuple[SettingsShare, ...]
    interactions: tuple[Interaction, ...]
    whole: LogMeanDifference | None  # of all settings: the ratio of B to A
    n: int  # rounds of A and B
    limit: float  # effects within it are none, in logarithms
    next: SettingsSquare | None  # None: decided, as far as rounds can

    @property
    def rest(self) -> LogMeanDifference | None:
        """What the shares leave of the whole: unexplained, or noise."""
        found = [each.share for each in self.parts if each.share]
        if self.whole is None or not found:
            return None
        sides = [self.whole, *found]
        return LogMeanDifference(
            self.whole.apart - sum(each.apart for each in found),
            sqrt(sum(each.error**2 for each in sides)),
            welch_freedom(*((each.error**2, each.freedom) for each in sides)),
            None,
        )


def false_share_at_look(n: int) -> float:
    """The part of the false share for the look after this number of rounds: 1/6, 2/6, 3/6."""
    look = min(max(n // ROUNDS, 1), LOOKS)
    return look / sum(range(1, LOOKS + 1))


def shares_from_rounds(
    settings: Sequence[str], rounds: Sequence[Round], limits: VerdictLimits
) -> DifferenceShares:
    """What the rounds say of these settings, and which square comes next."""
    return _Search(settings, rounds, limits).explained()


class _Search:
    """One walk from all settings down to single ones."""

    def __init__(self, settings: Sequence[str], rounds: Sequence[Round], limits: VerdictLimits) -> None:
        self._settings, self._rounds, self._limits = tuple(settings), rounds, limits
        self._all = frozenset(settings)
        both = [
            each[self._all] - each[frozenset()] for each in rounds if {self._all, frozenset()} <= each.keys()
        ]
        self._n = len(both)
        self._whole = estimate(both) if len(both) >= LEAST else None
        self._limit = max(log1p(limits.matters), abs(self._whole.apart) / PART if self._whole else 0.0)
        self._parts: list[SettingsShare] = []
        self._wanted: list[tuple[int, int, SettingsSquare, tuple[str, ...]]] = []
        self._confirmed: dict[str, SettingsSquareRounds] = {}

    def explained(self) -> DifferenceShares:
        if len(self._settings) == 1:
            self._confirm(self._settings[0], SettingsShare(self._settings, OPEN))
        else:
            self._halve(SettingsShare(self._settings, OPEN), frozenset())
        self._clear_rest()
        self._measure_rest_as_one()
        interactions = tuple(self._interactions())
        wanted = min(self._wanted, key=lambda each: each[:2], default=None)
        parts = sorted(self._parts, key=self._place)
        return DifferenceShares(
            tuple(parts), interactions, self._whole, self._n, self._limit, wanted[2] if wanted else None
        )

    def _place(self, part: SettingsShare) -> tuple[int, float]:
        size = abs(part.share.apart) if part.share else 0.0
        return (DID, OPEN, NONE).index(part.verdict), -size

    def _want(self, priority: int, square: SettingsSquare, settings: tuple[str, ...]) -> None:
        self._wanted.append((priority, len(self._wanted), square, settings))

    # the search

    def _halve(self, part: SettingsShare, context: Group) -> None:
        """Look at both halves of the settings of a part, next to this context."""
        middle = (len(part.settings) + 1) // 2
        halves = part.settings[:middle], part.settings[middle:]
        found = SettingsSquare.of(context, *halves).measured(self._rounds)
        if found.n < LEAST:
            self._want(_FIRST, found.square, part.settings)
            self._parts.append(part)
            return
        for half in halves:
            self._follow(self._searched(half, found), found)

    def _follow(self, part: SettingsShare, found: SettingsSquareRounds) -> None:
        """Halve or confirm a suspect; anything else is a part."""
        if part.verdict != _SUSPECT:
            if part.verdict == OPEN and found.n < MOST:
                self._want(_REST, found.square, part.settings)
            self._parts.append(part)
            return
        suspect = SettingsShare(part.settings, OPEN, part.share, part.n)
        if len(part.settings) == 1:
            self._confirm(part.settings[0], suspect)
        else:
            self._halve(suspect, self._context(part, found))

    def _context(self, part: SettingsShare, found: SettingsSquareRounds) -> Group:
        """Where the part shows most: next to the other half, if it depends on it."""
        context, group = found.square.context, frozenset(part.settings)
        other = (found.square.one | found.square.other) - group
        is_next_to_other = self._depends(found, _SEARCH) and found.is_larger_next_to_other(group)
        return context | other if is_next_to_other else context

    def _searched(self, group: tuple[str, ...], found: SettingsSquareRounds) -> SettingsShare:
        """A group as a square shows it: nothing, suspect, or open."""
        share, depends = found.effect(group), self._depends(found, _SEARCH / 5)
        if self._is_nothing(share, found.n) and not depends:
            return self._nothing(group, share, found.n)
        is_seen = abs(share.apart) > max(share.half_width(_SEARCH), self._limit / 2)
        is_left_over = found.n >= MOST and abs(share.apart) > self._limit
        return SettingsShare(group, _SUSPECT if is_seen or is_left_over or depends else OPEN, share, found.n)

    def _depends(self, found: SettingsSquareRounds, level: float) -> bool:
        apart = found.interaction
        return abs(apart.apart) > max(apart.half_width(level), self._limit)

    # confirming

    def _confirm(self, setting: str, suspect: SettingsShare) -> None:
        """Judge one setting by rounds in which it is added to A, and taken from B."""
        found = SettingsSquare.of(frozenset(), (setting,), self._all - {setting}).measured(self._rounds)
        if found.n < LEAST:
            self._want(_FIRST, found.square, (setting,))
            self._parts.append(suspect)
            return
        part = self._judged(setting, found)
        self._parts.append(part)
        self._confirmed[setting] = found
        is_hinted = part.verdict == DID and self._depends(found, _SEARCH)
        is_open = part.verdict == OPEN or (is_hinted and not self._depends(found, self._level(found.n)))
        if is_open and found.n < MOST:
            self._want(_MORE, found.square, (setting,))

    def _judged(self, setting: str, found: SettingsSquareRounds) -> SettingsShare:
        share, level = found.effect((setting,)), self._level(found.n)
        if abs(share.apart) > max(share.half_width(level), self._limit):
            return SettingsShare((setting,), DID, share, found.n, level)
        if self._is_nothing(share, found.n) and not self._depends(found, level):
            return self._nothing((setting,), share, found.n)
        return SettingsShare((setting,), OPEN, share, found.n, level)

    def _level(self, n: int) -> float:
        """Of one setting: all that are named share the false share, and so do the looks."""
        return self._limits.false_share * false_share_at_look(n) / len(self._settings)

    def _is_nothing(self, share: LogMeanDifference, n: int) -> bool:
        return abs(share.apart) + share.half_width(self._one_sided(n)) <= self._limit

    def _one_sided(self, n: int) -> float:
        return 2 * self._limits.false_share * false_share_at_look(n)

    def _nothing(self, group: tuple[str, ...], share: LogMeanDifference, n: int) -> SettingsShare:
        return SettingsShare(group, NONE, share, n, self._one_sided(n))

    def _clear_rest(self) -> None:
        """Close open parts if all settings but a confirmed one together do nothing."""
        for setting, found in self._confirmed.items():
            rest = self._all - {setting}
            share = found.effect(rest)
            if rest and self._is_nothing(share, found.n) and not self._depends(found, _SEARCH / 5):
                self._close(
                    [each for each in self._parts if each.verdict == OPEN and setting not in each.settings],
                    share,
                    found.n,
                )

    def _measure_rest_as_one(self) -> None:
        """Beside the only cause, its own square judges all open parts at once; no other one is quieter."""
        named = {part.settings[0] for part in self._parts if part.verdict == DID}
        if len(named) != 1 or all(part.verdict != OPEN for part in self._parts):
            return
        (cause,) = named
        found = self._confirmed[cause]
        if found.n < MOST:
            self._want(_MORE, found.square, (cause,))
        elif found.effect(self._all - named).half_width(self._one_sided(found.n)) > self._limit:
            self._wanted = [each for each in self._wanted if each[0] != _REST]

    def _close(self, parts: Sequence[SettingsShare], share: LogMeanDifference, n: int) -> None:
        settings = tuple(each for part in parts for each in part.settings)
        if settings:
            self._parts = [each for each in self._parts if each not in parts]
            self._parts.append(self._nothing(settings, share, n))
            self._wanted = [each for each in self._wanted if not set(each[3]) & set(settings)]

    # interactions

    def _interactions(self) -> list[Interaction]:
        """The settings that depend on others: pairs where they can be named."""
        named = {part.settings[0] for part in self._parts if part.verdict == DID}
        depending = [
            setting
            for setting, found in self._confirmed.items()
            if setting in named and self._depends(found, self._level(found.n))
        ]
        pairs = [found for pair in combinations(depending, 2) for found in self._pair(pair)]
        told = {setting for each in pairs for setting in each.settings}
        alone = [self._alone(setting) for setting in depending if setting not in told]
        return [*pairs, *alone]

    def _pair(self, pair: tuple[str, ...]) -> list[Interaction]:
        found = SettingsSquare.of(frozenset(), *((setting,) for setting in pair)).measured(self._rounds)
        if found.n < LEAST:
            self._want(_PAIR, found.square, pair)
            return []
        level = self._level(found.n)
        if self._depends(found, level):
            return [Interaction(pair, found.interaction, found.n, level)]
        if found.n < MOST:
            self._want(_PAIR, found.square, pair)
        return []

    def _alone(self, setting: str) -> Interaction:
        found = self._confirmed[setting]
        return Interaction((setting,), found.interaction, found.n, self._level(found.n))
