"""A report as Markdown, for a forum or an issue; names are escaped."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from app.comparison.texts.causes_text import HINT
from app.comparison.verdicts.rounds import about_ratio
from app.core.table import Table
from app.core.table import to_markdown as table_as_markdown

from .content import SECTIONS, Report
from .written_rows import written_notes

_SIGNS = ("\\", "`", "*", "_", "<", ">", "[", "]", "|", "#", "~", "&")


def to_markdown(report: Report, sections: Sequence[str] = SECTIONS) -> str:
    """A report as Markdown with these sections and without charts."""
    parts = [f"# {_plain(report.title)}", _plain(report.made)]
    if report.own_text.strip():
        parts.append(report.own_text.strip())
    for name, (title, write) in _WRITTEN.items():
        if name in sections and any(found := write(report)):
            parts += [f"## {title}", *found]
    return "\n\n".join(filter(None, parts)) + "\n"


def _causes(report: Report) -> list[str]:
    """What may have made steps slow, by name."""
    parts = ["### Causes by name", HINT] if report.causes else []
    for title, sentences in report.causes:
        parts += [f"{_plain(title)}:", "\n".join(f"1. {_plain(each)}" for each in sentences)]
    return parts


def _presets(report: Report) -> list[str]:
    return [
        part
        for preset in report.presets
        for part in (f"### my.cnf of {_plain(', '.join(preset.names))}", _code(preset.cnf))
    ]


def _stalls(report: Report) -> list[str]:
    """What charts of written rows name, which Markdown does not have."""
    if not report.written:
        return []
    rule, *stalls = [_plain(each) for each in written_notes(report.written, are_drawn=False)]
    return ["### Stalls of steps that write rows", rule, "\n".join(f"- {each}" for each in stalls)]


# by the name of a section: its title, and its parts
_WRITTEN: dict[str, tuple[str, Callable[[Report], list[str]]]] = {
    "summary": ("Summary", lambda its: [*map(_plain, its.summary)]),
    "setup": ("What was compared", lambda its: [_table(its.setups)]),
    "differences": ("What differs", lambda its: [_table(its.differences)]),
    "results": (
        "Results",
        lambda its: [
            *map(_table, (*its.results, *its.roles)),
            _plain(about_ratio(its.comparison)),
            *_stalls(its),
        ],
    ),
    "cost": ("What a query costs", lambda its: [*_causes(its), *map(_table, its.costs)]),
    "stacks": (
        "What the servers did",
        lambda its: [_table(each) for step in its.stacks for each in step.tables],
    ),
    "caveats": ("Caveats", lambda its: ["\n".join(f"- {_plain(each)}" for each in its.caveats)]),
    "repeat": ("How to repeat it", lambda its: [*map(_with_code, its.repeat), *_presets(its)]),
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
