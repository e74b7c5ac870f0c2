"""One shape of a table, for all that Dyno shows in lines and columns, and its writers.

`to_text` is for a terminal, `to_markdown` for a forum; the page of a report writes it as HTML
(`table` in `resources/report.html`), a window shows it with `ui/models/text_table.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Any

from .harmless import harmless
from .wrapping import display_width, folded, wrapped

MISSING = "-"
GAP = 2  # spaces between columns
HEAD = 16  # places that a head may need for one word
TEXT, WORD = 24, 10  # places that words wrap to: before columns go, and where nothing else helps
UNDECIDED = "undecided"  # a tone
LONGEST_CELL = 2000  # characters: every line of a table is as wide as its widest


class CellText(str):
    """The text of a cell with what belongs to it; a plain text is a cell as well."""

    beside: str  # how it stands to the base
    tone: str  # better, worse, undecided or nothing
    tip: str  # n, spread, p

    def __new__(cls, text: str, beside: str = "", tone: str = "", tip: str = "") -> CellText:
        cell = super().__new__(cls, text)
        cell.beside, cell.tone, cell.tip = beside, tone, tip
        return cell


Line = tuple[str, ...]  # texts and cells
Paint = Callable[[str, str], str]  # a text in the colour of a tone


@dataclass(frozen=True)
class Table:
    """The first `texts` columns are words, the others figures; or `right` names the columns of figures."""

    title: str
    heads: Line
    lines: tuple[Line, ...]
    texts: int
    remarks: tuple[str, ...] = ()
    fixed: int = 1  # columns that each part begins with, where it is split
    together: int = 1  # columns after them that stay together
    mean: Line | None = None  # of the lines, below them
    right: tuple[int, ...] | None = None
    least: Line = ()  # heads of columns that a narrow terminal does not get, the first of them first

    @property
    def all_lines(self) -> tuple[Line, ...]:
        return (*self.lines, self.mean) if self.mean else self.lines

    @property
    def figures(self) -> tuple[int, ...]:
        """The columns of figures."""
        return tuple(range(self.texts, len(self.heads))) if self.right is None else self.right


# for a terminal


def to_text(table: Table, width: int | None = None, paint: Paint | None = None) -> str:
    """The table with title and remarks, in as many parts as this width needs."""
    parts = split(table, width) if width else [table]
    return "\n".join(_part_text(part, width, paint) for part in parts)


def _part_text(table: Table, width: int | None, paint: Paint | None) -> str:
    title, *remarks = (folded(harmless(line), width) for line in (table.title, *table.remarks))
    is_shown = table.lines or table.right is not None  # a list without lines shows its head
    lines = columns_text(table.heads, table.all_lines, table.figures, paint) if is_shown else ""
    return "".join([title if table.title else "", lines, *remarks])


def columns_text(
    heads: Sequence[str],
    lines: Iterable[Sequence[Any]],
    right: Iterable[int] = (),
    paint: Paint | None = None,
) -> str:
    """Columns as wide as their content; those named in `right` hold numbers."""
    shown, numeric = [_texts(line) for line in (heads, *lines)], set(right)
    widths = _widths(shown)
    return "".join(_aligned(line, widths, numeric, paint).rstrip() + "\n" for line in shown)


def _aligned(line: Sequence[str], widths: Sequence[int], right: set[int], paint: Paint | None) -> str:
    gaps = [" " * (width - display_width(text)) for text, width in zip(line, widths, strict=True)]
    shown = [paint(text, text.tone) if paint and isinstance(text, CellText) else text for text in line]
    pairs = enumerate(zip(shown, gaps, strict=True))
    return (" " * GAP).join(gap + text if at in right else text + gap for at, (text, gap) in pairs)


def _texts(line: Sequence[Any]) -> list[str]:
    texts = ["" if cell is None else cell if isinstance(cell, str) else str(cell) for cell in line]
    if sum(map(len, texts)) <= LONGEST_CELL and "".join(texts).isprintable():
        return texts
    return [harmless(text, LONGEST_CELL) for text in texts]


def _widths(lines: Iterable[Sequence[str]]) -> list[int]:
    return [max(map(display_width, column)) for column in zip(*lines, strict=True)]


def columns_per_table(widths: Sequence[int], width: int, fixed: int, together: int = 1) -> list[list[int]]:
    """The columns of each table: the fixed ones, then as many as fit; `together` stay together."""
    parts = [list(range(fixed))]
    for at in range(fixed, len(widths), together):
        more = [*range(at, at + together)]
        if _sum(widths[each] for each in [*parts[-1], *more]) <= width or len(parts[-1]) == fixed:
            parts[-1] += more
        else:
            parts.append([*range(fixed), *more])
    return parts


def _sum(widths: Iterable[int]) -> int:
    """The width of a line."""
    return sum(each + GAP for each in widths) - GAP


# to a width: what is the same in all lines is said once, then words wrap, then columns go, then it is split


def split(table: Table, width: int) -> list[Table]:
    """As many tables as needed for this width; the remarks come below the last one."""
    lines = tuple(tuple(_texts(line)) for line in table.lines)
    mean = tuple(_texts(table.mean)) if table.mean else None
    whole = replace(table, lines=lines, mean=mean)
    if not whole.lines or _sum(_widths((whole.heads, *whole.all_lines))) <= width:
        return [whole]
    found = _with_fewer(_said_once(whole), width)
    least = [min(each) for each in _bounds(found, TEXT if table.fixed > 1 else WORD)]
    parts = columns_per_table(least, width, found.fixed, found.together)
    tables = [_laid(_columns(found, part), width) for part in parts]
    return [*(replace(each, remarks=()) for each in tables[:-1]), *tables[-1:]]


def _said_once(table: Table) -> Table:
    """Without columns that say the same in all lines: that is said in the title."""
    same = [at for at in range(1, len(table.heads)) if _is_same(table, at)]
    if table.together > 1:
        same = [at for at in same if at < table.fixed]
    if not same or len(table.lines) < 2:
        return table
    told = [f"{table.heads[at]}: {table.lines[0][at]}" for at in same if table.lines[0][at]]
    kept = _columns(table, [at for at in range(len(table.heads)) if at not in same])
    title = "; ".join(filter(None, (table.title, *told)))
    return replace(kept, title=title, fixed=max(1, table.fixed - sum(at < table.fixed for at in same)))


def _is_same(table: Table, at: int) -> bool:
    """Whether all lines have one text there; figures stay, unless there are none."""
    texts = {line[at] for line in table.all_lines}
    return len(texts) == 1 and (at not in table.figures or texts <= {"", MISSING})


def _with_fewer(table: Table, width: int) -> Table:
    """Without the least columns that do not fit, although words wrap."""
    gone: list[str] = []
    for head in table.least:
        if _sum(min(each) for each in _bounds(table, TEXT)) <= width:
            break
        if head in table.heads:
            table = _columns(table, [at for at, each in enumerate(table.heads) if each != head])
            gone.append(head)
    said = [f"not shown: {', '.join(gone)} (--wide)"] if gone else []
    return replace(table, remarks=(*table.remarks, *said))


def _columns(table: Table, kept: Sequence[int]) -> Table:
    """Only these columns."""

    def of(line: Line) -> Line:
        return tuple(line[at] for at in kept)

    return replace(
        table,
        heads=of(table.heads),
        lines=tuple(map(of, table.lines)),
        mean=of(table.mean) if table.mean else None,
        texts=sum(at < table.texts for at in kept),
        right=None if table.right is None else tuple(new for new, at in enumerate(kept) if at in table.right),
    )


def _bounds(table: Table, text: int) -> list[tuple[int, int]]:
    """The width of each column, and the least: of its figures and the words of its head, of words `text`."""
    heads = [min(HEAD, max(map(display_width, head.split()), default=0)) for head in table.heads]
    bodies, figures = _widths(table.all_lines), {*table.figures}
    return [
        (max(body, display_width(whole)), max(head, body if at in figures else min(body, text)))
        for at, (whole, head, body) in enumerate(zip(table.heads, heads, bodies, strict=True))
    ]


def _laid(table: Table, width: int) -> Table:
    """Words of cells and heads go on in the next line where this width asks for it."""
    for text in (TEXT, WORD):
        bounds = _bounds(table, text)
        if _sum(min(each) for each in bounds) <= width:
            break
    widths = [most for most, _ in bounds]
    while _sum(widths) > width:
        able = [at for at, (_, least) in enumerate(bounds) if widths[at] > least]
        if not able:
            break
        widest = max(able, key=lambda at: widths[at])
        widths[widest] -= 1
    head, *more = _in_lines(table.heads, widths, is_low=True)
    lines = [each for line in table.all_lines for each in _in_lines(line, widths)]
    return replace(table, heads=head, lines=(*more, *lines), mean=None)


def _in_lines(line: Line, widths: Sequence[int], is_low: bool = False) -> list[Line]:
    """A line of cells as several, the texts of a head at their lower ends."""
    cells = [_wrapped(cell, most) for cell, most in zip(line, widths, strict=True)]
    if is_low:
        most = max(map(len, cells))
        cells = [[""] * (most - len(each)) + each for each in cells]
    return [*zip_longest(*cells, fillvalue="")]


def _wrapped(cell: str, width: int) -> list[str]:
    if display_width(cell) <= width:
        return [cell]
    texts = wrapped(cell, width)
    return [CellText(each, tone=cell.tone) for each in texts] if isinstance(cell, CellText) else texts


# for a forum


def escape_markdown_cell(text: str) -> str:
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("\n", " ").replace("<", "&lt;")


def to_markdown(table: Table, escape: Callable[[str], str] = escape_markdown_cell) -> str:
    """The table as Markdown, with title and remarks."""
    lines = [markdown_of(table.heads, table.all_lines, table.texts, escape).strip()] if table.lines else []
    above = [f"### {escape(table.title)}"] if table.title else []
    return "\n\n".join([*above, *lines, *map(escape, table.remarks)]) + "\n"


def markdown_of(
    heads: Sequence[str],
    lines: Sequence[Sequence[str]],
    texts: int = 2,
    escape: Callable[[str], str] = escape_markdown_cell,
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
