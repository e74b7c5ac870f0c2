"""A second axis of a chart over time, on the right: for lines with another unit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter

from ui.core.theme import SPACE

from .canvas import value_range
from .frame import ChartFrame
from .pyramid import Values
from .scale import Tick
from .value_scale import ValueScale

Place = TypeVar("Place", float, Values)


class RightAxis:
    """Where the values of its lines are on the axis of the others."""

    def __init__(self) -> None:
        self.range = (0.0, 1.0)
        self._ticks: Sequence[Tick] = ()

    def fit(self, placed: Sequence[Values], scale: ValueScale, most: int) -> None:
        """A round range around these values; without any there is no axis."""
        if placed:
            has_logarithms = scale.has_logarithms
            self.range = value_range(placed, scale, self.range, most)
            scale.has_logarithms = scale.has_logarithms or has_logarithms
        self._ticks = scale.ticks(self.range, most) if placed else ()

    def on_left(self, value: Place, left: tuple[float, float]) -> Place:
        """Where values are drawn, on an axis of this range."""
        low, high = self.range
        return left[0] + (value - low) / (high - low) * (left[1] - left[0])

    def draw(self, painter: QPainter, frame: ChartFrame, colour: QColor) -> None:
        """Draw its figures right of the plot."""
        painter.setPen(colour)
        for value, text in self._ticks:
            y = frame.py(self.on_left(value, frame.y))
            place = QRectF(frame.plot.right() + SPACE - 2, y - 10, frame.plot.left(), 20)
            painter.drawText(place, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, text)
