"""Bars of parts that stand on one another: what lies on a disk."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QPointF, QRectF

from .bar_chart import BarChart, Placed


class StackedBars(BarChart):
    """A bar for each category with a part for each line; the text above is the total."""

    def heights(self) -> list[float]:
        return [self._whole(at) for at in range(len(self._categories))]

    def places(self) -> Iterator[Placed]:
        width = self.bar_width(1)
        for category in range(len(self._categories)):
            below, left = 0.0, self.area.px(category) - width / 2
            for line, values in self._bars:
                if value := values[category]:
                    top, bottom = self.area.py(below + value), self.area.py(below)
                    yield line, category, value, QRectF(QPointF(left, top), QPointF(left + width, bottom))
                    below += value

    def written(self) -> Iterator[tuple[int, float, QRectF]]:
        width = self.bar_width(1)
        for category in range(len(self._categories)):
            if whole := self._whole(category):
                corner = QPointF(self.area.px(category) - width / 2, self.area.py(whole))
                yield category, whole, QRectF(corner, QPointF(corner.x() + width, self.area.py(0.0)))

    def _whole(self, category: int) -> float:
        return sum(values[category] or 0.0 for _, values in self._bars)
