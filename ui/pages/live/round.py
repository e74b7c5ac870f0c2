"""The contenders of a round in slices: the QPS of all over one another, and their ratio so far."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from itertools import islice
from math import exp, inf, log, sqrt
from typing import NamedTuple

from app.history.lists.sessions import SessionEntry
from app.history.store.decoding import Line
from app.stats.at_target.student import MOST
from app.stats.at_target.welch import LogMeanDifference
from ui.widgets.charts.pyramid import GrowingTimeSeries

from .curves import NAN, QpsPoint, SessionCurves

FALSE_SHARE = 0.05  # of the intervals

Seconds = dict[int, QpsPoint]  # of a step, ascending


class Ratio(NamedTuple):
    """The mean ratio of slices, with an interval as if they were independent."""

    value: float
    interval: tuple[float, float] | None  # None: too few slices, or too wide to say anything
    slices: int
    left_out: int  # slices in which one of the two had no queries


class OtherContenderCurves:
    """Curves of the other contenders, each second drawn where the shown session has it."""

    def __init__(
        self,
        shown: SessionCurves,
        others: Iterable[SessionCurves],
        entries: Sequence[SessionEntry],
        awaited: Set[str] = frozenset(),
    ) -> None:
        self.plan = shown.plan
        self.entries = entries  # of all; the others are related to the first
        self.awaited = awaited  # sessions of which the store has nothing yet
        self.shown = shown
        self._others = {each.session: each for each in others}
        self.tracks = {session: GrowingTimeSeries(shown.gap_s) for session in self._others}
        self._drawn: dict[tuple[str, int], int] = {}  # seconds, by session and step
        self._ratios: dict[tuple[str, int], _RunningRatio] = {}

    def take(self, events: Mapping[str, Iterable[Line]]) -> int:
        """Take events of the others; returns the number of samples."""
        return sum(other.take(events.get(session, ())).values for session, other in self._others.items())

    def advance(self) -> None:
        """Draw what has arrived, no further than the shown session."""
        base, *others = (entry["id"] for entry in self.entries)
        for position, here in self.shown.seconds.items():
            for session in self._others:
                self._lay(session, position, here, self._seconds(session, position))
            for session in others:
                ratio = self._ratios.setdefault((session, position), _RunningRatio())
                ratio.take(self._seconds(base, position), self._seconds(session, position))

    def _lay(self, session: str, position: int, here: Seconds, there: Seconds) -> None:
        drawn, track = self._drawn.get((session, position), 0), self.tracks[session]
        new = _both_know(here, there, drawn)
        if new and not drawn and len(track):
            track.extend([self.shown.bounds[position].began_t], [NAN])
        track.extend([here[s].t for s in new], [there[s].qps if s in there else NAN for s in new])
        self._drawn[session, position] = drawn + len(new)

    def ratios(self, position: int) -> list[tuple[SessionEntry, Ratio]]:
        """The contenders that have measured slices together with the first one."""
        found = ((each, self._ratios.get((each["id"], position))) for each in self.entries)
        return [(each, running.ratio) for each, running in found if running and running.ratio]

    def _seconds(self, session: str, position: int) -> Seconds:
        return self._others.get(session, self.shown).seconds.get(position, {})


class _RunningRatio:
    """A ratio that grows with slices: a step may have very many."""

    def __init__(self) -> None:
        self._taken = self._slices = self._left_out = 0
        self._sum = self._squares = 0.0  # of the logarithms

    def take(self, base: Seconds, other: Seconds) -> None:
        for s in _both_know(base, other, self._taken):
            self._taken += 1
            ours, theirs = base[s].qps, other[s].qps if s in other else NAN
            if s >= 0 and ours > 0 and theirs > 0:
                value = log(theirs / ours)
                self._slices += 1
                self._sum += value
                self._squares += value * value
            elif s >= 0:
                self._left_out += 1

    @property
    def ratio(self) -> Ratio | None:
        n = self._slices
        if n == 0:
            return None
        mean, interval = self._sum / n, None
        if n > 1:
            variance = max(0.0, (self._squares - n * mean * mean) / (n - 1))
            found = LogMeanDifference(mean, sqrt(variance / n), min(n - 1, MOST), None)
            interval = found.interval(FALSE_SHARE)
        return Ratio(exp(mean), interval, n, self._left_out)


def _both_know(here: Seconds, there: Seconds, after: int) -> list[int]:
    """The seconds that both have measured, without the first ones."""
    last = next(reversed(there), -inf)
    new = islice(reversed(here), len(here) - after)
    return [s for s in reversed(list(new)) if s <= last]
