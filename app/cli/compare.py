"""`dyno compare`: sessions side by side, relative to a base."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any

from .parser import later

WIDTH = 200  # of a table that goes into a file: nothing of it is cut
FORMATS = ("table", "json", "csv", "md")


def add_words(words: Any) -> None:
    parser = words.add_parser("compare", help="sessions side by side")
    parser.add_argument("sessions", nargs="+", metavar="SESSION")
    parser.add_argument("--base", metavar="SESSION", help="the first one, unless it is named")
    parser.add_argument("--format", choices=FORMATS, default="table")
    parser.add_argument("--json", action="store_const", dest="format", const="json")
    parser.set_defaults(carry_out=later("compare", "compare_sessions"))


def compare_sessions(arguments: argparse.Namespace) -> None:
    show_comparison(arguments.sessions, arguments.base, arguments.format)


def show_comparison(references: Sequence[str], base: str | None = None, form: str = "table") -> None:
    from .. import compare
    from .session import opened

    with opened() as history:
        found = compare.compare(history, references, base)
    if form == "table":
        from rich.console import Console

        console = Console(highlight=False, width=None if sys.stdout.isatty() else WIDTH)
        console.print(compare.to_table(found))
        for remark in compare.remarks_of(found):
            console.print(remark, markup=False)
        return
    write = {"json": compare.to_json, "csv": compare.to_csv, "md": compare.to_markdown}[form]
    print(write(found).rstrip("\n"))
