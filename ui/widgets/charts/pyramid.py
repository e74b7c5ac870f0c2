"""The values of one curve over time, kept so that any stretch of them is drawn with two points a pixel."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .growing import growing_floats

Values = NDArray[np.float64]

FACTOR = 4  # entries of a level of the pyramid in one of the level above
_DASHED = 0.6  # of a dash and the gap after it
lowest: Any = np.fmin.reduce  # of what is no gap; types of NumPy 2.5 know no reduce of fmin and fmax
highest: Any = np.fmax.reduce
GAP_S = 3.0  # seconds without a sample after which the curve is broken


class MeanAndDeviation(NamedTuple):
    """Mean and standard deviation of samples; a single one has no deviation."""

    mean: float
    sd: float | None
    n: int


class GrowingTimeSeries:
    """Values over time that grow at the end; NaN and times without samples are gaps."""

    def __init__(self, gap_s: float = GAP_S) -> None:
        self._gap_s = gap_s
        self.clear()

    def clear(self) -> None:
        self._t = growing_floats()
        self._values = growing_floats()
        self._levels: list[_Level] = []
        self._spread: tuple[int, int, MeanAndDeviation | None] = (0, 0, None)  # of the stretch asked for last
        self._view = _Level(1)  # what was drawn last: most frames only add to its end

    def __len__(self) -> int:
        return self._t.size

    @property
    def first(self) -> float | None:
        return float(self._t.all[0]) if self._t.size else None

    @property
    def last(self) -> float | None:
        return float(self._t.all[-1]) if self._t.size else None

    @property
    def newest(self) -> float | None:
        """The last value; None in a gap."""
        return None if self.last is None else self.at(self.last)

    def extend(self, t: Sequence[float] | Values, values: Sequence[float | None] | Values) -> None:
        """Add samples; `t` ascends and continues the last one."""
        times, figures = np.asarray(t, dtype=float), np.array(values, dtype=float)
        if not len(times):
            return
        figures[~np.isfinite(figures)] = np.nan
        steps = np.empty_like(times)  # np.diff takes four times as long for a few
        steps[0] = times[0] - self._t.all[-1] if self._t.size else 0.0
        np.subtract(times[1:], times[:-1], out=steps[1:])
        wide = np.flatnonzero(steps > self._gap_s)
        if len(wide):
            figures = np.insert(figures, wide, np.nan)
            times = np.insert(times, wide, times[wide] - steps[wide] / 2)
        self._t.extend(times)
        self._values.extend(figures)

    def samples(self) -> dict[float, float]:
        """Values by time, without gaps."""
        times, values = self._t.all, self._values.all
        there = ~np.isnan(values)
        return dict(zip(times[there].tolist(), values[there].tolist(), strict=True))

    def between(self, begin: int, end: int) -> tuple[Values, Values]:
        """Times and values by their numbers, with gaps."""
        return self._t.all[begin:end], self._values.all[begin:end]

    def at(self, t: float, within: float = 1.0) -> float | None:
        """The nearest value; None in a gap."""
        found = self.nearest(t, within)
        return found and found[1]

    def nearest(self, t: float, within: float = 1.0) -> tuple[float, float] | None:
        """The nearest sample with its time; None in a gap."""
        times = self._t.all
        if not len(times):
            return None
        after = min(int(np.searchsorted(times, t)), len(times) - 1)
        before = max(after - 1, 0)
        nearest = before if t - times[before] <= times[after] - t else after
        value = float(self._values.all[nearest])
        is_away = abs(times[nearest] - t) > within or np.isnan(value)
        return None if is_away else (float(times[nearest]), value)

    def spread(self, first: float, last: float) -> MeanAndDeviation | None:
        """Mean, deviation and number of samples in a range, without gaps."""
        begin, end = (int(at) for at in np.searchsorted(self._t.all, (first, np.nextafter(last, np.inf))))
        if self._spread[:2] != (begin, end):
            values = self._values.all[begin:end]
            known = values[~np.isnan(values)]
            n, sd = len(known), float(known.std(ddof=1)) if len(known) > 1 else None
            self._spread = (begin, end, MeanAndDeviation(float(known.mean()), sd, n) if n else None)
        return self._spread[2]

    def window(self, first: float, last: float, pixels: int) -> tuple[Values, Values]:
        """The points to draw from `first` to `last`: samples, or a minimum and maximum per pixel."""
        times = self._t.all
        begin = max(int(np.searchsorted(times, first)) - 1, 0)  # the line goes on beyond the edges
        end = min(int(np.searchsorted(times, last, "right")) + 1, len(times))
        each = -(-(end - begin) // max(pixels, 1))
        if each <= 2:
            return times[begin:end], self._values.all[begin:end]
        return self._reduced(begin, end, each)

    def _reduced(self, begin: int, end: int, each: int) -> tuple[Values, Values]:
        view = self._view_of(each)
        start, stop = begin // view.each, -(-end // view.each)
        times = self._t.all[start * view.each : end : view.each]
        figures = np.empty(2 * len(times))
        whole = min(stop, view.low.size) - start
        figures[: 2 * whole : 2] = view.low.all[start : start + whole]
        figures[1 : 2 * whole : 2] = view.high.all[start : start + whole]
        if whole < len(times):  # the last pixel is not full yet
            rest = self._values.all[view.low.size * view.each :]
            figures[-2:] = lowest(rest), highest(rest)
        return np.repeat(times, 2), figures

    def _view_of(self, each: int) -> _Level:
        """The last drawn level, or one with the new number of samples per pixel; both up to date."""
        depth = 0
        while FACTOR ** (depth + 2) <= each:  # a pixel is made of 4 to 16 entries of the level below it
            depth += 1
        below = FACTOR**depth
        each = -(-each // below) * below
        if self._view.each != each:
            self._view = _Level(each)
        self._view.catch_up(*self._level(depth), each // below)
        return self._view

    def _level(self, depth: int) -> tuple[Values, Values]:
        low = high = self._values.all
        for at in range(depth):
            if at == len(self._levels):
                self._levels.append(_Level(FACTOR ** (at + 1)))
            self._levels[at].catch_up(low, high, FACTOR)
            low, high = self._levels[at].low.all, self._levels[at].high.all
        return low, high


def logarithms(values: Values) -> Values:
    """Logarithms to base 10; values without one are gaps."""
    return np.log10(values, out=np.full(len(values), np.nan), where=values > 0)


def snapped(t: float, tracks: Iterable[GrowingTimeSeries], within: float) -> float:
    """The time of the nearest sample, or the time itself if none is near."""
    found = [sample[0] for track in tracks if (sample := track.nearest(t, within))]
    return min(found, key=lambda at: abs(at - t), default=t)


def cut_into_dashes(t: Values, values: Values, period: float) -> tuple[Values, Values]:
    """Values with gaps as dashes: a dashed pen is slow, and invisible in dense values."""
    if len(t) < 2:
        return t, values
    starts = np.arange(t[0] // period, t[-1] // period + 1) * period
    ends = starts + _DASHED * period
    starts, ends = (edges[(edges > t[0]) & (edges < t[-1])] for edges in (starts, ends))
    kept = t / period % 1.0 < _DASHED
    at = np.concatenate((starts, t[kept], ends, ends))  # a dash may be between two samples
    begun, ended = np.interp(starts, t, values), np.interp(ends, t, values)
    drawn = np.concatenate((begun, values[kept], ended, np.full(len(ends), np.nan)))
    order = np.argsort(at, kind="stable")
    return at[order], drawn[order]


def widen_lone_points(t: Values, values: Values, by: float) -> tuple[Values, Values]:
    """Values in which each lone value is stretched by `by`; alone it would be invisible."""
    there = np.concatenate(([False], ~np.isnan(values), [False]))
    alone = np.flatnonzero(there[1:-1] & ~there[:-2] & ~there[2:])
    if not len(alone):
        return t, values
    return np.insert(t, alone + 1, t[alone] + by), np.insert(values, alone + 1, values[alone])


class _Level:
    """Minimum and maximum of every `each` samples, without the last incomplete one."""

    def __init__(self, each: int) -> None:
        self.each = each
        self.low = growing_floats()
        self.high = growing_floats()

    def catch_up(self, low: Values, high: Values, entries: int) -> None:
        """Update from the level below, of which `entries` make one here."""
        done, whole = self.low.size * entries, len(low) // entries * entries
        if done < whole:
            at = np.arange(0, whole - done, entries)
            self.low.extend(np.fmin.reduceat(low[done:whole], at))
            self.high.extend(np.fmax.reduceat(high[done:whole], at))
