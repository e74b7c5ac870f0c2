"""Relative figures as bars: for each step one a column."""

from __future__ import annotations

from collections.abc import Sequence

from ..charts.points import Point, relative_points
from ..compare import RowEntry
from ..compare_text import label_of
from .svg import Look, drawing, line, text, tip

LABEL, WIDTH, BAR, GAP = 220, 420, 12, 10  # pixels: of the names, of the longest bar, of a bar, between steps
_MOST = 8.0  # times the base: longer bars are cut here, and marked


_Bar = tuple[Point, Look, str]  # relative to the base, how it is drawn, whose it is


def bar_chart(
    group: str, rows: Sequence[RowEntry], names: Sequence[str], its: Sequence[Look], base: int
) -> str:
    """A group: for each step a bar a column, the base a line at 1."""
    steps = [(label_of(row), _bars(row, names, its, base)) for row in rows]
    steps = [(label, bars) for label, bars in steps if bars]
    if not steps:
        return ""
    longest = min(
        max(point.high or point.value or 0.0 for _, bars in steps for point, _, _ in bars) * 1.05, _MOST
    )
    scale, y, parts = WIDTH / max(longest, 1.2), 0, []
    for label, bars in steps:
        parts.append(text(LABEL - 8, y + len(bars) * BAR / 2 + 4, label, "end"))
        parts += [_drawn(bar, y + at * BAR, scale) for at, bar in enumerate(bars)]
        y += len(bars) * BAR + GAP
    parts.append(line(LABEL + scale, 0, LABEL + scale, y, "base"))
    return drawing(LABEL + WIDTH + 70, y, parts, f"{group}, relative to {names[base]}")


def _bars(row: RowEntry, names: Sequence[str], its: Sequence[Look], base: int) -> list[_Bar]:
    of_columns = zip(relative_points(row, base), its, names, strict=True)
    return [bar for at, bar in enumerate(of_columns) if at != base and bar[0].value is not None]


def _drawn(bar: _Bar, y: float, scale: float) -> str:
    point, look, name = bar
    ratio = point.value or 0.0
    width, middle = min(ratio, _MOST) * scale, y + BAR / 2 - 1
    parts = [
        f'<rect x="{LABEL}" y="{y}" width="{width:.1f}" height="{BAR - 2}" class="{look.classes}">'
        f"{tip(f'{name}: {ratio:.2f}')}</rect>"
    ]
    end = width
    if point.reach and point.reach[1] <= _MOST:
        low, high = point.reach
        end = max(width, high * scale)
        parts.append(line(LABEL + low * scale, middle, LABEL + high * scale, middle, "spread"))
    longer = " »" if ratio > _MOST else ""
    parts.append(text(LABEL + end + 4, y + BAR - 3, f"{ratio:.2f}{longer}", "start"))
    return "".join(parts)
