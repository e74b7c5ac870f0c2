"""A report as Markdown, for a forum or an issue; names are escaped."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from app.comparison.texts.causes_text import HINT
from app.comparison.verdicts.rounds import about_ratio
from app.core.table import Table
from app.core.table import to_markdown as table_as_markdown

from .content import SECTIONS, Report

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
    return ["## What was compared", _table(report.setups)]


def _differences(report: Report) -> list[str]:
    return ["## What differs", _table(report.differences)]


def _results(report: Report) -> list[str]:
    return ["## Results", *map(_table, report.results), _plain(about_ratio(report.comparison))]


def _costs(report: Report) -> list[str]:
    return ["## What a query costs", *_causes(report), *map(_table, report.costs)]


def _causes(report: Report) -> list[str]:
    """What may have made steps slow, by name."""
    parts = ["### Causes by name", HINT] if report.causes else []
    for title, sentences in report.causes:
        parts += [f"{_plain(title)}:", "\n".join(f"1. {_plain(each)}" for each in sentences)]
    return parts


def _stacks(report: Report) -> list[str]:
    return ["## Where the time went", *(_table(table) for step in report.stacks for table in step.tables)]


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


def _table(table: Table) -> str:
    return table_as_markdown(table, _plain).rstrip()


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
