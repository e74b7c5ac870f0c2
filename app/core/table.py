"""One shape of a table, for all that Dyno shows in lines and columns, and its writers.

`to_text` is for a terminal, `to_markdown` for a forum; the page of a report writes it as HTML
(`table` in `resources/report.html`), a window shows it with `ui/models/text_table.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from textwrap import wrap
from typing import Any
from unicodedata import combining, east_asian_width

from .harmless import harmless

MISSING = "-"
GAP = 2  # spaces between columns
LONGEST_CELL = 2000  # characters: every line of a table is as wide as its widest


class CellText(str):
    """The text of a cell with what belongs to it; a plain text is a cell as well."""

    beside: str  # how it stands to the base
    tone: str  # better, worse or nothing
    tip: str  # n, spread, p

    def __new__(cls, text: str, beside: str = "", tone: str = "", tip: str = "") -> CellText:
        cell = super().__new__(cls, text)
        cell.beside, cell.tone, cell.tip = beside, tone, tip
        return cell


Line = tuple[str, ...]  # texts and cells


@dataclass(frozen=True)
class Table:
    """The first `texts` columns are words, the others figures."""

    title: str
    heads: Line
    lines: tuple[Line, ...]
    texts: int
    remarks: tuple[str, ...] = ()
    fixed: int = 1  # columns that each part begins with, where it is split
    together: int = 1  # columns after them that stay together
    mean: Line | None = None  # of the lines, below them

    @property
    def all_lines(self) -> tuple[Line, ...]:
        return (*self.lines, self.mean) if self.mean else self.lines


# for a terminal


def to_text(table: Table, width: int | None = None) -> str:
    """The table with title and remarks, in as many parts as this width needs."""
    parts = split(table, width) if width else [table]
    return "\n".join(map(_part_text, parts))


def _part_text(table: Table) -> str:
    title, *remarks = (f"{harmless(line)}\n" for line in (table.title, *table.remarks))
    right = range(table.texts, len(table.heads))
    lines = columns_text(table.heads, table.all_lines, right) if table.lines else ""
    return "".join([title if table.title else "", lines, *remarks])


def columns_text(heads: Sequence[str], lines: Iterable[Sequence[Any]], right: Iterable[int] = ()) -> str:
    """Columns as wide as their content; those named in `right` hold numbers."""
    shown, numeric = [_texts(line) for line in (heads, *lines)], set(right)
    widths = _widths(shown)
    return "".join(_aligned(line, widths, numeric).rstrip() + "\n" for line in shown)


def _aligned(line: Sequence[str], widths: Sequence[int], right: set[int]) -> str:
    gaps = [" " * (width - wide(text)) for text, width in zip(line, widths, strict=True)]
    pairs = enumerate(zip(line, gaps, strict=True))
    return (" " * GAP).join(gap + text if at in right else text + gap for at, (text, gap) in pairs)


def _texts(line: Sequence[Any]) -> list[str]:
    texts = ["" if cell is None else str(cell) for cell in line]
    if sum(map(len, texts)) <= LONGEST_CELL and "".join(texts).isprintable():
        return texts
    return [harmless(text, LONGEST_CELL) for text in texts]


def _widths(lines: Iterable[Sequence[str]]) -> list[int]:
    return [max(map(wide, column)) for column in zip(*lines, strict=True)]


def wide(text: str) -> int:
    """The places that a text takes in a terminal: two for a sign of East Asia."""
    if text.isascii():
        return len(text)
    return sum(2 if east_asian_width(sign) in "WF" else not combining(sign) for sign in text)


def columns_per_table(widths: Sequence[int], width: int, fixed: int, together: int = 1) -> list[list[int]]:
    """The columns of each table: the fixed ones, then as many as fit; `together` stay together."""
    parts = [list(range(fixed))]
    for at in range(fixed, len(widths), together):
        more = [*range(at, at + together)]
        needed = sum(widths[each] + GAP for each in [*parts[-1], *more]) - GAP
        if needed <= width or len(parts[-1]) == fixed:
            parts[-1] += more
        else:
            parts.append([*range(fixed), *more])
    return parts


def split(table: Table, width: int) -> list[Table]:
    """As many tables as needed for this width; the remarks come below the last one."""
    lines = (table.heads, *_wrapped(table, width))
    parts = columns_per_table(_widths(lines), width, table.fixed, table.together)
    found = []
    for part in parts:
        heads, *rest = (tuple(line[at] for at in part) for line in lines)
        remarks, texts = table.remarks if part is parts[-1] else (), sum(at < table.texts for at in part)
        its = replace(table, heads=heads, lines=tuple(rest), texts=texts, remarks=remarks, mean=None)
        found.append(its)
    return found


def _wrapped(table: Table, width: int) -> list[Line]:
    """Its lines; words go on in the next line where the first two columns do not fit next to each other."""
    first = [tuple(line[:2]) for line in (table.heads, *table.all_lines)]
    if table.texts < 2 or sum(_widths(first)) + GAP <= width:
        return list(table.all_lines)
    each = (width - GAP) // 2
    found: list[Line] = []
    for line in table.all_lines:
        cells = [wrap(cell, each, break_long_words=False) for cell in line[: table.texts]]
        rest = [[cell] for cell in line[table.texts :]]
        found += zip_longest(*cells, *rest, fillvalue="")
    return found


# for a forum


def escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("\n", " ").replace("<", "&lt;")


def to_markdown(table: Table, escape: Callable[[str], str] = escaped) -> str:
    """The table as Markdown, with title and remarks."""
    lines = [markdown_of(table.heads, table.all_lines, table.texts, escape).strip()] if table.lines else []
    above = [f"### {escape(table.title)}"] if table.title else []
    return "\n\n".join([*above, *lines, *map(escape, table.remarks)]) + "\n"


def markdown_of(
    heads: Sequence[str],
    lines: Sequence[Sequence[str]],
    texts: int = 2,
    escape: Callable[[str], str] = escaped,
) -> str:
    """A table whose first columns are texts, the others figures."""
    rule = ["---"] * texts + ["---:"] * (len(heads) - texts)
    rows = [[*map(escape, heads)], rule, *([_noted(cell, escape) for cell in line] for line in lines)]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def _noted(cell: str, escape: Callable[[str], str]) -> str:
    """`1,000 (0.93 worse)`."""
    beside = cell.beside if isinstance(cell, CellText) else ""
    return escape(f"{cell} ({beside})" if beside else cell)


# cells of many tables


def ratio_text(ratio: float | None) -> str:
    """`0.62`, `1,204`."""
    return MISSING if ratio is None else f"{ratio:.2f}" if ratio < 100 else f"{ratio:,.0f}"
