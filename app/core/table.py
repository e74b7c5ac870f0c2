"""A table of texts, and the ways to write it down."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from textwrap import wrap

MISSING = "-"
GAP = 2  # spaces between columns


@dataclass(frozen=True)
class TextTable:
    """The first `texts` columns are words, the others figures."""

    title: str
    heads: tuple[str, ...]
    lines: tuple[tuple[str, ...], ...]
    texts: int
    remarks: tuple[str, ...] = ()
    fixed: int = 1  # columns that each part begins with, where it is split


def to_markdown(table: TextTable) -> str:
    """The table as Markdown, with title and remarks."""
    lines = [markdown_of(table.heads, table.lines, table.texts).strip()] if table.lines else []
    return "\n\n".join([f"### {table.title}", *lines, *table.remarks]) + "\n"


def fitting(widths: Sequence[int], width: int, fixed: int, together: int = 1) -> list[list[int]]:
    """The columns of each table: the fixed ones, then as many as fit; `together` stay together."""
    parts = [list(range(fixed))]
    for at in range(fixed, len(widths), together):
        more = [*range(at, at + together)]
        wide = sum(widths[each] + GAP for each in [*parts[-1], *more]) - GAP
        if wide <= width or len(parts[-1]) == fixed:
            parts[-1] += more
        else:
            parts.append([*range(fixed), *more])
    return parts


def split(table: TextTable, width: int) -> list[TextTable]:
    """As many tables as needed for this width; the remarks come below the last one."""
    lines = (table.heads, *_wrapped(table, width))
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    parts = fitting(widths, width, table.fixed)
    found = []
    for part in parts:
        heads, *rest = (tuple(line[at] for at in part) for line in lines)
        remarks, texts = table.remarks if part is parts[-1] else (), sum(at < table.texts for at in part)
        found.append(replace(table, heads=heads, lines=tuple(rest), texts=texts, remarks=remarks))
    return found


def _wrapped(table: TextTable, width: int) -> list[tuple[str, ...]]:
    """Its lines; words go on in the next line where the first two columns do not fit next to each other."""
    first = [tuple(line[:2]) for line in (table.heads, *table.lines)]
    wide = sum(max(map(len, column)) for column in zip(*first, strict=True)) + GAP
    if table.texts < 2 or wide <= width:
        return list(table.lines)
    each = (width - GAP) // 2
    found: list[tuple[str, ...]] = []
    for line in table.lines:
        cells = [wrap(cell, each, break_long_words=False) for cell in line[: table.texts]]
        rest = [[cell] for cell in line[table.texts :]]
        found += zip_longest(*cells, *rest, fillvalue="")
    return found


def ratio_text(ratio: float | None) -> str:
    """`0.62`, `1,204`."""
    return MISSING if ratio is None else f"{ratio:.2f}" if ratio < 100 else f"{ratio:,.0f}"


def escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("\n", " ").replace("<", "&lt;")


def markdown_of(
    heads: Sequence[str],
    lines: Sequence[Sequence[str]],
    texts: int = 2,
    escape: Callable[[str], str] = escaped,
) -> str:
    """A table whose first columns are texts, the others figures."""
    rule = ["---"] * texts + ["---:"] * (len(heads) - texts)
    return "".join(f"| {' | '.join(map(escape, line))} |\n" for line in (heads, rule, *lines))
