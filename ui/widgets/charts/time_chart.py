"""A chart over time. Pages import this where they are built, for pyqtgraph is dear."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import inf

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QPainter, QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from ui.core.theme import SPACE, Theme
from ui.widgets.focus_frame import FocusFrame

from .canvas import Canvas
from .frame import (
    AXIS,
    LANE,
    ChartBackground,
    ChartFrame,
    draw_cursor,
    draw_dots,
    draw_focus,
    draw_note_flags,
    draw_selected_range,
)
from .head import ChartHead, drawn_colour
from .hidden import HiddenChartLines
from .keys import KEYS, press, toggle_legend_entry
from .lines import ChartLine, Span
from .menu import ChartMenu
from .pointer import ChartMouseHandler
from .pyramid import GrowingTimeSeries, Values, cut_into_dashes, logarithms, snapped
from .range_figures import Found, RangeFiguresLine, means_of_lines
from .right_axis import Place, RightAxis
from .scale import time_text, value_text
from .time_axis import TimeAxis
from .value_scale import ValueScale

_DASH = 14  # pixels of a dash and the gap after it
_NAMED = 16  # curves: of more only those that are no ghosts are named above


class TimeChart(FocusFrame):
    """Curves over time, with their values at the cursor, else the newest."""

    def __init__(self, theme: Theme, title: str, unit: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._lines: list[ChartLine] = []
        self._named: list[ChartLine] = []  # those of them that the head names
        self._tracks: dict[str, GrowingTimeSeries] = {}
        self.marks: list[tuple[float, str]] = []
        self._stack = StackedCurves()
        self.right = RightAxis()
        self._drawn_cursor: float | None = None
        self.ground = ChartBackground()
        self.head = ChartHead(theme, title, unit, self)
        self.figures = RangeFiguresLine(theme, unit, self)
        self.canvas = Canvas(theme, self.ground, self._draw_above)
        self.axis = TimeAxis(self)
        self.scale = ValueScale(self)
        self.menu = ChartMenu(self, self.head, self.scale)
        self._pointer = ChartMouseHandler(self.axis, self.canvas, self._snapped)
        self.axis.add(self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.head)
        layout.addWidget(self.figures)
        layout.addWidget(self.canvas, 1)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(f"{title}, {unit}" if unit else title)
        self.setAccessibleDescription(KEYS)
        self.canvas.resized.connect(self.redraw)
        self._pointer.banding.connect(self.canvas.viewport().update)
        self._pointer.banding.connect(self._show_figures)
        self.head.hidden.changed.connect(self.redraw)
        self.scale.changed.connect(self.redraw)
        theme.changed.connect(self._on_theme_changed)

    # ---- what pages give

    def set_title(self, title: str, unit: str) -> None:
        self.head.set_title(title, unit)
        self.figures.unit = unit
        self.setAccessibleName(f"{title}, {unit}" if unit else title)

    def set_lines(self, lines: Sequence[ChartLine]) -> None:
        """Set the curves in the order of the head; call again after a change of theme."""
        for gone in {line.key for line in self._lines} - {line.key for line in lines}:
            self.canvas.remove_line(gone)
        self._lines = list(lines)
        for at, line in enumerate(lines):
            height = -at - len(lines) * line.faint  # ghosts are behind
            self.canvas.set_line(line.key, drawn_colour(line, self._theme), height, line.stacked)
        self._named = [line for line in lines if len(lines) <= _NAMED or not line.faint]
        self.canvas.has_right_axis = any(line.is_right for line in lines)
        self.canvas.place()
        are_shares = any(line.stacked for line in lines)
        self.head.set_lines(self._named, widest="88.88" if are_shares else "888,888")
        self.redraw()

    def share_hidden(self, hidden: HiddenChartLines) -> None:
        """Share hidden contenders with another chart."""
        self.head.hidden.changed.disconnect(self.redraw)
        self.head.share(hidden)
        hidden.changed.connect(self.redraw)

    def _visible(self) -> list[ChartLine]:
        """The lines that are not hidden."""
        hidden = self.head.hidden.of(self._lines)
        return [line for line in self._lines if line.owner not in hidden] if hidden else self._lines

    def track(self, key: str) -> GrowingTimeSeries:
        """The values of a line: extend them, then refresh the axis."""
        found = self._tracks.get(key)
        if found is None:
            found = self._tracks[key] = GrowingTimeSeries()
        return found

    def set_tracks(self, tracks: Mapping[str, GrowingTimeSeries]) -> None:
        self._tracks = dict(tracks)
        self._stack.clear()
        self.redraw()

    def set_spans(self, spans: Sequence[Span]) -> None:
        self.ground.spans = tuple(spans)
        self.canvas.top = LANE if any(span.label for span in spans) else SPACE
        self.canvas.place()
        self.redraw()

    def set_marks(self, marks: Sequence[tuple[float, str]]) -> None:
        self.marks = sorted(marks)
        self.canvas.viewport().update()

    def set_times_shown(self, is_shown: bool) -> None:
        """Show or hide times below; in a column of charts only the lowest needs them."""
        self.ground.has_texts_below = is_shown
        self.canvas.bottom = AXIS if is_shown else SPACE
        self.canvas.place()
        self.redraw()

    # ---- what the axis asks for

    def join(self, axis: TimeAxis) -> None:
        if axis is not self.axis:
            self.axis.remove(self)
        self.axis = self._pointer.axis = self.menu.axis = axis

    def oldest(self) -> float | None:
        return min((track.first for track in self._shown() if track.first is not None), default=None)

    def newest(self) -> float | None:
        return max((track.last for track in self._shown() if track.last is not None), default=None)

    def _shown(self) -> list[GrowingTimeSeries]:
        return [self.track(line.key) for line in self._lines]

    def show_range(self, _first: float, _last: float) -> None:
        self.redraw()

    def show_cursor(self, t: float | None) -> None:
        self.canvas.repaint_around(t, self._drawn_cursor)
        self._show_values()
        if t is not None and self.hasFocus():
            self.setAccessibleDescription(f"{time_text(t)}: {self.head.read_out()}")

    def redraw(self) -> None:
        """Paint curves, range and values at once; a hidden chart paints when shown."""
        if not self.isVisible():
            return
        lines = self._visible()
        self._stack.update([line.key for line in lines if line.stacked], self.track)
        curves = [self._stretch_of(line) for line in lines]
        is_stack = any(line.stacked for line in lines)
        drawn = list(zip(lines, curves, strict=True))
        left = [curve for line, curve in drawn if not line.is_right]
        self.canvas.fit(self.axis.range, self.values_for_axis(left), self.scale, is_stack)
        right = [values for line, (_, values) in drawn if line.is_right]
        self.right.fit(right, self.scale, self.canvas.most_ticks)
        self.canvas.show_only({line.key for line in lines})
        for line, (t, values) in drawn:
            self.canvas.set_values(line.key, t, self._placed(line, values))
        self._show_values()
        self._show_figures()
        self.canvas.viewport().update()

    def _placed(self, line: ChartLine, value: Place) -> Place:
        """Where a value is on the left axis."""
        return self.right.on_left(value, self.canvas.area.y) if line.is_right else value

    def values_for_axis(self, curves: Sequence[tuple[Values, Values]]) -> list[Values]:
        """The values that the axis has to show, of curves as times and values."""
        return [values for _, values in curves]

    def _show_figures(self) -> None:
        """Show the numbers of the range being drawn, else of the chosen one."""
        if (chosen := self._pointer.band or self.axis.stretch) is None:
            self.figures.hide()
            return
        lines = [line for line in self._visible() if line in self._named and not line.is_right]
        first, last = sorted(chosen)
        self.figures.show_range((first, last), *self.figures_of(lines, first, last))

    def figures_of(self, lines: Sequence[ChartLine], first: float, last: float) -> tuple[str, Found]:
        """What the numbers of a range are, and those of each line."""
        return means_of_lines([(line, self.track(line.key).spread(first, last)) for line in lines])

    def _drawn_track(self, line: ChartLine) -> GrowingTimeSeries:
        """What is drawn of a line: where areas stand on each other, its sum with those below."""
        return self._stack.sums(line.key) if line.stacked else self.track(line.key)

    def _stretch_of(self, line: ChartLine) -> tuple[Values, Values]:
        (first, last), width = self.axis.range, max(self.canvas.area.plot.width(), 1.0)
        track = self._drawn_track(line)
        t, values = track.window(first, last, round(width * self.devicePixelRatioF()))
        t, values = area_points(t, values) if line.stacked else (t, values)
        values = logarithms(values) if self.scale.is_logarithmic else values
        return cut_into_dashes(t, values, (last - first) / width * _DASH) if line.dashed else (t, values)

    def _show_values(self) -> None:
        """Show the values at the cursor, else the newest."""
        cursor = self.axis.cursor
        self._drawn_cursor = cursor
        self.head.set_values([value_text(self._value_at(line, cursor)) for line in self._named])

    def _value_at(self, line: ChartLine, t: float | None) -> float | None:
        track = self.track(line.key)
        return track.newest if t is None else track.at(t, self.canvas.near)

    def _snapped(self, t: float) -> float:
        """The time of the nearest sample."""
        return snapped(t, map(self.track, (line.key for line in self._visible())), self.canvas.near)

    def _draw_above(self, painter: QPainter, area: ChartFrame) -> None:
        if right := [line for line in self._visible() if line.is_right]:
            self.right.draw(painter, area, drawn_colour(right[0], self._theme))
        draw_note_flags(painter, area, self._theme, self.marks)
        drawn = self._drawn_cursor
        cursor = None if drawn is None else self._snapped(drawn)  # keys move it between samples too
        if cursor is not None and area.x[0] <= cursor <= area.x[1]:
            text = time_text(cursor, area.x[1] - area.x[0] < 60) if self.ground.has_texts_below else ""
            draw_cursor(painter, area, self._theme, (cursor, text), ())
            for line in self._visible():  # dots are on the samples that are read out
                sample = self._drawn_track(line).nearest(cursor, self.canvas.near)
                y = self.scale.place(sample and sample[1])
                if sample and y is not None and area.y[0] <= (y := self._placed(line, y)) <= area.y[1]:
                    colour = drawn_colour(line, self._theme)
                    draw_dots(painter, area, self._theme, [(sample[0], y)], colour, 4)
        if self._pointer.band:
            draw_selected_range(painter, area, self._theme, self._pointer.band)
        if self.is_framed:
            draw_focus(painter, area, self._theme)

    # ---- what the person does

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = self.canvas.area.length(4)
        is_done = press(self.axis, event.key(), event.modifiers(), step)
        if not is_done and not toggle_legend_entry(self.head, event.key()):
            super().keyPressEvent(event)

    def _frame(self, is_framed: bool) -> None:
        super()._frame(is_framed)
        self.canvas.viewport().update()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.redraw()

    def _on_theme_changed(self) -> None:
        self.canvas.resetCachedContent()
        self.set_lines(self._lines)
        self.head.update()


# curves that stand on each other: the sums behind the areas of a stack over time


class StackedCurves:
    """For each curve the sum of it and of all before it; grows with them."""

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        self._sums: dict[str, GrowingTimeSeries] = {}
        self._done = 0  # values of each curve that are added

    def update(self, keys: Sequence[str], track: Callable[[str], GrowingTimeSeries]) -> None:
        """Add new values; begins anew if other curves are visible."""
        if list(self._sums) != list(keys):
            self.clear()
            self._sums = _tracks(keys)
        tracks = [track(key) for key in keys]
        end = min(map(len, tracks), default=0)
        if end < self._done:
            self._sums = _tracks(keys)
            self._done = 0
        if end > self._done:
            times, _ = tracks[0].between(self._done, end)
            values = np.cumsum([each.between(self._done, end)[1] for each in tracks], axis=0)
            for key, row in zip(keys, values, strict=True):
                self._sums[key].extend(times, row)
            self._done = end

    def sums(self, key: str) -> GrowingTimeSeries:
        return self._sums[key]


def _tracks(keys: Sequence[str]) -> dict[str, GrowingTimeSeries]:
    """Empty sums; the curves know what a gap is."""
    return {key: GrowingTimeSeries(inf) for key in keys}


def area_points(t: Values, values: Values) -> tuple[Values, Values]:
    """Points of an area: it ends upright at a gap, and has no height in it."""
    gap = np.isnan(values)
    at = np.repeat(np.arange(len(t)), np.where(gap, 2, 1))
    is_second = np.append(False, at[1:] == at[:-1])
    aside = np.where(gap[at], np.where(is_second, at + 1, at - 1), at).clip(0, max(len(t) - 1, 0))
    return t[aside], np.nan_to_num(values[at])
