"""The events of a heat map over time, kept so that any stretch of them is drawn from few numbers."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import zip_longest

import numpy as np
from numpy.typing import NDArray

from .growing import growing_floats, growing_integers
from .pyramid import FACTOR, Values

Integers = NDArray[np.int64]
_AT_ONCE = 2048  # entries of a level that are made together: their table of all rows stays small


@dataclass(frozen=True)
class HeatColumns:
    """Consecutive columns of a heat map: their begin and end, and the events of each row in each of them."""

    starts: Values
    ends: Values
    events: Values  # columns x rows
    first_row: int  # the row of the first of them
    rows_each: int  # rows of the track that one here holds
    seconds_each: int


class HeatTrack:
    """Events by row, second by second; rows are the latency buckets. It grows at its end."""

    def __init__(self, rows: int) -> None:
        self._rows = rows
        self.clear()

    def clear(self) -> None:
        self._levels = [_Level(self._rows)]  # a second each, then FACTOR times as many
        self.low, self.high = self._rows, -1  # rows that have events
        self.most = 0  # events of a row in a second

    def __len__(self) -> int:
        return self._levels[0].ends.size

    @property
    def first(self) -> float | None:
        return float(self._levels[0].starts.all[0]) if len(self) else None

    @property
    def last(self) -> float | None:
        return float(self._levels[0].ends.all[-1]) if len(self) else None

    def extend(
        self, ends: Values, lengths: Values, sizes: Integers, rows: Integers, counts: Integers
    ) -> None:
        """Add seconds: their ends and lengths, how many entries each has, and row and count of each entry."""
        if not len(ends):
            return
        self._levels[0].extend(ends - lengths, ends, sizes, rows, counts)
        if len(rows):
            self.low = min(self.low, int(rows.min()))
            self.high = max(self.high, int(rows.max()))
            self.most = max(self.most, int(counts.max()))

    def total(self, first: float, last: float) -> Integers | None:
        """The events of each row in the seconds that end in a range; None without any."""
        ends = self._levels[0].ends.all
        begin, end = (int(at) for at in np.searchsorted(ends, (first, np.nextafter(last, np.inf))))
        return self._sum(begin, end) if end > begin else None

    def _sum(self, begin: int, end: int) -> Integers:
        """The events of these seconds, of whole stretches of the higher levels where these are up to date."""
        found = np.zeros(self._rows, np.int64)
        for level, above in zip_longest(self._levels, self._levels[1:]):
            first, last = -(-begin // FACTOR), min(end // FACTOR, above.whole if above else 0)
            if first >= last:
                found += level.total(begin, end)
                break
            found += level.total(begin, first * FACTOR) + level.total(last * FACTOR, end)
            begin, end = first, last
        return found

    def prepare(self) -> None:
        """Make the levels, which takes long where much comes at once: not on the GUI thread."""
        depth = 0
        while len(self) >= FACTOR**depth * FACTOR:
            depth += 1
        self._level(depth)

    def at(self, t: float) -> tuple[float, float, Integers] | None:
        """The second at a moment: its begin and end, and the events of each row; None in a gap."""
        base = self._levels[0]
        at = int(np.searchsorted(base.ends.all, t))
        if at == len(self) or base.starts.all[at] > t:
            return None
        return float(base.starts.all[at]), float(base.ends.all[at]), base.total(at, at + 1)

    def window(
        self, first: float, last: float, columns: int, rows: int, limits: tuple[int, int]
    ) -> HeatColumns:
        """The cells from `first` to `last`, at most this many columns and rows, between two rows."""
        low, high = limits
        begin, end = self._seen(self._levels[0], first, last)
        depth = 0
        while FACTOR ** (depth + 1) * columns <= end - begin:
            depth += 1
        level = self._level(depth)
        begin, end = self._seen(level, first, last)
        each = max(-(-(end - begin) // max(columns, 1)), 1)
        rows_each = max(-(-(high + 1 - low) // max(rows, 1)), 1)
        events = level.table(begin, end, each, low, high, rows_each)
        starts, ends = level.starts.all[begin:end], level.ends.all[begin:end]
        lasts = np.minimum(np.arange(each, end - begin + each, each), end - begin) - 1
        return HeatColumns(starts[::each], ends[lasts], events, low, rows_each, each * FACTOR**depth)

    def _seen(self, level: _Level, first: float, last: float) -> tuple[int, int]:
        begin = int(np.searchsorted(level.ends.all, first, "right"))
        return begin, max(int(np.searchsorted(level.starts.all, last)), begin)

    def _level(self, depth: int) -> _Level:
        """A level up to date, with the last incomplete entry."""
        for at in range(1, depth + 1):
            if at == len(self._levels):
                self._levels.append(_Level(self._rows))
            self._levels[at].catch_up(self._levels[at - 1])
        return self._levels[depth]


class _Level:
    """Consecutive stretches of time: begin, end, and the number of entries up to its end."""

    def __init__(self, rows: int) -> None:
        self._all_rows = rows
        self.whole = 0  # stretches that are complete
        self.starts = growing_floats()
        self.ends = growing_floats()
        self.sums = growing_integers()
        self.rows = growing_integers()
        self.counts = growing_integers()

    def extend(self, starts: Values, ends: Values, sizes: Integers, rows: Integers, counts: Integers) -> None:
        before = self.rows.size
        self.whole += len(ends)
        self.starts.extend(starts)
        self.ends.extend(ends)
        self.sums.extend(before + np.cumsum(sizes))
        self.rows.extend(rows)
        self.counts.extend(counts)

    def _entries(self, begin: int, end: int) -> slice[int, int, None]:
        sums = self.sums.all
        return slice(int(sums[begin - 1]) if begin else 0, int(sums[end - 1]) if end else 0)

    def _places(self, begin: int, end: int) -> Integers:
        """Which of these stretches each of their entries belongs to."""
        part = self._entries(begin, end)
        sizes = np.diff(self.sums.all[begin:end], prepend=part.start)
        return np.repeat(np.arange(end - begin), sizes)

    def total(self, begin: int, end: int) -> Integers:
        """The events of each row in these stretches."""
        part = self._entries(begin, end)
        found = np.bincount(self.rows.all[part], weights=self.counts.all[part], minlength=self._all_rows)
        return found.astype(np.int64)

    def table(self, begin: int, end: int, each: int, low: int, high: int, rows_each: int) -> Values:
        """The events of these stretches, `each` of them and `rows_each` rows together."""
        columns, height = -(-(end - begin) // each), max(-(-(high + 1 - low) // rows_each), 1)
        part = self._entries(begin, end)
        rows = (self.rows.all[part].astype(np.int64) - low) // rows_each
        key = self._places(begin, end) // each * height + rows
        cells = np.bincount(key, weights=self.counts.all[part], minlength=columns * height)
        return cells.astype(np.float64, copy=False).reshape(columns, height)

    def catch_up(self, below: _Level) -> None:
        """Update from the level below, of which FACTOR make one here; the last may be incomplete."""
        self._cut(self.whole)
        for begin in range(self.whole * FACTOR, below.ends.size, _AT_ONCE):
            self._join(below, begin, min(begin + _AT_ONCE, below.ends.size))
        self.whole = below.whole // FACTOR

    def _cut(self, size: int) -> None:
        entries = self._entries(0, size).stop
        self.starts.size = self.ends.size = self.sums.size = size
        self.rows.size = self.counts.size = entries

    def _join(self, below: _Level, begin: int, end: int) -> None:
        table = below.table(begin, end, FACTOR, 0, self._all_rows - 1, 1)
        places, rows = np.nonzero(table)
        lasts = np.minimum(np.arange(FACTOR, end - begin + FACTOR, FACTOR), end - begin) - 1
        starts, ends = below.starts.all[begin:end], below.ends.all[begin:end]
        sizes = np.bincount(places, minlength=len(lasts))
        self.extend(starts[::FACTOR], ends[lasts], sizes, rows, table[places, rows].astype(np.int64))
