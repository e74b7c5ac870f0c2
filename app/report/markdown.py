"""A report as Markdown, for a forum or an issue; names are escaped."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from app.comparison.texts.causes_text import HINT
from app.comparison.verdicts.rounds import about_ratio
from app.core.table import markdown_of

from .content import SECTIONS, Report
from .setups import setup_lines
from .tables import Cell, Group

_SIGNS = ("\\", "`", "*", "_", "<", ">", "[", "]", "|", "#", "~", "&")


def to_markdown(report: Report, sections: Sequence[str] = SECTIONS) -> str:
    """A report as Markdown with these sections and without charts."""
    parts = [f"# {_plain(report.title)}", _plain(report.made)]
    if report.own_text.strip():
        parts.append(report.own_text.strip())
    for name, write in _WRITTEN.items():
        if name in sections and any((found := write(report))[1:]):
            parts += found
    return "\n\n".join(filter(None, parts)) + "\n"


def _summary(report: Report) -> list[str]:
    return ["## Summary", *map(_plain, report.summary)]


def _setup(report: Report) -> list[str]:
    lines = [[name, *texts] for name, texts in setup_lines(report.setups)]
    return ["## What was compared", _table(["", *report.names], lines)]


def _differences(report: Report) -> list[str]:
    lines = [
        [each["group"], each["name"], *(value or "" for value in each["values"])]
        for each in report.differences
    ]
    more = f"{report.differences_left_out} further differences are left out."
    table = _table(["of", "what", *report.names], lines)
    return ["## What differs", table, more if report.differences_left_out else ""]


def _results(report: Report) -> list[str]:
    its_groups = (*report.groups, *report.latencies, *report.before_and_after)
    return ["## Results", *_groups(its_groups, report), _plain(about_ratio(report.comparison))]


def _costs(report: Report) -> list[str]:
    return ["## What a query costs", *_causes(report), *_groups(report.costs, report)]


def _causes(report: Report) -> list[str]:
    """What may have made steps slow, by name."""
    parts = ["### Causes by name", HINT] if report.causes else []
    for title, sentences in report.causes:
        parts += [f"{_plain(title)}:", "\n".join(f"1. {_plain(each)}" for each in sentences)]
    return parts


def _stacks(report: Report) -> list[str]:
    parts = ["## Where the time went"]
    for table in (table for step in report.stacks for table in step.tables):
        lines = _table(table.heads, table.lines)
        parts += [f"### {_plain(table.title)}", lines, *map(_plain, table.remarks)]
    return parts


def _caveats(report: Report) -> list[str]:
    return ["## Caveats", "\n".join(f"- {_plain(each)}" for each in report.caveats)]


def _repeat(report: Report) -> list[str]:
    presets = [
        part
        for preset in report.presets
        for part in (f"### my.cnf of {_plain(', '.join(preset.names))}", _code(preset.cnf))
    ]
    return ["## How to repeat it", *map(_with_code, report.repeat), *presets]


_WRITTEN: dict[str, Callable[[Report], list[str]]] = {
    "summary": _summary,
    "setup": _setup,
    "differences": _differences,
    "results": _results,
    "cost": _costs,
    "stacks": _stacks,
    "caveats": _caveats,
    "repeat": _repeat,
}


def _groups(groups: Sequence[Group], report: Report) -> list[str]:
    return [part for group in groups for part in _group(group, report)]


def _group(group: Group, report: Report) -> list[str]:
    lines = [*group.lines, *([group.mean] if group.mean else [])]
    heading = f"### {_plain(group.title)}"
    return [heading, _table(["", *report.names], [[line.name, *map(_cell, line.cells)] for line in lines])]


def _cell(cell: Cell) -> str:
    return f"{cell.text} ({cell.beside})" if cell.beside else cell.text


def _table(heads: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    return markdown_of(heads, lines, 1, _plain).rstrip() if lines else ""


def _with_code(text: str) -> str:
    """Text between back-quotes stays code."""
    parts = enumerate(text.split("`"))
    return "".join(f"`{part}`" if at % 2 else _inline(part) for at, part in parts)


def _code(text: str) -> str:
    """A fence that is longer than any in the text."""
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}\n{text}\n{fence}"


def _plain(text: str) -> str:
    """Text escaped for Markdown, on one line."""
    return " ".join(_inline(text).split())


def _inline(text: str) -> str:
    for sign in _SIGNS:
        text = text.replace(sign, f"\\{sign}")
    return text
