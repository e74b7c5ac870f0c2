"""A figure with its title, its unit and a small trend."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from ui.core.plain import fitted
from ui.core.theme import SPACE, Theme

from .charts.lines import runs
from .table import tabular

_TREND = 56  # pixels of its width, at least
_ELIDE = Qt.TextElideMode.ElideRight


class FigureWithTrend(QWidget):
    """Title above, value below, the trend of the last minute to the right of it."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._title = self._value = ""
        self._trend: Sequence[float | None] = ()
        theme.changed.connect(self.update)

    @property
    def text(self) -> str:
        return self._value

    def name(self, title: str) -> None:
        self._title = title
        self.setAccessibleName(title)

    def show_value(self, text: str, trend: Sequence[float | None]) -> None:
        if (text, trend) != (self._value, self._trend):
            self._value, self._trend = text, trend
            self.setAccessibleDescription(text)
            self.update()

    def sizeHint(self) -> QSize:
        return QSize(16 * SPACE, 2 * self.fontMetrics().height() + 2)

    def minimumSizeHint(self) -> QSize:
        return QSize(8 * SPACE, self.sizeHint().height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        line = self.fontMetrics().height()
        painter.setPen(self._theme.colour("muted"))
        title = fitted(self.fontMetrics(), self._title, _ELIDE, self.width())
        painter.drawText(QRectF(0, 0, self.width(), line), title)
        font = tabular(self.font())
        font.setWeight(QFont.Weight.DemiBold)
        painter.setFont(font)
        painter.setPen(self._theme.colour("text"))
        trend = max(_TREND, self.width() // 3) if self._has_trend else 0
        room = self.width() - trend - (SPACE if trend else 0)
        painter.drawText(
            QRectF(0, line, room, line), fitted(painter.fontMetrics(), self._value, _ELIDE, room)
        )
        if trend:
            self._draw_trend(painter, QRectF(room + SPACE / 2, line + 2, trend, line - 4))
        painter.end()

    @property
    def _has_trend(self) -> bool:
        known = sum(value is not None for value in self._trend)
        return known > 1 and self.width() > 2 * _TREND

    def _draw_trend(self, painter: QPainter, place: QRectF) -> None:
        """The curve between its least and its highest value; a missing value breaks it."""
        known = [value for value in self._trend if value is not None]
        low, step = min(known), place.width() / (len(self._trend) - 1)
        scale = place.height() / (max(known) - low or 1.0)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(self._theme.colour("accent"), 1.0))
        left, bottom = place.left(), place.bottom()
        points = (
            None if value is None else QPointF(left + at * step, bottom - (value - low) * scale)
            for at, value in enumerate(self._trend)
        )
        for run in runs(points):
            painter.drawPolyline(run)
