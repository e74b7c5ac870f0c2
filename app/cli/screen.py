"""Showing things to people in a terminal: lines, tables, questions, JSON for scripts.

Nothing else of the command line prints. What is shown here may come from a target, a file or a stranger:
nothing in it does anything to the terminal, or is read as markup.
"""

from __future__ import annotations

import getpass
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from app.core.harmless import harmless, harmless_text, terminal_safe_json

if TYPE_CHECKING:
    from rich.console import Console

    from app.core.table import Table

WIDTH = 200  # of a table that is not shown in a terminal


def say(*lines: object) -> None:
    """Print each as one line."""
    _print("".join(f"{harmless(str(line))}\n" for line in lines))


def say_text(text: str) -> None:
    """Print a text with its own lines: a file, CSV, Markdown."""
    _print(harmless_text(text))


def complain(*problems: str) -> int:
    """Print each as one line on standard error; returns the exit code."""
    for problem in problems:
        print(harmless(problem), file=sys.stderr)
    return int(bool(problems))


def print_json(value: Any) -> None:
    """Print JSON with an indent, ten times as fast as json does."""
    import msgspec

    try:
        text = msgspec.json.format(msgspec.json.encode(value), indent=2).decode()
    except UnicodeEncodeError:  # it holds halves of characters
        text = json.dumps(value, indent=2)
    _print(terminal_safe_json(text) + "\n")


def print_table(headers: Sequence[str], rows: Iterable[Sequence[Any]], right: Iterable[int] = ()) -> None:
    """Columns as wide as their content; those named in `right` hold numbers."""
    from app.core.table import columns_text

    _print(columns_text(headers, rows, right))


def print_tables(tables: Sequence[Table], form: str = "text") -> None:
    """Print tables with title and remarks, split to the terminal; `md`: as Markdown."""
    from app.core.table import to_markdown, to_text

    if form == "md":
        say_text("\n".join(map(to_markdown, tables)))
        return
    shown_in = rich_console()
    width = shown_in.width if shown_in.is_terminal else None
    _print("\n".join(to_text(table, width) for table in tables))


def print_common_name_parts(names: Sequence[str]) -> Sequence[str]:
    """What the names of columns have in common, on a line; the rest of each."""
    from app.core.names import short_names

    shorts = short_names(names)
    say(*([f"Columns: {shorts.around}"] if shorts.around else []))
    return shorts.names


def rich_console() -> Console:
    from rich.console import Console

    width = None if sys.stdout.isatty() else WIDTH
    return Console(highlight=False, markup=False, emoji=False, width=width)


def _print(text: str) -> None:
    print(text, end="", flush=True)


@contextmanager
def transfer_progress(what: str) -> Iterator[Callable[[int, int], None]]:
    """Shows how much of a file has been sent; on a terminal only."""
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

    name = TextColumn("{task.description}", markup=False)
    columns = (name, BarColumn(), DownloadColumn(), TransferSpeedColumn())
    with Progress(*columns, transient=True, disable=not sys.stdout.isatty()) as progress:
        task = progress.add_task(harmless(what), total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)


@contextmanager
def status_line(first: str) -> Iterator[Callable[[str], None]]:
    """A status line below the output that changes in place; nothing without a terminal."""
    from rich.status import Status
    from rich.text import Text

    its_console = rich_console()
    if not its_console.is_terminal:
        yield lambda _: None
        return
    with Status(Text(harmless(first)), console=its_console, refresh_per_second=2) as shown:
        yield lambda line: shown.update(Text(harmless(line)))


def secret_asker() -> Callable[[str], str | None] | None:
    """Who is asked for a secret; None if there is no terminal."""
    return ask_secret if sys.stdin.isatty() else None


def ask_secret(prompt: str) -> str | None:
    """A secret typed by a person; None without a terminal."""
    if not sys.stdin.isatty():
        return None
    try:
        return getpass.getpass(f"{harmless(prompt)}: ")
    except EOFError:
        return None


def confirmed(question: str) -> bool | None:
    """Whether a person says yes; None without a terminal to ask on."""
    if not sys.stdin.isatty():
        return None
    try:
        return input(f"{harmless(question)} [y/N] ").strip().lower() in ("y", "yes")
    except EOFError:
        return False
