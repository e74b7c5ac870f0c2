"""Latency over percentiles: each nine as wide as the one before, the latency by its logarithm."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import log10

from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QWidget

from ui.core.theme import Theme

from .line_chart import Curve, LineChart
from .lines import Line
from .scale import Tick, logarithmic_range, logarithmic_ticks, value_text


class PercentileChart(LineChart):
    """A chart with the cursor on every percentile; only some have names below."""

    can_be_logarithmic = False  # it always is

    def __init__(self, theme: Theme, title: str, unit: str = "", parent: QWidget | None = None) -> None:
        self._where: Mapping[float, float] = {}
        self._named: frozenset[float] = frozenset()
        super().__init__(theme, title, unit, parent)

    def set_percentiles(
        self, curves: Sequence[Curve], unit: str, where: Mapping[float, float], named: Iterable[float]
    ) -> None:
        """Set latencies over percentiles, the places of these, and those with names."""
        self._where, self._named = where, frozenset(named)
        self.set_curves([(line, xs, [_log(y) for y in ys]) for line, xs, ys in curves], "percentile", unit)

    def placed(self, xs: Sequence[float], _is_logarithmic: bool) -> dict[float, float]:
        return {x: self._where[x] for x in sorted(set(xs))}

    def stand_text(self, at: int) -> str:
        return f"p{list(self._places)[at]:g}"

    def value_text(self, y: float | None) -> str:
        return value_text(None if y is None else 10**y)

    def x_ticks(self) -> list[Tick]:
        return [(place, f"{x:g}") for x, place in self._places.items() if x in self._named]

    def fit_y(self, ys: Sequence[float], most: int) -> None:
        self.area.y = logarithmic_range(min(ys, default=0.0), max(ys, default=1.0))
        self.ground.y_ticks = logarithmic_ticks(*self.area.y, most)

    def paint_points(self, painter: QPainter, line: Line, points: Sequence[tuple[float, float]]) -> None:
        """Paint no points, which would cover the curve; a single value needs one."""
        if len(points) == 1:
            super().paint_points(painter, line, points)


def _log(y: float | None) -> float | None:
    return log10(y) if y is not None and y > 0 else None
