"""A step over what was swept, as curves: one a column, the sessions of a point as its bar."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import log

from app.comparison.cells.cell import Row
from app.comparison.charts import AXES
from app.comparison.charts.points import scaled_column_points
from app.comparison.charts.sweeps import is_logarithmic, step_name_off_axis, swept
from app.core.units import figure_text, unit_text

from .svg import ReportColumnStyle, drawing, line, round_ticks, svg_tooltip, text, without_zeros

WIDTH, HEIGHT = 300, 200  # pixels
LEFT, RIGHT, TOP, BOTTOM = 58, 12, 24, 34  # around the curves

Place = Callable[[float], float]


def curve_charts(rows: Sequence[Row], names: Sequence[str], its: Sequence[ReportColumnStyle]) -> list[str]:
    """A chart for each step that ran at two points or more."""
    return [_chart(axis, points, names, its) for axis, points in sweeps(rows)]


def sweeps(rows: Sequence[Row]) -> Iterator[tuple[str, list[Row]]]:
    """The sweeps step by step; a row is drawn once for each axis."""
    for axis in AXES:
        steps = {step_name_off_axis(row, axis): row for row in rows if axis in row.coordinates}
        for row in steps.values():
            if len(points := swept(rows, row, axis)) > 1:
                yield axis, points


def _chart(axis: str, rows: Sequence[Row], names: Sequence[str], its: Sequence[ReportColumnStyle]) -> str:
    xs = [float(row.coordinates[axis]) for row in rows]
    most = max((value for row in rows for cell in row.cells for value in cell.samples if value), default=1.0)
    x_at, y_at, ticks = _across(xs, is_logarithmic(rows, axis)), _up(most), round_ticks(most)
    name = step_name_off_axis(rows[0], axis)
    less = ", less is better" if rows[0].direction == "lower" else ""
    parts = [text(0, 12, name, "start", "title"), text(WIDTH - RIGHT, HEIGHT - 2, AXES[axis], "end", "muted")]
    parts += [_tick(tick, y_at, rows[0].unit) for tick in ticks]
    parts += [text(x_at(x), HEIGHT - BOTTOM + 14, f"{x:,.0f}", "middle", "muted") for x in _apart(xs, x_at)]
    for at, style in enumerate(its):
        parts.append(_curve(at, rows, [x_at(x) for x in xs], y_at, style, names[at]))
    return drawing(WIDTH, HEIGHT, parts, f"{name} over {AXES[axis]}, {unit_text(rows[0].unit)}{less}")


def _across(xs: Sequence[float], is_log: bool) -> Place:
    scale: Place = log if is_log else float
    low, high = scale(xs[0]), scale(xs[-1])
    return lambda x: LEFT + 8 + (scale(x) - low) / (high - low or 1) * (WIDTH - LEFT - RIGHT - 16)


def _up(most: float) -> Place:
    return lambda y: HEIGHT - BOTTOM - y / most * (HEIGHT - TOP - BOTTOM)


def _tick(value: float, y_at: Place, unit: str) -> str:
    said = without_zeros(figure_text(value, unit))
    y = y_at(value)
    return line(LEFT, y, WIDTH - RIGHT, y, "grid") + text(LEFT - 6, y + 4, said, "end", "muted")


def _apart(xs: Sequence[float], x_at: Place) -> list[float]:
    """The ticks whose texts do not touch."""
    found: list[float] = []
    for x in xs:
        room = 4 + 3.5 * (len(f"{x:,.0f}") + (len(f"{found[-1]:,.0f}") if found else 0))
        if not found or x_at(x) - x_at(found[-1]) >= room:
            found.append(x)
    return found


def _curve(
    at: int, rows: Sequence[Row], xs: Sequence[float], y_at: Place, style: ReportColumnStyle, name: str
) -> str:
    """A curve, interrupted at missing values."""
    runs: list[list[str]] = [[]]
    marks = []
    for x, row in zip(xs, rows, strict=True):
        point = scaled_column_points(row)[at]
        if point.value is None:
            runs.append([])
            continue
        y = y_at(point.value)
        runs[-1].append(f"{x:.1f},{y:.1f}")
        if reach := point.reach:
            marks.append(line(x, y_at(reach[0]), x, y_at(reach[1]), f"{style.classes} reach"))
        said = svg_tooltip(f"{name}: {figure_text(point.value, row.unit)} {unit_text(row.unit)}")
        marks.append(f'<circle class="{style.classes}" cx="{x:.1f}" cy="{y:.1f}" r="3">{said}</circle>')
    lines = [f'<polyline class="{style.classes}" points="{" ".join(run)}"/>' for run in runs if len(run) > 1]
    return "".join([*lines, *marks])
