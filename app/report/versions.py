"""Counted steps over versions as a picture of a report: a line for each step, relative to the base."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from app.comparison.cells.cell import Comparison, Row
from app.comparison.cells.labels import row_label
from app.comparison.cells.palette import CONTENDERS
from app.comparison.charts.versions import (
    VersionPlace,
    counted_rows,
    line_colours,
    version_line,
    version_places,
)

from .svg import ReportColumnStyle, column_styles, drawing, line, svg_tooltip, text

WIDTH, HEIGHT = 720, 300  # pixels
LEFT, RIGHT, TOP, BOTTOM = 40, 130, 24, 34  # around the lines
NAME = 14  # pixels of a name beside its line
TICKS = 6
FEWEST = 3  # versions


def version_chart(comparison: Comparison) -> str:
    """The lines of all counted steps; '' where bars say the same, as there are two versions or fewer."""
    rows, places = counted_rows(comparison, FEWEST), version_places(comparison)
    if not rows:
        return ""
    return _VersionDrawing(comparison, rows, places).drawn()


class _VersionDrawing:
    """Where the points are, and what is drawn of them."""

    def __init__(self, comparison: Comparison, rows: Sequence[Row], places: Sequence[VersionPlace]) -> None:
        self._rows, self._places = rows, places
        self._lines = [
            [
                (place, point.value)
                for place, point in zip(places, version_line(row, comparison, places), strict=True)
            ]
            for row in rows
        ]
        self._most = max(value or 0.0 for each in self._lines for _, value in each) * 1.05
        self._base = next(place.server for place in places if place.at == comparison.base)

    def drawn(self) -> str:
        title = f"Instructions of an event over versions, of {self._base}"
        parts = [text(0, 12, title, "start", "title"), *self._ticks(), *self._names_below()]
        styles = column_styles([at % len(CONTENDERS[False]) for at in line_colours(self._rows)])
        for row, points, style in zip(self._rows, self._lines, styles, strict=True):
            parts.append(self._line(row, points, style))
        return drawing(WIDTH, HEIGHT, [*parts, *self._names_beside(styles)], f"{title}, less is less work")

    def _x(self, place: VersionPlace) -> float:
        widest = self._places[-1].x or 1.0
        return LEFT + 12 + place.x / widest * (WIDTH - LEFT - RIGHT - 24)

    def _y(self, value: float) -> float:
        return HEIGHT - BOTTOM - value / self._most * (HEIGHT - TOP - BOTTOM)

    def _ticks(self) -> list[str]:
        step = next(each for each in (0.25, 0.5, 1.0, 2.0, 5.0, 10.0, 1e9) if self._most / each <= TICKS)
        found = []
        for at in range(int(self._most / step) + 1):
            y = self._y(at * step)
            found.append(line(LEFT, y, WIDTH - RIGHT, y, "base" if at * step == 1 else "grid"))
            found.append(text(LEFT - 6, y + 4, f"{at * step:g}", "end", "muted"))
        return found

    def _names_below(self) -> list[str]:
        firsts = (next(its) for _, its in groupby(self._places, key=lambda place: place.family))
        y = HEIGHT - BOTTOM + 14
        return [
            *(text(self._x(each), y, each.name, "middle", "muted") for each in self._places),
            *(text(self._x(each), y + 14, each.family, "middle", "muted") for each in firsts),
        ]

    def _line(
        self, row: Row, points: Sequence[tuple[VersionPlace, float | None]], style: ReportColumnStyle
    ) -> str:
        parts = []
        for _, its in groupby(points, key=lambda point: point[0].family):
            known = [(place, value) for place, value in its if value is not None]
            places = " ".join(f"{self._x(place):.1f},{self._y(value):.1f}" for place, value in known)
            parts.append(f'<polyline class="{style.classes}" points="{places}"/>')
            for place, value in known:
                said = svg_tooltip(f"{row_label(row)}, {place.server}: {value:.3f}")
                parts.append(
                    f'<circle class="{style.classes}" cx="{self._x(place):.1f}" cy="{self._y(value):.1f}"'
                    f' r="3">{said}</circle>'
                )
        return "".join(parts)

    def _names_beside(self, styles: Sequence[ReportColumnStyle]) -> list[str]:
        """The steps at the ends of their lines, pushed apart where they would cover each other."""
        found, last = [], 0.0
        for y, label, style in sorted(self._ends(styles), key=lambda end: end[0]):
            last, x = max(y, last + NAME), WIDTH - RIGHT + 12
            found.append(f'<circle class="{style.classes}" cx="{x}" cy="{last:.1f}" r="3"/>')
            found.append(text(x + 8, last + 4, label, "start", "muted"))
        return found

    def _ends(self, styles: Sequence[ReportColumnStyle]) -> Iterator[tuple[float, str, ReportColumnStyle]]:
        """Where each line ends, with its name."""
        for row, points, style in zip(self._rows, self._lines, styles, strict=True):
            last = next(value for _, value in reversed(points) if value is not None)
            yield self._y(last), row_label(row), style
