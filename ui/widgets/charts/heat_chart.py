"""A heat map: time across, latency up, the number of events as colour; one image a frame."""

from __future__ import annotations

from collections.abc import Sequence
from math import log10

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QObject, QPointF, QRectF, Qt
from PySide6.QtGui import QImage, QLinearGradient, QMouseEvent, QPainter
from PySide6.QtWidgets import QWidget

from app.protocol.latency import BUCKETS, bucket_at, upper_ms
from ui.core.theme import SPACE, Theme

from .frame import LANE, ChartFrame
from .heat_track import HeatColumns, HeatTrack, Integers
from .latency_chart import LatencyChart, percentiles_in_head
from .lines import ChartLine, Span
from .scale import time_text, value_text

_CELL_WIDTH, _CELL_HEIGHT = 2, 2  # pixels a cell has at least
_LEGEND = 72  # pixels of its colours
_COLOURS = 256
_COLUMNS = 200  # of the image at least: each column is as wide as any
Pixels = NDArray[np.uint32]
_JOINED_S = 0.1  # between two seconds that are drawn without a gap


class HeatChart(LatencyChart):
    """The latencies of a session second by second, with exact numbers under the mouse."""

    def __init__(self, theme: Theme, title: str, unit: str, parent: QWidget | None = None) -> None:
        self._heat = HeatTrack(BUCKETS)
        self._limits: tuple[int, int, int] | None = None  # lowest and highest bucket, most events of a second
        self._cells: HeatColumns | None = None
        self._image = QImage()
        self._y: float | None = None  # of the mouse, in pixels
        self.nothing = ""  # shown where there are no latencies
        super().__init__(theme, title, unit, parent)
        self.scale.fix_logarithmic()
        self.canvas.viewport().installEventFilter(self)

    def show_heat(self, heat: HeatTrack, line: ChartLine, limits: tuple[int, int, int] | None = None) -> None:
        """Show these latencies; `limits` are those of several charts that are read together."""
        self._heat, self._limits = heat, limits
        self.set_heats({line.key: heat})
        self.set_lines([line])

    def set_spans(self, spans: Sequence[Span]) -> None:
        super().set_spans(spans)
        self.canvas.top = LANE  # for the number under the mouse, and what the colours are
        self.canvas.place()
        self.redraw()

    # ---- what the axis asks for

    def oldest(self) -> float | None:
        return self._heat.first

    def newest(self) -> float | None:
        return self._heat.last

    def show_cursor(self, t: float | None) -> None:
        self._drawn_cursor = t
        self.canvas.viewport().update()
        if t is not None and self.hasFocus():
            self.setAccessibleDescription(self.cursor_text)

    def redraw(self) -> None:
        if not self.isVisible():
            return
        low, high, most = self.limits
        edges = [log10(_lower_ms(low)), log10(upper_ms(max(high, 0)))] if high >= low else []
        self.canvas.fit(self.axis.range, [np.array(edges)], self.scale)
        self._cells = self._cells_seen()
        self._image = image_of(self._cells, self.axis.range, most, self._theme) if high >= low else QImage()
        self._drawn_cursor = self.axis.cursor
        self._show_figures()
        self.canvas.viewport().update()

    @property
    def limits(self) -> tuple[int, int, int]:
        """The buckets that are shown, and the events that have the last colour."""
        return self._limits or (self._heat.low, self._heat.high, self._heat.most)

    def _cells_seen(self) -> HeatColumns:
        plot = self.canvas.area.plot
        columns, rows = plot.width() // _CELL_WIDTH, plot.height() // _CELL_HEIGHT
        return self._heat.window(*self.axis.range, max(int(columns), 1), max(int(rows), 1), self.limits[:2])

    # ---- the mouse

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QMouseEvent) and event.type() == QEvent.Type.MouseMove:
            self._y = event.position().y()
            self.canvas.viewport().update()
        elif event.type() == QEvent.Type.Leave:
            self._y = None
        return super().eventFilter(watched, event)

    def _snapped(self, t: float) -> float:
        found = self._heat.at(t)
        return t if found is None else found[1]

    @property
    def cursor_text(self) -> str:
        """`0:12: 0.310 to 0.316 ms: 1,234 events, 3.2 % of 38,123`; all of the second away from the mouse."""
        found = None if self._drawn_cursor is None else self._heat.at(self._drawn_cursor)
        if found is None:
            return ""
        _, end, events = found
        total = int(events.sum())
        when = time_text(end, self.axis.range[1] - self.axis.range[0] < 60)
        part = self._row_text(events, total)
        return f"{when}: {part or f'{total:,} events, {percentiles_in_head(events)}'}"

    def _row_text(self, events: Integers, total: int) -> str:
        area, cells = self.canvas.area, self._cells
        if self._y is None or cells is None or not area.plot.top() <= self._y <= area.plot.bottom():
            return ""
        y = area.y[1] - area.height(self._y - area.plot.top())
        place = (bucket_at(10**y) - cells.first_row) // cells.rows_each
        first = max(cells.first_row + place * cells.rows_each, 0)
        last = min(first + cells.rows_each - 1, BUCKETS - 1)
        count = int(events[first : last + 1].sum())
        share = f"{100 * count / total:.2g}" if total else "0"
        between = f"{value_text(_lower_ms(first))} to {value_text(upper_ms(last))} ms"
        return f"{between}: {count:,} events, {share} % of {total:,}"

    # ---- painting

    def _draw_above(self, painter: QPainter, area: ChartFrame) -> None:
        low, *_ = self.limits
        if not self._image.isNull() and self._cells is not None:
            last = low + self._image.height() * self._cells.rows_each - 1
            top, bottom = area.py(log10(upper_ms(last))), area.py(log10(_lower_ms(low)))
            painter.save()
            painter.setClipRect(area.plot)
            painter.drawImage(QRectF(area.plot.left(), top, area.plot.width(), bottom - top), self._image)
            painter.restore()
            self._draw_legend(painter, area)
        elif self.nothing:
            painter.setPen(self._theme.colour("muted"))
            painter.drawText(area.plot, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, self.nothing)
        super()._draw_above(painter, area)
        if text := self.cursor_text:
            self._draw_box(painter, text, QPointF(area.plot.left(), area.plot.top() - LANE))

    def _draw_legend(self, painter: QPainter, area: ChartFrame) -> None:
        """Draw what the colours are, above the cells at the right."""
        assert self._cells is not None
        metrics = painter.fontMetrics()
        most = f"{_limit_of(self._cells, self.limits[2]):,} events"
        width = metrics.horizontalAdvance("1") + _LEGEND + metrics.horizontalAdvance(most) + 4 * SPACE // 2
        place = QRectF(area.plot.right() - width, area.plot.top() - LANE, width, metrics.height())
        painter.fillRect(place, self._theme.colour("base"))
        bar = place.adjusted(metrics.horizontalAdvance("1") + SPACE, 3, 0, -3)
        bar.setWidth(_LEGEND)
        gradient = QLinearGradient(bar.topLeft(), bar.topRight())
        ramp = self._theme.ramp()
        for at, colour in enumerate(ramp):
            gradient.setColorAt(at / (len(ramp) - 1), colour)
        painter.fillRect(bar, gradient)
        painter.setPen(self._theme.colour("muted"))
        painter.drawText(place.adjusted(SPACE // 2, 0, 0, 0), Qt.AlignmentFlag.AlignVCenter, "1")
        painter.drawText(place, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, most)

    def _draw_box(self, painter: QPainter, text: str, at: QPointF) -> None:
        metrics = painter.fontMetrics()
        place = QRectF(at.x(), at.y(), metrics.horizontalAdvance(text) + SPACE, metrics.height())
        painter.fillRect(place, self._theme.colour("text"))
        painter.setPen(self._theme.colour("base"))
        painter.drawText(place, Qt.AlignmentFlag.AlignCenter, text)


def _lower_ms(bucket: int) -> float:
    return upper_ms(bucket - 1)


def _limit_of(cells: HeatColumns, most: int) -> int:
    """The events of the last colour: a cell of several seconds and buckets has more."""
    return max(most * cells.seconds_each * cells.rows_each, 2)


def image_of(cells: HeatColumns, shown: tuple[float, float], most: int, theme: Theme) -> QImage:
    """The cells as an image of the whole range, a pixel a row; no events are transparent."""
    with np.errstate(divide="ignore"):
        shares = np.log(cells.events) * ((_COLOURS - 1) / np.log(_limit_of(cells, most)))
    places = np.clip(shares, 0, _COLOURS - 1).astype(np.int16)
    pixels = np.where(cells.events > 0, _palette(theme)[places], np.uint32(0))
    upright = np.ascontiguousarray(_spread(cells, pixels, shown).T[::-1])
    height, width = upright.shape
    return QImage(upright.tobytes(), width, height, 4 * width, QImage.Format.Format_ARGB32).copy()


def _spread(cells: HeatColumns, pixels: Pixels, shown: tuple[float, float]) -> Pixels:
    """The pixels in columns of equal width: seconds last differently long, and there are gaps."""
    count = max(2 * len(pixels), _COLUMNS)
    moments = shown[0] + (np.arange(count) + 0.5) * (shown[1] - shown[0]) / count
    places = np.searchsorted(cells.ends, moments)
    there = places < len(cells.ends)
    there[there] = cells.starts[places[there]] <= moments[there] + _JOINED_S
    found = np.zeros((count, pixels.shape[1]), np.uint32)
    found[there] = pixels[places[there]]
    return found


def _palette(theme: Theme) -> Pixels:
    ramp = theme.ramp()
    stops = np.linspace(0, _COLOURS - 1, len(ramp))
    red, green, blue = (
        np.interp(np.arange(_COLOURS), stops, part).astype(np.uint32)
        for part in zip(*((colour.red(), colour.green(), colour.blue()) for colour in ramp), strict=True)
    )
    found: Pixels = np.uint32(0xFF000000) | red << np.uint32(16) | green << np.uint32(8) | blue
    return found
