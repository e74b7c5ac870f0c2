"""Showing things to people in a terminal: tables, questions, JSON for scripts."""

from __future__ import annotations

import getpass
import json
import sys
from collections.abc import Iterable, Sequence
from typing import Any


def print_json(value: Any) -> None:
    print(json.dumps(value, indent=2, ensure_ascii=False))


def print_table(headers: Sequence[str], rows: Iterable[Sequence[Any]], right: Iterable[int] = ()) -> None:
    """Columns as wide as their content; those named in `right` hold numbers."""
    lines = [list(headers), *([_text(cell) for cell in row] for row in rows)]
    numeric = set(right)
    widths = [max(len(line[index]) for line in lines) for index in range(len(headers))]
    for line in lines:
        cells = [
            cell.rjust(width) if index in numeric else cell.ljust(width)
            for index, (cell, width) in enumerate(zip(line, widths, strict=True))
        ]
        print("  ".join(cells).rstrip())


def _text(cell: Any) -> str:
    return "" if cell is None else harmless(str(cell))


def harmless(text: str) -> str:
    """One line that does nothing to a terminal: part of it may come from somebody else's file."""
    if text.isprintable():
        return text
    return "".join(each if each.isprintable() else "?" for each in text.replace("\t", " ").strip("\n"))


def ask_secret(prompt: str) -> str | None:
    """A secret typed by a person; None where nobody sits at a terminal."""
    if not sys.stdin.isatty():
        return None
    try:
        return getpass.getpass(f"{prompt}: ")
    except EOFError:
        return None
