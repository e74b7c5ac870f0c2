"""A table of texts, and the ways to write it down."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

MISSING = "-"


@dataclass(frozen=True)
class TextTable:
    """The first `texts` columns are words, the others figures."""

    title: str
    heads: tuple[str, ...]
    lines: tuple[tuple[str, ...], ...]
    texts: int
    remarks: tuple[str, ...] = ()


def to_markdown(table: TextTable) -> str:
    """Under its title, with its remarks below."""
    lines = [markdown_of(table.heads, table.lines, table.texts).strip()] if table.lines else []
    return "\n\n".join([f"### {table.title}", *lines, *table.remarks]) + "\n"


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
