"""What a command has written for other programs or people: where it is, or with --json what it is."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from .screen import print_json, say


def say_written(
    arguments: argparse.Namespace, path: Path, form: str, sessions: Sequence[str], text: object = ""
) -> None:
    """Print a file or folder; `text`: what people read, in place of its name."""
    if arguments.json:
        entry = {"path": str(path.absolute()), "format": form, "bytes": _bytes(path), "sessions": sessions}
        print_json(entry)
    else:
        say(text or path)


def format_of(path: Path) -> str:
    """The format that the name of a file says: `html`."""
    return path.suffix.lower().removeprefix(".")


def _bytes(path: Path) -> int:
    """Of a file, or of all files of a folder."""
    files = [path] if path.is_file() else [each for each in path.rglob("*") if each.is_file()]
    return sum(each.stat().st_size for each in files)
