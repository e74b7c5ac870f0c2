"""Showing things to people in a terminal: lines, tables, questions, JSON for scripts.

Nothing else of the command line prints. What is shown here may come from a target, a file or a stranger:
nothing in it does anything to the terminal, or is read as markup.
"""

from __future__ import annotations

import getpass
import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from app.core.harmless import harmless, harmless_text, terminal_safe_json

if TYPE_CHECKING:
    from rich.console import Console

    from app.core.table import Paint, Table

WIDTH = 200  # of charts that are not shown in a terminal


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


def say_wrapped(*lines: str) -> None:
    """Print sentences, with line ends where the terminal needs them."""
    from app.core.wrapping import folded

    _print("".join(folded(harmless(line), width()) for line in lines))


def print_table(
    headers: Sequence[str],
    rows: Iterable[Sequence[Any]],
    right: Iterable[int] = (),
    least: Sequence[str] = (),
) -> None:
    """Columns, those named in `right` of numbers; `least`: what a narrow terminal does not get."""
    from app.core.table import Table

    lines = tuple(tuple(row) for row in rows)
    print_tables([Table("", tuple(headers), lines, len(headers), right=tuple(right), least=tuple(least))])


def print_tables(tables: Sequence[Table], form: str = "text") -> None:
    """Print tables with title and remarks, fitted to the terminal; `md`: as Markdown."""
    from app.core.table import to_markdown, to_text

    if form == "md":
        say_text("\n".join(map(to_markdown, tables)))
        return
    _print("\n".join(to_text(table, width(), painter()) for table in tables))


def print_common_name_parts(names: Sequence[str]) -> Sequence[str]:
    """What the names of columns have in common, on a line; the rest of each."""
    from app.core.names import short_names

    shorts = short_names(names)
    say(*([f"Columns: {shorts.around}"] if shorts.around else []))
    return shorts.names


_WIDE = False  # tables are shown whole, as asked for in this command


def show_whole_tables(is_wide: bool) -> None:
    """Whether the tables of this command are shown whole (`--wide`)."""
    global _WIDE
    _WIDE = is_wide


def width() -> int | None:
    """The width of the terminal, or as COLUMNS says; None: tables and lines may have any."""
    shown_in = rich_console()
    return shown_in.width if not _WIDE and (shown_in.is_terminal or _columns()) else None


def _columns() -> int | None:
    text = os.environ.get("COLUMNS", "")
    return int(text) or None if text.isdecimal() and len(text) < 5 else None


def painter() -> Paint | None:
    """Colours for verdicts: on a terminal that has them, unless NO_COLOR is set."""
    if not sys.stdout.isatty():
        return None
    shown_in = rich_console()
    return _painted if shown_in.color_system and not shown_in.no_color else None


_COLOURS = {"better": "32", "worse": "31", "undecided": "2"}  # green, red, dim


def _painted(text: str, tone: str) -> str:
    return f"\x1b[{_COLOURS[tone]}m{text}\x1b[0m" if tone in _COLOURS else text


def rich_console() -> Console:
    from rich.console import Console

    width = None if sys.stdout.isatty() else _columns() or WIDTH
    return Console(highlight=False, markup=False, emoji=False, width=width)


_QUIET = False  # nothing is printed, as asked for (`--quiet`)


@contextmanager
def quietly(is_quiet: bool) -> Iterator[None]:
    """Print nothing meanwhile; problems and questions come all the same."""
    global _QUIET
    before, _QUIET = _QUIET, _QUIET or is_quiet
    try:
        yield
    finally:
        _QUIET = before


def _print(text: str) -> None:
    if not _QUIET:
        print(text, end="", flush=True)


@contextmanager
def transfer_progress(what: str) -> Iterator[Callable[[int, int], None]]:
    """Shows how much of a file has been sent; on a terminal only."""
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

    name = TextColumn("{task.description}", markup=False)
    columns = (name, BarColumn(), DownloadColumn(), TransferSpeedColumn())
    with Progress(*columns, transient=True, disable=_QUIET or not sys.stdout.isatty()) as progress:
        task = progress.add_task(harmless(what), total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)


@contextmanager
def status_line(first: str) -> Iterator[Callable[[str], None]]:
    """A status line below the output that changes in place; nothing without a terminal."""
    from rich.status import Status
    from rich.text import Text

    its_console = rich_console()
    if _QUIET or not its_console.is_terminal:
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


def entered(question: str) -> str | None:
    """What a person types in answer; None without a terminal to ask on."""
    if not sys.stdin.isatty():
        return None
    try:
        return input(f"{harmless(question)}: ").strip()
    except EOFError:
        return ""


def confirmed(question: str) -> bool | None:
    """Whether a person says yes; None without a terminal to ask on."""
    if not sys.stdin.isatty():
        return None
    try:
        return input(f"{harmless(question)} [y/N] ").strip().lower() in ("y", "yes")
    except EOFError:
        return False
