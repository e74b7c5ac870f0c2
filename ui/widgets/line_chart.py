"""Curves over a few x: QPS over threads, bytes over rows."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF
from PySide6.QtGui import QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QWidget

from ..theme import Theme
from .frame import draw_cursor, draw_dots
from .head import drawn_colour
from .lines import Line
from .scale import figure_ticks, fitting, number_text, places, value_text
from .still import TICK_HEIGHT, StillChart

Curve = tuple[Line, Sequence[float], Sequence[float | None]]

_EDGE = 0.04  # of the width, left free at both sides
_WIDTH = 1.6


class LineChart(StillChart):
    """There is a tick at each x; they stand as they are, or by their logarithm."""

    def __init__(self, theme: Theme, title: str, unit: str = "", parent: QWidget | None = None) -> None:
        self._curves: list[Curve] = []
        self._places: dict[float, float] = {}  # x -> where it stands
        super().__init__(theme, title, unit, parent)

    def set_curves(
        self, curves: Sequence[Curve], x_title: str, y_title: str, is_logarithmic: bool = False
    ) -> None:
        """A line with its xs and ys each; y None is a gap. Given anew when the theme has changed."""
        self._curves = list(curves)
        self._places = places([x for _, xs, _ in curves for x in xs], is_logarithmic)
        self._x_title = x_title
        self._cursor = None
        self.set_title(self._title, y_title)
        self._head.set_lines([line for line, _, _ in curves], widest="888,888")
        self.show_values()
        self.refresh()

    def stands(self) -> list[float]:
        return list(self._places.values())

    def stand_text(self, at: int) -> str:
        return f"{number_text(list(self._places)[at])} {self._x_title}"

    def show_values(self) -> None:
        x = None if self._cursor is None else list(self._places)[self._cursor]
        values = [_at(curve, x) for curve in self._curves]
        self._head.set_values(["" if x is None else value_text(value) for value in values])

    def fit(self) -> None:
        stands = self.stands() or [0.0, 1.0]
        edge = (stands[-1] - stands[0]) * _EDGE or 1.0
        ys = [y for _, _, ys in self._curves for y in ys if y is not None]
        most = max(int(self._area.plot.height() / TICK_HEIGHT), 2)
        self._area.x = (stands[0] - edge, stands[-1] + edge)
        self._area.y = fitting(min(ys, default=0.0), max(ys, default=0.0), (0.0, 0.0), most)
        self._ground.x_ticks = [(place, number_text(x)) for x, place in self._places.items()]
        self._ground.y_ticks = figure_ticks(*self._area.y, most)
        self._ground.x_title = self._x_title if self._curves else ""

    def paint_figures(self, painter: QPainter) -> None:
        for curve in sorted(self._curves, key=lambda curve: not curve[0].faint):
            self._paint_curve(painter, *curve)
        if self._cursor is not None:
            x, place = list(self._places.items())[self._cursor]
            dots = [(_at(curve, x), drawn_colour(curve[0], self._theme)) for curve in self._curves]
            text = self.stand_text(self._cursor)
            draw_cursor(painter, self._area, self._theme, (place, text), dots)

    def _paint_curve(
        self, painter: QPainter, line: Line, xs: Sequence[float], ys: Sequence[float | None]
    ) -> None:
        colour = drawn_colour(line, self._theme)
        pen = QPen(colour, _WIDTH)
        if line.dashed:
            pen.setDashPattern([4, 3])
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(pen)
        points: list[QPointF] = []
        for x, y in sorted(zip(xs, ys, strict=True), key=lambda point: point[0]):
            if y is None:
                painter.drawPolyline(QPolygonF(points))
                points = []
            else:
                points.append(QPointF(self._area.px(self._places[x]), self._area.py(y)))
        painter.drawPolyline(QPolygonF(points))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        known = [(self._places[x], y) for x, y in zip(xs, ys, strict=True) if y is not None]
        draw_dots(painter, self._area, self._theme, known, colour, 3.0)


def _at(curve: Curve, x: float | None) -> float | None:
    _, xs, ys = curve
    return ys[list(xs).index(x)] if x is not None and x in xs else None
