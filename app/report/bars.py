"""Relative figures as bars, drawn as SVG: no library, no script, sharp on paper."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from ..compare import RowEntry
from ..compare_text import label_of

LABEL, WIDTH, BAR, GAP = 220, 420, 12, 10  # pixels: of the names, of the longest bar, of a bar, between steps
_MOST = 8.0  # times the base: longer bars are cut here, and marked


@dataclass(frozen=True)
class _Bar:
    ratio: float
    low: float | None  # of the sessions, relative to the base
    high: float | None
    colour: int  # of the palette
    text: str


def bar_chart(rows: Sequence[RowEntry], names: Sequence[str], colours: Sequence[int], base: int) -> str:
    """A group: for each step a bar a column, the base a line at 1."""
    steps = [(label_of(row), _bars(row, names, colours, base)) for row in rows]
    steps = [(label, bars) for label, bars in steps if bars]
    if not steps:
        return ""
    longest = min(max(max(bar.ratio for bar in bars) for _, bars in steps) * 1.05, _MOST)
    scale, y, parts = WIDTH / max(longest, 1.2), 0, []
    for label, bars in steps:
        height = len(bars) * BAR
        parts.append(_text(LABEL - 8, y + height / 2 + 4, label, "end"))
        parts += [_bar(bar, y + at * BAR, scale) for at, bar in enumerate(bars)]
        y += height + GAP
    parts.append(f'<line class="base" x1="{LABEL + scale:.1f}" y1="0" x2="{LABEL + scale:.1f}" y2="{y}"/>')
    width = LABEL + WIDTH + 70
    return f'<svg viewBox="0 0 {width} {y}" width="{width}" height="{y}" role="img">{"".join(parts)}</svg>'


def _bars(row: RowEntry, names: Sequence[str], colours: Sequence[int], base: int) -> list[_Bar]:
    found = []
    for at, name in enumerate(names):
        ratio, of_base = row["relative"][at], row["values"][base]
        if at == base or ratio is None or not of_base:
            continue
        known = [value / of_base for value in row["samples"][at] if value is not None]
        low, high = (min(known), max(known)) if len(known) > 1 else (None, None)
        found.append(_Bar(ratio, low, high, colours[at], f"{name}: {ratio:.2f}"))
    return found


def _bar(bar: _Bar, y: float, scale: float) -> str:
    width = min(bar.ratio, _MOST) * scale
    parts = [
        f'<rect x="{LABEL}" y="{y}" width="{width:.1f}" height="{BAR - 2}" class="c{bar.colour}">'
        f"<title>{escape(bar.text)}</title></rect>"
    ]
    end = width
    if bar.low is not None and bar.high is not None and bar.high <= _MOST:
        middle, end = y + BAR / 2 - 1, max(width, bar.high * scale)
        x1, x2 = LABEL + bar.low * scale, LABEL + bar.high * scale
        parts.append(f'<line class="spread" x1="{x1:.1f}" y1="{middle}" x2="{x2:.1f}" y2="{middle}"/>')
    longer = " »" if bar.ratio > _MOST else ""
    parts.append(_text(LABEL + end + 4, y + BAR - 3, f"{bar.ratio:.2f}{longer}", "start"))
    return "".join(parts)


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'
