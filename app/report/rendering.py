"""A report as one HTML file; names are escaped."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jinja2 import Environment
from markdown_it import MarkdownIt
from markupsafe import Markup

from app.comparison.cells.palette import CONTENDERS
from app.comparison.texts.causes_text import HINT
from app.comparison.verdicts.judgement import verdict_legend
from app.comparison.verdicts.rounds import about_ratio
from app.core.shipped import shipped_folder

from .bars import bar_chart
from .content import SECTIONS, Report
from .curves import curve_charts
from .flame_svg import flame_svg
from .setups import setup_lines
from .stacks import MOST
from .svg import ColumnStyle, column_styles


def to_html(report: Report, sections: Sequence[str] = SECTIONS) -> str:
    """A report as HTML with these sections."""
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
        setup_lines=setup_lines(report.setups),
        explained=verdict_legend(report.comparison),
        of_rounds=about_ratio(report.comparison),
        causes_hint=HINT,
        own_text=_own_text(report.own_text),
        light=CONTENDERS[False],
        dark=CONTENDERS[True],
    )


def _beside(report: Report) -> list[str]:
    """The lines below the name of each column."""
    columns = report.comparison.columns
    bases = ["the base" if at == report.base and len(columns) > 1 else "" for at in range(len(columns))]
    sources = ["published" if column.source else "" for column in columns]
    return [", ".join(filter(None, each)) for each in zip(bases, sources, strict=True)]


def _charts(report: Report, its: Sequence[ColumnStyle]) -> list[dict[str, Any]]:
    """Charts of each group: curves of swept steps, and bars; no empty ones."""
    drawn = [
        {
            "title": group.title,
            "curves": [Markup(each) for each in curve_charts(group.rows, report.names, its)],  # noqa: S704
            "bars": Markup(bar_chart(group.name, group.rows, report.names, its, report.base)),  # noqa: S704
        }
        for group in report.groups
    ]
    return [each for each in drawn if each["curves"] or each["bars"]]


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
    return Markup(parser.render(text)) if text.strip() else Markup()  # noqa: S704 - escaped by the parser
