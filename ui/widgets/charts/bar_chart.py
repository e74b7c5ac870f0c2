"""Bars in groups, with a line at the base that they are measured against."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPen
from PySide6.QtWidgets import QWidget

from ui.core.plain import fitted
from ui.core.theme import SPACE, Theme

from .frame import AXIS, Reach, draw_reach
from .head import drawn_colour
from .lines import ChartLine, mixed
from .scale import figure_ticks, snug, value_text
from .still import TICK_HEIGHT, StillChart

Bars = tuple[ChartLine, Sequence[float | None]]
Placed = tuple[ChartLine, int, float, QRectF]  # a bar: its line, category, value and where it is painted

_GROUP = 0.76  # of its place that a group of bars takes up
_WIDEST = 44.0  # pixels of one bar
_NARROWEST_TEXT = 20.0
_ROWS = 4  # of names below, where they are long


class BarChart(StillChart):
    """Bars in groups, one per line in each category; missing values are empty."""

    def __init__(self, theme: Theme, title: str, unit: str = "", parent: QWidget | None = None) -> None:
        self._categories: list[str] = []
        self._given: list[Bars] = []
        self._bars: list[Bars] = []  # those that nobody has hidden
        self._reaches: Mapping[str, Sequence[Reach | None]] = {}
        self._base: float | None = None
        self._placed: list[Placed] = []  # where they are painted, since the chart was fitted
        super().__init__(theme, title, unit, parent)

    def set_bars(
        self,
        categories: Sequence[str],
        bars: Sequence[Bars],
        unit: str,
        base: float | None = 1.0,
        reaches: Mapping[str, Sequence[Reach | None]] | None = None,
    ) -> None:
        """Set lines with a value for each category, and the range of each by its key.

        Given anew when the theme has changed.
        """
        self._categories, self._given, self._base = list(categories), list(bars), base
        self._reaches = reaches or {}
        self._cursor = None
        self.set_title(self._title, unit)
        self.head.set_lines([line for line, _ in bars], widest="888,888" if base is None else "88.88")
        self.show_values()
        self.refresh()

    def refresh(self) -> None:
        self._bars = [bar for bar in self._given if self.is_visible(bar[0])]
        super().refresh()

    def stands(self) -> list[float]:
        return [float(at) for at in range(len(self._categories))]

    def stand_text(self, at: int) -> str:
        return self._categories[at]

    def values(self) -> list[str]:
        at = self._cursor
        return ["" if at is None else value_text(values[at]) for _, values in self._given]

    def fit(self) -> None:
        values = self.heights()
        most = max(int(self.area.plot.height() / TICK_HEIGHT), 2)
        top = max([*values, 0.0 if self._base is None else self._base])
        self.area.x = (-0.5, max(len(self._categories), 1) - 0.5)
        self.area.y = snug(min(values, default=0.0), top, most)
        room = self._room(self.area.plot.width(), self.ground.rows)
        metrics, middle = self.fontMetrics(), Qt.TextElideMode.ElideMiddle
        elided = [fitted(metrics, name, middle, room) for name in self._categories]
        self.ground.x_ticks = [(float(at), text) for at, text in enumerate(elided)]
        self.ground.y_ticks = figure_ticks(*self.area.y, most)
        self.ground.has_lines_across = False
        self._placed = list(self.places())

    def heights(self) -> list[float]:
        """The values that must be visible."""
        reaches = [self._reaches.get(line.key, ()) for line, _ in self._bars]
        ends = [end for each in reaches for reach in each if reach for end in reach]
        return [*ends, *(value for _, values in self._bars for value in values if value is not None)]

    def rows(self, width: float, /) -> int:
        widest = max(map(self.fontMetrics().horizontalAdvance, self._categories), default=0)
        return next((rows for rows in range(1, _ROWS) if widest <= self._room(width, rows)), _ROWS)

    def _room(self, width: float, rows: int) -> int:
        """The room of a name in pixels; the last name moves inwards by half of its excess."""
        place = width / max(len(self._categories), 1)
        return int(min(rows, (2 * rows + 1) / 3) * place) - SPACE

    def paint_figures(self, painter: QPainter) -> None:
        if self._cursor is not None:
            self._paint_chosen(painter, self._cursor)
        for line, category, _, place in self._placed:
            painter.fillRect(place, drawn_colour(line, self._theme))
            if line.dashed:
                painter.fillRect(place, QBrush(self._theme.colour("base"), Qt.BrushStyle.BDiagPattern))
            if reach := self._reach(line, category):
                self._paint_reach(painter, reach, place)
        if self._base is not None:
            self._paint_base(painter, self.area.py(self._base))
        self._paint_texts(painter)

    def written(self) -> Iterator[tuple[int, float, QRectF]]:
        """The texts of a category and where they are: value and range of a bar."""
        for line, category, value, place in self._placed:
            reach = self._reach(line, category)
            top = min(place.top(), self.area.py(reach[1])) if reach else place.top()
            yield category, value, QRectF(QPointF(place.left(), top), place.bottomRight())

    def _reach(self, line: ChartLine, category: int) -> Reach | None:
        reaches = self._reaches.get(line.key, ())
        return reaches[category] if category < len(reaches) else None

    def places(self) -> Iterator[Placed]:
        """All bars and their places at the current size."""
        width, zero = self.bar_width(len(self._bars)), self.area.py(0.0)
        for at, (line, values) in enumerate(self._bars):
            for category, value in enumerate(values):
                if value is not None:
                    left = self.area.px(category) + (at - len(self._bars) / 2) * width
                    bar = QRectF(QPointF(left, self.area.py(value)), QPointF(left + max(width - 1, 1), zero))
                    yield line, category, value, bar.normalized()

    def bar_width(self, beside: int) -> float:
        """The width of a bar where this number of them share a category."""
        room = self.area.plot.width() / max(len(self._categories), 1) * _GROUP
        return max(min(room / max(beside, 1), _WIDEST), 1.0)

    def _paint_reach(self, painter: QPainter, reach: Reach, bar: QRectF) -> None:
        painter.setPen(QPen(self._theme.colour("text"), 1))
        draw_reach(painter, self.area, bar.center().x(), reach, bar.width() / 2)

    def _paint_chosen(self, painter: QPainter, at: int) -> None:
        left, right = self.area.px(at - 0.5), self.area.px(at + 0.5)
        place = QRectF(left, self.area.plot.top(), right - left, self.area.plot.height())
        painter.fillRect(place, self._ground_colour(True))

    def _ground_colour(self, is_chosen: bool) -> QColor:
        base = self._theme.colour("base")
        return mixed(self._theme.colour("selected"), base, 0.5) if is_chosen else base

    def _paint_texts(self, painter: QPainter) -> None:
        """Paint texts above all bars or none: a single one would seem special."""
        width_of = painter.fontMetrics().horizontalAdvance
        texts = [(category, self._text(value), place) for category, value, place in self.written()]
        if all(place.width() >= max(width_of(text) - 2, _NARROWEST_TEXT) for _, text, place in texts):
            for category, text, place in texts:
                self._paint_text(painter, text, place, category == self._cursor)

    def _text(self, value: float) -> str:
        return value_text(value) if self._base is None else f"{value:.2f}"

    def _paint_text(self, painter: QPainter, text: str, bar: QRectF, is_chosen: bool) -> None:
        width = painter.fontMetrics().horizontalAdvance(text)
        place = QRectF(bar.center().x() - width / 2, bar.top() - AXIS + 3, width, AXIS - 5)
        painter.fillRect(place, self._ground_colour(is_chosen))  # the line of the base ends beside it
        painter.setPen(self._theme.colour("muted"))
        painter.drawText(place, Qt.AlignmentFlag.AlignCenter, text)

    def _paint_base(self, painter: QPainter, y: float) -> None:
        painter.setPen(QPen(self._theme.colour("text"), 1))
        painter.drawLine(QLineF(self.area.plot.left(), int(y) + 0.5, self.area.plot.right(), int(y) + 0.5))


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
