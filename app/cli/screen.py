"""Showing things to people in a terminal: tables, questions, JSON for scripts."""

from __future__ import annotations

import getpass
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..text_table import TextTable


def print_json(value: Any) -> None:
    """Thousands of sessions in a tenth of the time that json takes to indent them."""
    import msgspec

    print(msgspec.json.format(msgspec.json.encode(value), indent=2).decode())


def print_table(headers: Sequence[str], rows: Iterable[Sequence[Any]], right: Iterable[int] = ()) -> None:
    """Columns as wide as their content; those named in `right` hold numbers."""
    lines = [headers, *map(_texts, rows)]
    numeric = set(right)
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    form = "  ".join(f"{{:{'>' if at in numeric else '<'}{width}}}" for at, width in enumerate(widths))
    print("\n".join(form.format(*line).rstrip() for line in lines))


def print_text_tables(tables: Sequence[TextTable], form: str) -> None:
    """One below the other, each with its title and remarks; `md`: as Markdown."""
    from ..text_table import to_markdown

    if form == "md":
        print("\n".join(map(to_markdown, tables)), end="")
        return
    for at, table in enumerate(tables):
        print(("\n" if at else "") + harmless(table.title))
        if table.lines:
            print_table(table.heads, table.lines, range(table.texts, len(table.heads)))
        for remark in table.remarks:
            print(remark)


def _texts(row: Sequence[Any]) -> list[str]:
    texts = ["" if cell is None else str(cell) for cell in row]
    return texts if "".join(texts).isprintable() else [harmless(text) for text in texts]


def harmless(text: str) -> str:
    """One line that does nothing to a terminal: part of it may come from somebody else's file."""
    if text.isprintable():
        return text
    return "".join(each if each.isprintable() else "?" for each in text.replace("\t", " ").strip("\n"))


@contextmanager
def transfer(what: str) -> Iterator[Callable[[int, int], None]]:
    """Shows how much of a file has been sent; on a terminal only."""
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
    with Progress(*columns, transient=True, disable=not sys.stdout.isatty()) as progress:
        task = progress.add_task(what, total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)


def ask_secret(prompt: str) -> str | None:
    """A secret typed by a person; None where nobody sits at a terminal."""
    if not sys.stdin.isatty():
        return None
    try:
        return getpass.getpass(f"{prompt}: ")
    except EOFError:
        return None
