"""Relative figures as bars: for each step one a column."""

from __future__ import annotations

from collections.abc import Sequence

from app.comparison.cells.cell import Row
from app.comparison.cells.labels import row_label
from app.comparison.charts.points import Point, relative_points

from .svg import ColumnStyle, drawing, line, text, tip

LABEL, WIDTH, BAR, GAP = 220, 540, 12, 10  # pixels: of the names, of the longest bar, of a bar, between steps
TOP = 18  # pixels of the base line's name
_MOST = 8.0  # times the base: longer bars are cut here, and marked


_Bar = tuple[Point, ColumnStyle, str]  # relative to the base, how it is drawn, whose it is


def bar_chart(
    group: str, rows: Sequence[Row], names: Sequence[str], its: Sequence[ColumnStyle], base: int
) -> str:
    """Bars of a group: for each step one per column, with the base as a line at 1."""
    steps = [(row_label(row), _bars(row, names, its, base)) for row in rows]
    steps = [(label, bars) for label, bars in steps if bars]
    if not steps:
        return ""
    longest = min(
        max(point.high or point.value or 0.0 for _, bars in steps for point, _, _ in bars) * 1.05, _MOST
    )
    scale, y, parts, figures = WIDTH / max(longest, 1.2), TOP, [], []
    for label, bars in steps:
        parts.append(text(LABEL - 8, y + len(bars) * BAR / 2 + 4, label, "end"))
        parts += [_drawn(bar, y + at * BAR, scale) for at, bar in enumerate(bars)]
        figures += [_figure(bar[0], y + at * BAR, scale) for at, bar in enumerate(bars)]
        y += len(bars) * BAR + GAP
    parts.append(line(LABEL + scale, TOP - 2, LABEL + scale, y, "base"))
    parts.append(text(LABEL + scale, TOP - 6, f"1: {names[base]}", "middle", "muted"))
    return drawing(LABEL + WIDTH + 70, y, [*parts, *figures], f"{group}, relative to {names[base]}")


def _bars(row: Row, names: Sequence[str], its: Sequence[ColumnStyle], base: int) -> list[_Bar]:
    of_columns = zip(relative_points(row, base), its, names, strict=True)
    return [bar for at, bar in enumerate(of_columns) if at != base and bar[0].value is not None]


def _drawn(bar: _Bar, y: float, scale: float) -> str:
    """A bar and the range of its repeats."""
    point, look, name = bar
    width, middle = min(point.value or 0.0, _MOST) * scale, y + BAR / 2 - 1
    drawn = (
        f'<rect x="{LABEL}" y="{y}" width="{width:.1f}" height="{BAR - 2}" class="{look.classes}">'
        f"{tip(f'{name}: {point.value:.2f}')}</rect>"
    )
    if not _has_reach(point):
        return drawn
    low, high = point.reach or (0.0, 0.0)
    return drawn + line(LABEL + low * scale, middle, LABEL + high * scale, middle, "spread")


def _figure(point: Point, y: float, scale: float) -> str:
    """The value after a bar, drawn over everything else."""
    ratio = point.value or 0.0
    end = max(ratio, point.high or 0.0) if _has_reach(point) else min(ratio, _MOST)
    longer = " »" if ratio > _MOST else ""
    return text(LABEL + end * scale + 4, y + BAR - 3, f"{ratio:.2f}{longer}", "start", "figure")


def _has_reach(point: Point) -> bool:
    return point.reach is not None and point.reach[1] <= _MOST
