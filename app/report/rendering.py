"""A report as one HTML file; names are escaped."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from jinja2 import Environment
from markdown_it import MarkdownIt
from markupsafe import Markup

from app.comparison.cells.cell import Row
from app.comparison.cells.labels import row_label
from app.comparison.cells.palette import CONTENDERS
from app.comparison.charts.points import PointWithRange, relative_points
from app.comparison.texts.causes_text import HINT
from app.comparison.verdicts.judgement import verdict_legend
from app.comparison.verdicts.rounds import about_ratio
from app.core.shipped import shipped_folder
from app.core.table import Table

from .content import SECTIONS, Report
from .curves import curve_charts
from .flame_svg import flame_svg
from .stacks import MOST
from .svg import ReportColumnStyle, column_styles, drawing, line, svg_tooltip, text
from .versions import version_chart
from .written_rows import written_chart, written_notes


@dataclass(frozen=True)
class PageParts:
    """What an interactive page has more than the static one."""

    numbers: Markup  # JSON
    script: Markup
    style: Markup
    origins: Table
    corrections: Sequence[str]  # what has changed since the pages that it takes the place of


def to_html(report: Report, sections: Sequence[str] = SECTIONS, parts: PageParts | None = None) -> str:
    """A report as HTML with these sections; `parts` makes it interactive."""
    columns = report.comparison.columns
    its = column_styles([column.colour % len(CONTENDERS[False]) for column in columns])
    text = (shipped_folder("resources") / "report.html").read_text(encoding="utf-8")
    environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    return environment.from_string(text).render(
        report=report,
        sections=sections,
        charts=_charts(report, its) if "charts" in sections else [],
        stacks=_stacks(report) if "stacks" in sections else [],
        looks=its,
        beside=_beside(report),
        explained=verdict_legend(report.comparison),
        of_rounds=about_ratio(report.comparison),
        causes_hint=HINT,
        own_text=_own_text(report.own_text),
        light=CONTENDERS[False],
        dark=CONTENDERS[True],
        interactive=parts,
    )


def _beside(report: Report) -> list[str]:
    """The lines below the name of each column."""
    columns = report.comparison.columns
    bases = ["the base" if at == report.base and len(columns) > 1 else "" for at in range(len(columns))]
    sources = ["published" if column.source else "" for column in columns]
    return [", ".join(filter(None, each)) for each in zip(bases, sources, strict=True)]


def _charts(report: Report, its: Sequence[ReportColumnStyle]) -> list[dict[str, Any]]:
    """Charts of each group: curves of swept steps, and bars; no empty ones."""
    drawn = [
        {
            "title": group.table.title,
            "curves": [Markup(each) for each in curve_charts(group.rows, report.names, its)],  # noqa: S704
            "bars": Markup(bar_chart(group.name, group.rows, report.names, its, report.base)),  # noqa: S704
            "notes": (),
        }
        for group in report.groups
    ]
    whole = Markup(version_chart(report.comparison))  # noqa: S704
    over_versions = {"title": "work over versions", "curves": [], "bars": whole, "notes": ()}
    every = (over_versions, *drawn, _written_charts(report, its))
    return [each for each in every if each["curves"] or each["bars"]]


def _written_charts(report: Report, its: Sequence[ReportColumnStyle]) -> dict[str, Any]:
    """Rows written and longest responses, second by second."""
    drawn = [Markup(written_chart(step, report.names, its)) for step in report.written]  # noqa: S704
    notes = written_notes(report.written)
    return {
        "title": "Rows written and longest response, second by second",
        "curves": drawn,
        "bars": "",
        "notes": notes,
    }


def _stacks(report: Report) -> list[dict[str, Any]]:
    """The flame graphs of each profiled step, up to a number of them."""
    room, found = MOST, []
    for step in report.stacks:
        shown, room = step.pictures[:room], max(0, room - len(step.pictures))
        found.append(
            {
                "label": step.label,
                "left_out": len(step.pictures) - len(shown),
                "pictures": [
                    Markup(flame_svg(each.flame, each.title, each.remarks, is_alone=False))  # noqa: S704
                    for each in shown
                ],
            }
        )
    return found


def _own_text(text: str) -> Markup:
    """The sender's Markdown; HTML in it stays text, and nothing is fetched."""
    parser = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
    html = _ALIGNED.sub(r'class="\1"', parser.render(text))  # a page may allow no style but its own
    return Markup(html) if text.strip() else Markup()  # noqa: S704 - escaped by the parser


_ALIGNED = re.compile(r'(?<=<t[hd] )style="text-align:(left|center|right)"')


# relative figures as bars: for each step one a column


LABEL, WIDTH, BAR, GAP = 220, 540, 12, 10  # pixels: of the names, of the longest bar, of a bar, between steps
TOP = 18  # pixels of the base line's name
_MOST = 8.0  # times the base: longer bars are cut here, and marked


_Bar = tuple[PointWithRange, ReportColumnStyle, str]  # relative to the base, how it is drawn, whose it is


def bar_chart(
    group: str, rows: Sequence[Row], names: Sequence[str], its: Sequence[ReportColumnStyle], base: int
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


def _bars(row: Row, names: Sequence[str], its: Sequence[ReportColumnStyle], base: int) -> list[_Bar]:
    of_columns = zip(relative_points(row, base), its, names, strict=True)
    return [bar for at, bar in enumerate(of_columns) if at != base and bar[0].value is not None]


def _drawn(bar: _Bar, y: float, scale: float) -> str:
    """A bar and the range of its repeats."""
    point, look, name = bar
    width, middle = min(point.value or 0.0, _MOST) * scale, y + BAR / 2 - 1
    drawn = (
        f'<rect x="{LABEL}" y="{y}" width="{width:.1f}" height="{BAR - 2}" class="{look.classes}">'
        f"{svg_tooltip(f'{name}: {point.value:.2f}')}</rect>"
    )
    if not _has_reach(point):
        return drawn
    low, high = point.reach or (0.0, 0.0)
    return drawn + line(LABEL + low * scale, middle, LABEL + high * scale, middle, "spread")


def _figure(point: PointWithRange, y: float, scale: float) -> str:
    """The value after a bar, drawn over everything else."""
    ratio = point.value or 0.0
    end = max(ratio, point.high or 0.0) if _has_reach(point) else min(ratio, _MOST)
    longer = " »" if ratio > _MOST else ""
    return text(LABEL + end * scale + 4, y + BAR - 3, f"{ratio:.2f}{longer}", "start", "figure")


def _has_reach(point: PointWithRange) -> bool:
    return point.reach is not None and point.reach[1] <= _MOST
