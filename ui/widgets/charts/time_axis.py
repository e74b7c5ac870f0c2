"""One time axis for several charts: the stretch they show, and the moment the cursor stands at."""

from __future__ import annotations

import math
from typing import Protocol

from PySide6.QtCore import QObject, Signal

from .scale import round_time_step

SHORTEST_S = 2.0  # nobody can zoom in further
_FIRST_MINUTE = 60.0  # a session that has just begun has an axis of this length
_STEPS = 20  # an axis that follows moves by this part of itself


class TimedChart(Protocol):
    """What the axis needs of a chart."""

    def join(self, axis: TimeAxis) -> None: ...
    def oldest(self) -> float | None: ...
    def newest(self) -> float | None: ...
    def show_range(self, _first: float, _last: float, /) -> None: ...
    def show_cursor(self, t: float | None) -> None: ...
    def redraw(self) -> None: ...


class TimeAxis(QObject):
    """A time axis that follows the newest value until a person zooms, pans or shows all."""

    cursor_moved = Signal(object)  # float | None
    following_changed = Signal(bool)
    range_changed = Signal(float, float)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._charts: list[TimedChart] = []
        self._width: float | None = None  # of what is shown while following; None: all there is
        self.range = (0.0, _FIRST_MINUTE)
        self._meant: tuple[float, float] | None = None  # the part of a chosen range that its figures are of
        self.cursor: float | None = None
        self.is_following = True
        self.is_growing = (
            True  # the newest value stays in sight, also where all is shown and nothing followed
        )

    def add(self, chart: TimedChart) -> None:
        """Add a chart, removing it from its old axis; remove it before it is deleted."""
        self._charts.append(chart)
        chart.join(self)
        chart.show_range(*self.range)

    def remove(self, chart: TimedChart) -> None:
        self._charts.remove(chart)

    @property
    def whole(self) -> tuple[float, float]:
        """The range from the oldest value to the newest."""
        firsts = [first for chart in self._charts if (first := chart.oldest()) is not None]
        lasts = [last for chart in self._charts if (last := chart.newest()) is not None]
        if not firsts or not lasts:
            return (0.0, _FIRST_MINUTE)
        return min(firsts), max(*lasts, min(firsts) + SHORTEST_S)

    def refresh(self) -> None:
        """Paint each chart once after new values; while following, the axis moves in steps."""
        if not (self.is_growing and self._show(*self._followed(is_fitted=False))):
            for chart in self._charts:
                chart.redraw()

    def follow(self) -> None:
        """Follow the newest value with the current width."""
        first, last = self.whole
        width = self.range[1] - self.range[0]
        self._grow(None if width >= last - first else width)
        self.set_following(True)

    def reset(self) -> None:
        """All there is, and what will come; nothing is followed any more."""
        self.show_all()
        self.set_following(False)

    def show_all(self) -> None:
        """All there is, and what will come."""
        self._grow(None)

    def _grow(self, width: float | None) -> None:
        self._width, self.is_growing = width, True
        self._show(*self._followed(is_fitted=True))

    @property
    def stretch(self) -> tuple[float, float] | None:
        """The range that a person has chosen; None while the newest value stays visible."""
        return None if self.is_growing else self._meant or self.range

    def look_at(self, first: float, last: float, meant: tuple[float, float]) -> None:
        """Show this range, with the numbers of a part of it."""
        self.set_range(first, last)
        self._meant = meant
        self.refresh()

    def set_range(self, first: float, last: float) -> None:
        """Show this range and stay there."""
        self.is_growing = False
        self._meant = None
        self.set_following(False)
        middle, half = (first + last) / 2, max(last - first, SHORTEST_S) / 2
        self._show(middle - half, middle + half)

    def zoom(self, factor: float, around: float) -> None:
        """Zoom by `factor` around this moment."""
        first, last = self.range
        begin, end = self.whole
        factor = max(factor, SHORTEST_S / (last - first))
        is_whole = self.is_growing and self._width is None
        if (last - first) * factor >= end - begin:
            if not is_whole:  # else there is no more to be seen
                self.reset()
        else:
            self.set_range(around - (around - first) * factor, around + (last - around) * factor)

    def pan(self, by: float) -> None:
        """Move the range, within the values."""
        first, last = self.range
        begin, end = self.whole
        by = min(max(by, min(begin - first, 0.0)), max(end - last, 0.0))
        if by:
            self.set_range(first + by, last + by)

    def set_cursor(self, t: float | None) -> None:
        if t != self.cursor:
            self.cursor = t
            for chart in self._charts:
                chart.show_cursor(t)
            self.cursor_moved.emit(t)

    def _followed(self, is_fitted: bool) -> tuple[float, float]:
        """The range to show now; kept while the newest value is in it, unless everything must fit."""
        begin, end = self.whole
        if self._width is None and is_fitted:
            return self._fitted(begin, end)
        first = begin if self._width is None else self.range[0]
        width = self._width or max(end - begin, _FIRST_MINUTE)
        step = round_time_step(width / _STEPS)
        if not is_fitted and end <= self.range[1] <= end + 2 * step and first == self.range[0]:
            return self.range
        last = math.floor(end / step + 1) * step
        return (begin, max(last, begin + _FIRST_MINUTE)) if self._width is None else (last - width, last)

    def _fitted(self, begin: float, end: float) -> tuple[float, float]:
        return begin, end + (end - begin) / 200

    def _show(self, first: float, last: float) -> bool:
        if (first, last) == self.range:
            return False
        self.range = (first, last)
        for chart in self._charts:
            chart.show_range(first, last)
        self.range_changed.emit(first, last)
        return True

    def set_following(self, is_following: bool) -> None:
        """Set following without changing the range."""
        if is_following != self.is_following:
            self.is_following = is_following
            self.following_changed.emit(is_following)
