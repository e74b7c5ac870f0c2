"""Where the curves of a chart over time are painted, by pyqtgraph.

What makes a frame cheap, all of it measured: a minimum and a maximum a pixel, opaque pens of one pixel, an
opaque grid in a kept ground, no search for finite values or for the range, and one paint on request.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from pyqtgraph import GraphicsView, PlotCurveItem, ViewBox, mkBrush, mkPen  # type: ignore[import-untyped]
from PySide6.QtCore import QEvent, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QResizeEvent
from PySide6.QtWidgets import QWidget

from ui.core.theme import SPACE, Theme
from ui.widgets.table import tabular

from .frame import AXIS, ChartBackground, ChartFrame
from .pyramid import GAP_S, Values, highest, lowest, widen_lone_points
from .scale import clock_form, steady_axis_range, time_ticks
from .value_scale import ValueScale

_TICK_HEIGHT, _TICK_WIDTH = 32, 110  # pixels a tick has at least
_ALONE = 1.5  # pixels of a value between two gaps
_CURSOR = 48  # pixels each side of the cursor that are painted anew when it moves


class Curve(PlotCurveItem):  # type: ignore[misc]
    """A curve that accepts its data unchecked: searching it for bounds would be slow."""

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
    """The curves of a chart, between its ground and the layers above."""

    resized = Signal()

    def __init__(
        self, theme: Theme, ground: ChartBackground, above: Callable[[QPainter, ChartFrame], None]
    ) -> None:
        self._theme, self._ground, self._above = theme, ground, above
        self.area = ChartFrame()
        self.top = SPACE
        self.bottom = AXIS
        self.has_right_axis = False
        self._curves: dict[str, Curve] = {}
        self._fitted: tuple[float, ...] = ()  # what the ticks were made for
        self._box = ViewBox(enableMouse=False, enableMenu=False, defaultPadding=0)
        super().__init__(background=None)
        self.setCentralItem(None)
        self.scene().addItem(self._box)
        self.scene().setItemIndexMethod(self.scene().ItemIndexMethod.NoIndex)
        self.setViewportUpdateMode(self.ViewportUpdateMode.NoViewportUpdate)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setFont(tabular(self.font()))
        self.setMinimumHeight(44)

    # ---- what is shown

    def set_line(self, key: str, colour: QColor, height: int, is_filled: bool = False) -> None:
        """Make or change a curve, or the area below it; `height` puts it over others."""
        if key not in self._curves:
            self._curves[key] = Curve(skipFiniteCheck=True)
            self._box.addItem(self._curves[key], ignoreBounds=True)
        self._curves[key].setPen(mkPen(colour, width=1))
        self._curves[key].setFillLevel(0.0 if is_filled else None)
        self._curves[key].setBrush(mkBrush(colour) if is_filled else None)
        self._curves[key].setZValue(height)

    def remove_line(self, key: str) -> None:
        self._box.removeItem(self._curves.pop(key))

    def show_only(self, keys: set[str]) -> None:
        """Show only these curves."""
        for key, curve in self._curves.items():
            if curve.isVisible() != (key in keys):
                curve.setVisible(key in keys)

    def set_values(self, key: str, x: Values, y: Values) -> None:
        """Set values of a curve, after its area; NaN is a gap."""
        curve, (first, last), (low, high) = self._curves[key], self.area.x, self.area.y
        curve.extent = QRectF(first, low, last - first, high - low)
        is_thin = self.devicePixelRatioF() >= 1.5 and len(x) < self.area.plot.width()
        curve.shift = (self.area.length(0.5), self.area.height(0.5)) if is_thin else None
        if has_gaps := bool(np.isnan(y).any()):
            x, y = widen_lone_points(x, y, self.area.length(_ALONE))
        curve.setData(x=x, y=y, connect="finite" if has_gaps else "all")

    def fit(
        self, x: tuple[float, float], placed: Sequence[Values], scale: ValueScale, is_stack: bool = False
    ) -> None:
        """Round ranges around what is shown, and their ticks; a stack has no room above."""
        most_x = max(int(self.area.plot.width() / _TICK_WIDTH), 1)
        most_y = self.most_ticks
        y = self._heights(placed) if is_stack else value_range(placed, scale, self.area.y, most_y)
        if self._fitted == (fitted := (*x, *y, most_x, most_y, scale.is_logarithmic)):
            return
        self._fitted = fitted
        self._ground.x_ticks = time_ticks(*x, most_x)
        self._ground.y_ticks = scale.ticks(y, most_y)
        self._ground.corner = clock_form(*x, most_x)
        self.set_area(x, y)

    @staticmethod
    def _heights(placed: Sequence[Values]) -> tuple[float, float]:
        return 0.0, max([1.0, *(float(highest(values)) for values in placed if len(values))])

    @property
    def most_ticks(self) -> int:
        """The number of ticks that an axis of values has room for."""
        return max(int(self.area.plot.height() / _TICK_HEIGHT), 2)

    def set_area(self, x: tuple[float, float], y: tuple[float, float]) -> None:
        """Set the visible range; the ground is painted again if it changes."""
        if (x, y) != (self.area.x, self.area.y):
            self.area.x, self.area.y = x, y
            self._box.setRange(xRange=x, yRange=y, padding=0)
            self.resetCachedContent()

    def place(self) -> None:
        """Where the curves are: as wide in all charts, so that equal times are below each other."""
        left = self.fontMetrics().horizontalAdvance("888.8M") + SPACE
        right = left if self.has_right_axis else 2 * SPACE
        self.area.plot = QRectF(self.rect()).adjusted(left, self.top, -right, -self.bottom)
        self._box.setGeometry(self.area.plot)
        self.resetCachedContent()

    @property
    def near(self) -> float:
        """The distance in seconds within which the cursor picks a sample; in slices they are rare."""
        return max(GAP_S, self.area.length(1))

    def repaint_around(self, *xs: float | None) -> None:
        """Repaint only what the cursor and its dots cover or covered."""
        far = _CURSOR + round(self.near / self.area.length(1))
        for x in xs:
            if x is not None:
                left = round(self.area.px(x)) - far
                self.viewport().update(QRect(left, 0, 2 * far, self.height()))

    def drawBackground(self, painter: QPainter, rect: QRectF) -> None:
        painter.fillRect(rect, self._theme.colour("base"))
        painter.setFont(self.font())
        self._ground.draw(painter, self.area, self._theme)

    def drawForeground(self, painter: QPainter, _rect: QRectF) -> None:
        painter.setFont(self.font())
        self._above(painter, self.area)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self.place()  # figures of the axis may be wider

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        super().resizeEvent(event)
        self.place()
        self.resized.emit()


def value_range(
    placed: Sequence[Values], scale: ValueScale, now: tuple[float, float], most: int
) -> tuple[float, float]:
    """A round range around values; keeps `now` while it fits."""
    known = [values for values in placed if len(values)]
    low = float(lowest([np.nan, *map(lowest, known)]))
    high = float(highest([np.nan, *map(highest, known)]))
    if scale.is_logarithmic:
        return scale.logarithms(low, high)
    scale.has_logarithms = high > 0
    return steady_axis_range(low, high, now, most)
