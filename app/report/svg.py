"""Drawing as SVG: no library, no script, sharp on paper; colours are those of the page's style."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from math import floor, log10


@dataclass(frozen=True)
class ReportColumnStyle:
    """The style of a column: its colour, dashed if another column has the same."""

    colour: int
    is_second: bool = False

    @property
    def classes(self) -> str:
        return f"c{self.colour} second" if self.is_second else f"c{self.colour}"


def column_styles(colours: Sequence[int]) -> list[ReportColumnStyle]:
    return [ReportColumnStyle(colour, colour in colours[:at]) for at, colour in enumerate(colours)]


def text(x: float, y: float, words: str, anchor: str, classes: str = "") -> str:
    style = f' class="{classes}"' if classes else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{style}>{escape(words)}</text>'


def line(x1: float, y1: float, x2: float, y2: float, classes: str) -> str:
    return f'<line class="{classes}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def svg_tooltip(words: str) -> str:
    return f"<title>{escape(words)}</title>"


def drawing(width: float, height: float, parts: Sequence[str], name: str) -> str:
    """The complete SVG, with a text for readers who cannot see it."""
    size = f'viewBox="0 0 {width:g} {height:g}" width="{width:g}" height="{height:g}"'
    return f'<svg {size} role="img" aria-label="{escape(name)}">{"".join(parts)}</svg>'


# what an axis says


def round_ticks(most: float) -> list[float]:
    """Ticks from zero to the largest value: three to five round numbers."""
    step = 10 ** floor(log10(most))
    step *= next(part for part in (0.2, 0.5, 1.0, 2.0) if most / (part * step) <= 5)
    return [step * at for at in range(int(most / step) + 1)]


def without_zeros(figure: str) -> str:
    """A number without useless zeros."""
    return figure.rstrip("0").rstrip(".") if "." in figure and figure[-1].isdigit() else figure
