"""`dyno report`: a comparison for other people, as one file."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Any

from ..errors import InputError
from .parser import later

_FORMS = {".html": "html", ".htm": "html", ".md": "md"}


def add_words(words: Any) -> None:
    parser = words.add_parser("report", help="a comparison for other people, as one file")
    parser.add_argument(
        "sessions",
        nargs="+",
        metavar="SESSION",
        help="a full id, its last 6 characters, a unique name, or last",
    )
    parser.add_argument("--base", metavar="SESSION", help="the first one, unless it is named")
    parser.add_argument("--out", type=Path, required=True, help="a file that is not there yet: .html or .md")
    parser.add_argument("--title", default="", help="above it; left out: who is compared with whom")
    parser.add_argument("--text", type=Path, help="a file with text of your own, in Markdown")
    parser.add_argument(
        "--without", default="", metavar="A,B", help="sections to leave out: differences,cost,..."
    )
    parser.set_defaults(carry_out=later("report", "write_report"))


def write_report(arguments: argparse.Namespace) -> None:
    from ..report.content import read_report, sections_without
    from ..report.rendering import render
    from .session import opened

    form = _FORMS.get(arguments.out.suffix.lower())
    if form is None:
        raise InputError(f"{arguments.out}: a report is a file that ends with .html or .md")
    sections = sections_without([name for name in arguments.without.split(",") if name])
    text = _own_text(arguments.text) if arguments.text else ""
    with opened() as history:
        report = read_report(history, arguments.sessions, arguments.base, arguments.title, text)
    _write(arguments.out, render(report, form, sections))
    print(arguments.out)


def _own_text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise InputError(f"{file} cannot be read: {getattr(error, 'strerror', None) or error}") from None


def _write(file: Path, text: str) -> None:
    """Whole, or not at all; what is there already stays."""
    part = file.with_name(f".{file.name}.{os.getpid()}.part")
    try:
        if file.exists():
            raise InputError(f"{file} is there already: give another name")
        part.write_text(text, encoding="utf-8")
        part.rename(file)
    except OSError as error:
        raise InputError(f"{file} cannot be written: {error.strerror}") from None
    finally:
        part.unlink(missing_ok=True)
