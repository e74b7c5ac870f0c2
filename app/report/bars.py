"""Relative figures as bars: for each step one a column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..compare import RowEntry
from ..compare_text import label_of
from .svg import Look, drawing, line, text, tip

LABEL, WIDTH, BAR, GAP = 220, 420, 12, 10  # pixels: of the names, of the longest bar, of a bar, between steps
_MOST = 8.0  # times the base: longer bars are cut here, and marked


@dataclass(frozen=True)
class _Bar:
    ratio: float
    low: float | None  # of the sessions, relative to the base
    high: float | None
    look: Look
    name: str


def bar_chart(
    group: str, rows: Sequence[RowEntry], names: Sequence[str], its: Sequence[Look], base: int
) -> str:
    """A group: for each step a bar a column, the base a line at 1."""
    steps = [(label_of(row), _bars(row, names, its, base)) for row in rows]
    steps = [(label, bars) for label, bars in steps if bars]
    if not steps:
        return ""
    longest = min(max(max(bar.high or bar.ratio for bar in bars) for _, bars in steps) * 1.05, _MOST)
    scale, y, parts = WIDTH / max(longest, 1.2), 0, []
    for label, bars in steps:
        parts.append(text(LABEL - 8, y + len(bars) * BAR / 2 + 4, label, "end"))
        parts += [_drawn(bar, y + at * BAR, scale) for at, bar in enumerate(bars)]
        y += len(bars) * BAR + GAP
    parts.append(line(LABEL + scale, 0, LABEL + scale, y, "base"))
    return drawing(LABEL + WIDTH + 70, y, parts, f"{group}, relative to {names[base]}")


def _bars(row: RowEntry, names: Sequence[str], its: Sequence[Look], base: int) -> list[_Bar]:
    found = []
    for at, name in enumerate(names):
        ratio, of_base = row["relative"][at], row["values"][base]
        if at == base or ratio is None or not of_base:
            continue
        known = [value / of_base for value in row["samples"][at] if value is not None]
        low, high = (min(known), max(known)) if len(known) > 1 else (None, None)
        found.append(_Bar(ratio, low, high, its[at], name))
    return found


def _drawn(bar: _Bar, y: float, scale: float) -> str:
    width, middle = min(bar.ratio, _MOST) * scale, y + BAR / 2 - 1
    parts = [
        f'<rect x="{LABEL}" y="{y}" width="{width:.1f}" height="{BAR - 2}" class="{bar.look.classes}">'
        f"{tip(f'{bar.name}: {bar.ratio:.2f}')}</rect>"
    ]
    end = width
    if bar.low is not None and bar.high is not None and bar.high <= _MOST:
        end = max(width, bar.high * scale)
        parts.append(line(LABEL + bar.low * scale, middle, LABEL + bar.high * scale, middle, "spread"))
    longer = " »" if bar.ratio > _MOST else ""
    parts.append(text(LABEL + end + 4, y + BAR - 3, f"{bar.ratio:.2f}{longer}", "start"))
    return "".join(parts)
