"""A report written down: HTML that needs nothing beside it, or Markdown; whatever names hold is escaped."""

from __future__ import annotations

from collections.abc import Sequence

from jinja2 import Environment
from markdown_it import MarkdownIt
from markupsafe import Markup

from ..judgement import explained
from ..palette import CONTENDERS
from ..shipped import shipped_folder
from .bars import bar_chart
from .content import SECTIONS, Group, Report, Setup

_MARKDOWN = ("\\", "`", "*", "_", "<", ">", "[", "]", "|", "#", "~", "&")


def render(report: Report, form: str, sections: Sequence[str] = SECTIONS) -> str:
    """As html or md, with these sections."""
    return _html(report, sections) if form == "html" else _markdown(report, sections)


def _html(report: Report, sections: Sequence[str]) -> str:
    colours = [column["colour"] % len(CONTENDERS[False]) for column in report.comparison["sessions"]]
    charts = [Markup(bar_chart(each.rows, report.names, colours, report.base)) for each in report.groups]  # noqa: S704
    text = (shipped_folder("resources") / "report.html").read_text(encoding="utf-8")
    return (
        Environment(autoescape=True)
        .from_string(text)
        .render(
            report=report,
            sections=sections,
            charts=charts,
            colours=colours,
            setup_lines=_setup_lines(report.setups),
            explained=explained(report.comparison),
            own_text=_own_text(report.own_text),
            light=CONTENDERS[False],
            dark=CONTENDERS[True],
        )
    )


def _own_text(text: str) -> Markup:
    """Markdown of the sender; HTML in it stays text, and nothing is fetched from anywhere."""
    parser = MarkdownIt("commonmark", {"html": False}).disable("image")
    return Markup(parser.render(text)) if text.strip() else Markup()  # noqa: S704 - escaped by the parser


def _setup_lines(setups: Sequence[Setup]) -> list[tuple[str, list[str]]]:
    """Of each part a line, a text a column."""
    names = dict.fromkeys(name for setup in setups for name, _ in setup.parts)
    return [(name, [dict(setup.parts).get(name, "") for setup in setups]) for name in names]


# Markdown


def _markdown(report: Report, sections: Sequence[str]) -> str:
    parts = [f"# {_plain(report.title)}", _plain(report.made)]
    if report.own_text.strip():
        parts.append(report.own_text.strip())
    written = {
        "summary": lambda: ["## Summary", *map(_plain, report.summary)],
        "setup": lambda: [
            "## What was compared",
            _table(["", *report.names], [[name, *texts] for name, texts in _setup_lines(report.setups)]),
        ],
        "differences": lambda: [
            "## What differs",
            _table(
                ["of", "what", *report.names],
                [
                    [each["group"], each["name"], *(value or "" for value in each["values"])]
                    for each in report.differences
                ],
            ),
        ],
        "results": lambda: [
            "## Results",
            *(part for group in report.groups for part in _group(group, report)),
        ],
        "cost": lambda: [
            "## What a query costs",
            *(part for group in report.costs for part in _group(group, report)),
        ],
        "caveats": lambda: [
            "## What has to be known",
            "\n".join(f"- {_plain(each)}" for each in report.caveats),
        ],
        "repeat": lambda: ["## How to repeat it", *map(_plain, report.repeat)],
    }
    for name in SECTIONS:
        if name in sections and len(found := written[name]()) > 1 and any(found[1:]):
            parts += found
    return "\n\n".join(parts) + "\n"


def _group(group: Group, report: Report) -> list[str]:
    lines = [*group.lines, *([group.mean] if group.mean else [])]
    less = " (less is better)" if group.direction == "lower" else ""
    heading = f"### {_plain(group.name or 'other steps')}, {_plain(group.unit)}{less}"
    return [heading, _table(["", *report.names], [[line.name, *line.cells] for line in lines])]


def _table(heads: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    if not lines:
        return ""
    rule = ["---", *["---:"] * (len(heads) - 1)]
    rows = [[_plain(cell) for cell in heads], rule, *([_plain(cell) for cell in line] for line in lines)]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _plain(text: str) -> str:
    """Text that stands for itself in Markdown."""
    for sign in _MARKDOWN:
        text = text.replace(sign, f"\\{sign}")
    return " ".join(text.split())
