"""Curves over a few x: QPS over threads, bytes over rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import ceil, log10

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QWidget

from ui.core.plain import fitted
from ui.core.theme import SPACE, Theme

from .frame import Reach, draw_cursor, draw_dots, draw_reach
from .head import drawn_colour
from .lines import ChartLine, runs
from .scale import Tick, axis_places, logarithmic_range, logarithmic_ticks, number_text, snug, value_text
from .still import TICK_HEIGHT, StillChart

Curve = tuple[ChartLine, Sequence[float], Sequence[float | None]]

_EDGE = 0.04  # of the width, left free at both sides
_WIDTH = 1.6
_VALUE = "888,888"  # at the cursor, before a name
_APART = 8.0  # pixels between error bars at the same x
_ROWS = 3  # of names below
_NAMES = 0.36  # of the width that names beside the curves may take


class LineChart(StillChart):
    """Curves with a tick at each x; both axes can be logarithmic."""

    can_be_logarithmic = True

    def __init__(self, theme: Theme, title: str, unit: str = "", parent: QWidget | None = None) -> None:
        self.curves: list[Curve] = []
        self._drawn: list[Curve] = []  # those of them that nobody has hidden, where their values stand
        self._reaches: Mapping[str, Sequence[Reach | None]] = {}
        self._places: dict[float, float] = {}  # x -> where it is
        self.name_places: list[float] = []  # where the names beside the curves stand
        self._has_legend = False  # where there are none
        super().__init__(theme, title, unit, parent)

    def set_curves(
        self,
        curves: Sequence[Curve],
        x_name: str,
        y_title: str,
        is_logarithmic: bool = False,
        reaches: Mapping[str, Sequence[Reach | None]] | None = None,
    ) -> None:
        """Set lines with xs and ys, and the range of each y by key; None is a gap.

        `x_name` is what an x is a number of. Given anew when the theme has changed.
        """
        self.curves, self._reaches = list(curves), reaches or {}
        self._places = self.placed([x for _, xs, _ in curves for x in xs], is_logarithmic)
        self._x_name = x_name
        self._cursor = None
        self.set_title(self._title, y_title)
        self.head.set_lines([line for line, _, _ in curves], widest="888,888")
        self.show_values()
        self.refresh()

    def stands(self) -> list[float]:
        return list(self._places.values())

    def stand_text(self, at: int) -> str:
        return f"{number_text(list(self._places)[at])} {self._x_name}"

    def values(self) -> list[str]:
        x = None if self._cursor is None else list(self._places)[self._cursor]
        return ["" if x is None else self.value_text(_at(curve, x)) for curve in self.curves]

    def placed(self, xs: Sequence[float], is_logarithmic: bool) -> dict[float, float]:
        """The places of the xs."""
        return axis_places(xs, is_logarithmic)

    def value_text(self, y: float | None) -> str:
        """A y as text."""
        return value_text(y)

    def fit(self) -> None:
        stands = self.stands() or [0.0, 1.0]
        edge = (stands[-1] - stands[0]) * _EDGE or 1.0
        self.area.x = (stands[0] - edge, stands[-1] + edge)
        self.ground.x_ticks = self.x_ticks()
        self.fit_y(self._ys(), max(int(self.area.plot.height() / TICK_HEIGHT), 2))

    def x_ticks(self) -> list[tuple[float, str]]:
        return [(place, number_text(x)) for x, place in self._places.items()]

    def fit_y(self, ys: Sequence[float], most: int) -> None:
        """Find range and ticks of y."""
        low, high = min(ys, default=0.0), max(ys, default=0.0)
        fitted = self.scale.logarithms(low, high) if self.scale.is_logarithmic else snug(low, high, most)
        self.area.y = fitted
        self.ground.y_ticks = self.scale.ticks(fitted, most)

    def _placed(self, curve: Curve) -> Curve:
        line, xs, ys = curve
        return line, xs, [self.scale.place(y) for y in ys]

    def _placed_reaches(self, line: ChartLine) -> list[Reach | None]:
        """Ranges without those below what a logarithmic scale has."""
        found = []
        for reach in self._reaches.get(line.key, ()):
            low, high = (self.scale.place(end) for end in reach or (None, None))
            found.append(None if low is None or high is None else (low, high))
        return found

    def _ys(self) -> list[float]:
        reaches = [reach for line, *_ in self._drawn for reach in self._placed_reaches(line)]
        ends = [end for reach in reaches if reach for end in reach]
        return [*ends, *(y for _, _, ys in self._drawn for y in ys if y is not None)]

    # ---- names beside the curves

    def refresh(self) -> None:
        """Put names beside curves if all fit there, else in a legend above; never both."""
        self._drawn = [self._placed(curve) for curve in self.curves if self.is_visible(curve[0])]
        self.scale.has_logarithms = any(y is not None and y > 0 for *_, ys in self.curves for y in ys)
        self._has_legend = len(self._drawn) < len(self.curves)  # to bring back what is hidden
        self.name_places = []
        self.head.hide_entries(not self._has_legend)
        super().refresh()
        if not self.name_places and not self._has_legend:
            self._has_legend = True
            self.head.hide_entries(False)
            super().refresh()

    def margin(self) -> float:
        if self._has_legend:
            return 0.0
        plot, metrics = self.area.plot, self.fontMetrics()
        ends = [self._end(curve) for curve in self._drawn]
        wanted = [self.area.py(end[1]) for end in ends if end]
        names = (metrics.horizontalAdvance(f"{_VALUE}  {line.label}") for line, _, _ in self.curves)
        room = max(names, default=0) + SPACE
        has_room = len(wanted) == len(ends) and room <= plot.width() * _NAMES
        self.name_places = (has_room and spread(wanted, metrics.height(), plot.top(), plot.bottom())) or []
        return room if self.name_places else 0.0

    def _end(self, curve: Curve) -> tuple[float, float] | None:
        return max(self._known(*curve[1:]), default=None)

    def _known(self, xs: Sequence[float], ys: Sequence[float | None]) -> list[tuple[float, float]]:
        """The known points."""
        return [(self._places[x], y) for x, y in zip(xs, ys, strict=True) if y is not None]

    def _paint_names(self, painter: QPainter) -> None:
        """Paint names, with values at the cursor before them."""
        left, metrics = self.area.plot.right() + SPACE / 2, painter.fontMetrics()
        room = self.width() - left - SPACE / 2
        for (line, _, _), value, middle in zip(self.curves, self.values(), self.name_places, strict=False):
            name = f"{value}  {line.label}" if value else line.label
            painter.setPen(drawn_colour(line, self._theme))
            place = QRectF(left, middle - metrics.height() / 2, room, metrics.height())
            text = fitted(metrics, name, Qt.TextElideMode.ElideRight, int(room))
            painter.drawText(place, Qt.AlignmentFlag.AlignVCenter, text)

    # ---- painting

    def paint_figures(self, painter: QPainter) -> None:
        for curve in sorted(self._drawn, key=lambda curve: not curve[0].faint):
            self._paint_curve(painter, *curve)
        self._paint_names(painter)
        if self._cursor is not None:
            x, place = list(self._places.items())[self._cursor]
            dots = [(_at(curve, x), drawn_colour(curve[0], self._theme)) for curve in self._drawn]
            text = self.stand_text(self._cursor)
            draw_cursor(painter, self.area, self._theme, (place, text), dots)

    def _paint_curve(
        self, painter: QPainter, line: ChartLine, xs: Sequence[float], ys: Sequence[float | None]
    ) -> None:
        colour = drawn_colour(line, self._theme)
        pen = QPen(colour, _WIDTH)
        if line.dashed:
            pen.setDashPattern([4, 3])
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(pen)
        ordered = sorted(zip(xs, ys, strict=True), key=lambda point: point[0])
        places = ((self.area.px(self._places[x]), y) for x, y in ordered)
        for run in runs(None if y is None else QPointF(x, self.area.py(y)) for x, y in places):
            painter.drawPolyline(run)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        self._paint_reaches(painter, line, xs)
        self.paint_points(painter, line, self._known(xs, ys))

    def paint_points(self, painter: QPainter, line: ChartLine, points: Sequence[tuple[float, float]]) -> None:
        """Paint points where values are known."""
        draw_dots(painter, self.area, self._theme, points, drawn_colour(line, self._theme), 3.0)

    def _paint_reaches(self, painter: QPainter, line: ChartLine, xs: Sequence[float]) -> None:
        """Paint error bars side by side, so that each can be read."""
        keys = [each.key for each, *_ in self._drawn if each.key in self._reaches]
        aside = (keys.index(line.key) - (len(keys) - 1) / 2) * _APART if line.key in keys else 0.0
        painter.setPen(QPen(drawn_colour(line, self._theme), 1))
        for at, reach in zip(xs, self._placed_reaches(line), strict=False):
            if reach:
                draw_reach(painter, self.area, self.area.px(self._places[at]) + aside, reach)


def _at(curve: Curve, x: float | None) -> float | None:
    _, xs, ys = curve
    return ys[list(xs).index(x)] if x is not None and x in xs else None


# where the names of curves stand beside their ends, if they fit there


_AWAY = 1.5  # heights of a name: further away from its curve's end it would be unclear


def spread(wanted: Sequence[float], height: float, low: float, high: float) -> list[float] | None:
    """Middles for names of this height, near their wanted places and without overlap; or None."""
    order = sorted(range(len(wanted)), key=wanted.__getitem__)
    found, least = list(wanted), low + height / 2
    for at in order:
        found[at] = max(found[at], least)
        least = found[at] + height
    most = high - height / 2
    for at in reversed(order):
        found[at] = min(found[at], most)
        most = found[at] - height
    far = max((abs(ours - theirs) for ours, theirs in zip(found, wanted, strict=True)), default=0.0)
    has_room = not order or found[order[0]] >= low + height / 2 - 1e-6
    return found if has_room and far <= _AWAY * height else None


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

    def paint_points(self, painter: QPainter, line: ChartLine, points: Sequence[tuple[float, float]]) -> None:
        """Paint no points, which would cover the curve; a single value needs one."""
        if len(points) == 1:
            super().paint_points(painter, line, points)


def _log(y: float | None) -> float | None:
    return log10(y) if y is not None and y > 0 else None


class NamedLineChart(LineChart):
    """Curves over places with names, such as versions; a place without a name parts the curves."""

    def __init__(self, theme: Theme, title: str, unit: str = "", parent: QWidget | None = None) -> None:
        self._names: Mapping[float, str] = {}
        super().__init__(theme, title, unit, parent)

    def set_named(self, names: Mapping[float, str], curves: Sequence[Curve], unit: str) -> None:
        """Set lines, and the names of their xs."""
        self._names = names
        self.set_curves(curves, "", unit)

    def stands(self) -> list[float]:
        return [self._places[x] for x in self._names if x in self._places]

    def stand_text(self, at: int) -> str:
        return list(self._names.values())[at]

    def x_ticks(self) -> list[Tick]:
        return [(self._places[x], name) for x, name in self._names.items() if x in self._places]

    def rows(self, width: float, /) -> int:
        """As many as names of neighbours need to stand side by side."""
        widest = max(map(self.fontMetrics().horizontalAdvance, self._names.values()), default=0) + SPACE
        return min(max(1, ceil(widest * len(self._names) / max(width, 1.0))), _ROWS)
