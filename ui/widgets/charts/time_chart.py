"""A chart over time. Pages import this where they are built, for pyqtgraph is dear.

What makes a frame cheap, all of it measured: a minimum and a maximum a pixel, opaque pens of one pixel, an
opaque grid in a kept ground, no search for finite values or for the range, and one paint on request.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from pyqtgraph import GraphicsView, PlotCurveItem, ViewBox, mkPen  # type: ignore[import-untyped]
from PySide6.QtCore import QRect, QRectF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QKeyEvent,
    QPainter,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import QVBoxLayout, QWidget

from ui.core.theme import SPACE, Theme
from ui.widgets.reached import Reached
from ui.widgets.table import tabular

from .frame import AXIS, LANE, Frame, Ground, draw_band, draw_cursor, draw_focus, draw_marks
from .head import Head, drawn_colour
from .keys import KEYS, press
from .lines import Line, Span
from .pointer import Pointer
from .pyramid import Track, Values, dashed, highest, lowest, seen
from .scale import clock_form, figure_ticks, fitting, time_text, time_ticks, value_text
from .time_axis import TimeAxis

_ALONE = 1.5  # pixels of a value between two gaps
_DASH = 14  # pixels of a dash and the gap after it
_CURSOR = 48  # pixels each side of the cursor that are painted anew when it moves
_TICK_HEIGHT, _TICK_WIDTH = 32, 110  # pixels a tick has at least
_NAMED = 16  # curves: of more only those that are no ghosts are named above


class Curve(PlotCurveItem):  # type: ignore[misc]
    """Takes up what is shown: to search its values for their bounds would be dear."""

    extent = QRectF()
    shift: tuple[float, float] | None = None  # at which it is drawn once more, to be two pixels wide

    def boundingRect(self) -> QRectF:
        return self.extent

    def paint(self, painter: QPainter, option: object, widget: QWidget | None = None) -> None:
        super().paint(painter, option, widget)
        if self.shift:
            painter.translate(*self.shift)
            painter.drawPath(self.getPath())


class Canvas(GraphicsView):  # type: ignore[misc]
    """The curves of one chart, between its ground and what is above."""

    resized = Signal()

    def __init__(self, theme: Theme, ground: Ground, above: Callable[[QPainter, Frame], None]) -> None:
        self._theme, self._ground, self._above = theme, ground, above
        self.area = Frame()
        self.top = SPACE
        self.bottom = AXIS
        self._curves: dict[str, Curve] = {}
        self._box = ViewBox(enableMouse=False, enableMenu=False, defaultPadding=0)
        super().__init__(background=None)
        self.setCentralItem(None)
        self.scene().addItem(self._box)
        self.scene().setItemIndexMethod(self.scene().ItemIndexMethod.NoIndex)
        self.setViewportUpdateMode(self.ViewportUpdateMode.NoViewportUpdate)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setFont(tabular(self.font()))
        self.setMinimumHeight(60)

    # ---- what is shown

    def set_line(self, key: str, colour: QColor, height: int) -> None:
        """Make or change a curve; `height` puts it over others."""
        if key not in self._curves:
            self._curves[key] = Curve(skipFiniteCheck=True)
            self._box.addItem(self._curves[key], ignoreBounds=True)
        self._curves[key].setPen(mkPen(colour, width=1))
        self._curves[key].setZValue(height)

    def remove_line(self, key: str) -> None:
        self._box.removeItem(self._curves.pop(key))

    def set_values(self, key: str, x: Values, y: Values) -> None:
        """Of a curve, after its area is set; NaN is a gap."""
        curve, (first, last), (low, high) = self._curves[key], self.area.x, self.area.y
        curve.extent = QRectF(first, low, last - first, high - low)
        is_thin = self.devicePixelRatioF() >= 1.5 and len(x) < self.area.plot.width()
        curve.shift = (self.area.length(0.5), self.area.height(0.5)) if is_thin else None
        if has_gaps := bool(np.isnan(y).any()):
            x, y = seen(x, y, self.area.length(_ALONE))
        curve.setData(x=x, y=y, connect="finite" if has_gaps else "all")

    def set_area(self, x: tuple[float, float], y: tuple[float, float]) -> None:
        """The range that is shown; the ground is painted anew where it is another one."""
        if (x, y) != (self.area.x, self.area.y):
            self.area.x, self.area.y = x, y
            self._box.setRange(xRange=x, yRange=y, padding=0)
            self.resetCachedContent()

    def place(self) -> None:
        """Where the curves are: as wide in all charts, so that equal times are below each other."""
        left = self.fontMetrics().horizontalAdvance("888.8M") + SPACE
        self.area.plot = QRectF(self.rect()).adjusted(left, self.top, -2 * SPACE, -self.bottom)
        self._box.setGeometry(self.area.plot)
        self.resetCachedContent()

    def repaint_around(self, *xs: float | None) -> None:
        """Only what the cursor covers, or covered."""
        for x in xs:
            if x is not None:
                left = round(self.area.px(x)) - _CURSOR
                self.viewport().update(QRect(left, 0, 2 * _CURSOR, self.height()))

    def drawBackground(self, painter: QPainter, rect: QRectF) -> None:
        painter.fillRect(rect, self._theme.colour("base"))
        painter.setFont(self.font())
        self._ground.draw(painter, self.area, self._theme)

    def drawForeground(self, painter: QPainter, _rect: QRectF) -> None:
        painter.setFont(self.font())
        self._above(painter, self.area)

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        super().resizeEvent(event)
        self.place()
        self.resized.emit()


class TimeChart(Reached):
    """Curves over time, with their values where the cursor is; without one, the newest."""

    def __init__(self, theme: Theme, title: str, unit: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._lines: list[Line] = []
        self._named: list[Line] = []  # those of them that the head names
        self._tracks: dict[str, Track] = {}
        self._marks: list[tuple[float, str]] = []
        self._drawn_cursor: float | None = None
        self._fitted: tuple[float, ...] = ()  # what the ticks were made for
        self._ground = Ground()
        self._head = Head(theme, title, unit, self)
        self._canvas = Canvas(theme, self._ground, self._draw_above)
        self.axis = TimeAxis(self)
        self._pointer = Pointer(self.axis, self._canvas.area, self._canvas.viewport())
        self.axis.add(self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._head)
        layout.addWidget(self._canvas, 1)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(f"{title}, {unit}" if unit else title)
        self.setAccessibleDescription(KEYS)
        self._canvas.resized.connect(self._on_resized)
        self._pointer.banding.connect(self._canvas.viewport().update)
        theme.changed.connect(self._on_theme_changed)

    # ---- what pages give

    def set_title(self, title: str, unit: str) -> None:
        self._head.set_title(title, unit)
        self.setAccessibleName(f"{title}, {unit}" if unit else title)

    def set_lines(self, lines: Sequence[Line]) -> None:
        """The curves in the order of the head line; given anew when the theme has changed."""
        for gone in {line.key for line in self._lines} - {line.key for line in lines}:
            self._canvas.remove_line(gone)
        self._lines = list(lines)
        for at, line in enumerate(lines):
            height = -at - len(lines) * line.faint  # ghosts are behind
            self._canvas.set_line(line.key, drawn_colour(line, self._theme), height)
        self._named = [line for line in lines if len(lines) <= _NAMED or not line.faint]
        self._head.set_lines(self._named, widest="888,888")
        self.redraw()

    def track(self, key: str) -> Track:
        """The values of a line: extend them, then let the axis refresh."""
        found = self._tracks.get(key)
        if found is None:
            found = self._tracks[key] = Track()
        return found

    def set_tracks(self, tracks: Mapping[str, Track]) -> None:
        self._tracks = dict(tracks)
        self.redraw()

    def set_spans(self, spans: Sequence[Span]) -> None:
        self._ground.spans = tuple(spans)
        self._leave_lane()

    def set_marks(self, marks: Sequence[tuple[float, str]]) -> None:
        self._marks = sorted(marks)
        self._canvas.viewport().update()

    def set_times_shown(self, is_shown: bool) -> None:
        """In a column of charts only the lowest needs the times below it."""
        self._ground.has_texts_below = is_shown
        self._canvas.bottom = AXIS if is_shown else SPACE
        self._canvas.place()
        self.redraw()

    def _leave_lane(self) -> None:
        has_labels = any(span.label for span in self._ground.spans)
        self._canvas.top = LANE if has_labels else SPACE
        self._canvas.place()
        self.redraw()

    # ---- what the axis asks for

    def join(self, axis: TimeAxis) -> None:
        if axis is not self.axis:
            self.axis.remove(self)
        self.axis = self._pointer.axis = axis

    def oldest(self) -> float | None:
        return min((track.first for track in self._shown() if track.first is not None), default=None)

    def newest(self) -> float | None:
        return max((track.last for track in self._shown() if track.last is not None), default=None)

    def _shown(self) -> list[Track]:
        return [self.track(line.key) for line in self._lines]

    def show_range(self, _first: float, _last: float) -> None:
        self.redraw()

    def show_cursor(self, t: float | None) -> None:
        self._canvas.repaint_around(t, self._drawn_cursor)
        self._show_values()
        if t is not None and self.hasFocus():
            self.setAccessibleDescription(f"{time_text(t)}: {self._head.read_out()}")

    def redraw(self) -> None:
        """Curves, range and values, in one paint; when hidden, as soon as it is seen."""
        if not self.isVisible():
            return
        curves = [self._stretch_of(line) for line in self._lines]
        self._fit(curves)
        for line, (t, values) in zip(self._lines, curves, strict=True):
            self._canvas.set_values(line.key, t, values)
        self._show_values()
        self._canvas.viewport().update()

    def _stretch_of(self, line: Line) -> tuple[Values, Values]:
        (first, last), width = self.axis.range, max(self._canvas.area.plot.width(), 1.0)
        t, values = self.track(line.key).window(first, last, round(width * self.devicePixelRatioF()))
        return dashed(t, values, (last - first) / width * _DASH) if line.dashed else (t, values)

    def _fit(self, curves: Sequence[tuple[Values, Values]]) -> None:
        """Round ranges around what is shown, and their ticks."""
        (first, last), area = self.axis.range, self._canvas.area
        most_x = max(int(area.plot.width() / _TICK_WIDTH), 1)
        most_y = max(int(area.plot.height() / _TICK_HEIGHT), 2)
        low = lowest([0.0, *(lowest(values) for _, values in curves if len(values))])
        high = highest([0.0, *(highest(values) for _, values in curves if len(values))])
        y = fitting(float(low), float(high), area.y, most_y)
        if self._fitted == (fitted := (first, last, *y, most_x, most_y)):
            return
        self._fitted = fitted
        self._ground.x_ticks = time_ticks(first, last, most_x)
        self._ground.y_ticks = figure_ticks(*y, most_y)
        self._ground.corner = clock_form(first, last, most_x)
        self._canvas.set_area((first, last), y)

    def _show_values(self) -> None:
        """Where the cursor stands; without one the newest."""
        cursor = self.axis.cursor
        self._drawn_cursor = cursor
        self._head.set_values([value_text(self._value_at(line, cursor)) for line in self._named])

    def _value_at(self, line: Line, t: float | None) -> float | None:
        track = self.track(line.key)
        return track.newest if t is None else track.at(t, max(1.0, self._canvas.area.length(1)))

    def _draw_above(self, painter: QPainter, area: Frame) -> None:
        draw_marks(painter, area, self._theme, self._marks)
        cursor = self._drawn_cursor
        if cursor is not None and area.x[0] <= cursor <= area.x[1]:
            text = time_text(cursor, area.x[1] - area.x[0] < 60) if self._ground.has_texts_below else ""
            dots = [(self._value_at(line, cursor), drawn_colour(line, self._theme)) for line in self._lines]
            draw_cursor(painter, area, self._theme, (cursor, text), dots)
        if self._pointer.band:
            draw_band(painter, area, self._theme, self._pointer.band)
        if self.is_framed:
            draw_focus(painter, area, self._theme)

    # ---- what the person does

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not press(self.axis, event.key(), event.modifiers(), self._canvas.area.length(4)):
            super().keyPressEvent(event)

    def _frame(self, is_framed: bool) -> None:
        super()._frame(is_framed)
        self._canvas.viewport().update()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.redraw()

    def _on_resized(self) -> None:
        self.redraw()

    def _on_theme_changed(self) -> None:
        self._canvas.resetCachedContent()
        self.set_lines(self._lines)
        self._head.update()
