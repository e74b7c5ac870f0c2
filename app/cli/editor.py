"""Edits a text in the person's editor at a terminal, and checks it before saving."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from app.core.errors import InputError
from app.core.toml_text import read_text

from .screen import complain

FALLBACK = "vi"


def edit(path: Path, text: str, keep: Callable[[str], object]) -> bool:
    """Open a copy of a file until `keep` takes it or the person gives up; whether it was changed."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise InputError(f"there is no terminal to edit in: edit {path} yourself")
    words = _editor()
    with tempfile.TemporaryDirectory(prefix="dyno-") as folder:
        draft = Path(folder, path.name)
        draft.write_text(text, encoding="utf-8")
        while True:
            _open(words, draft)
            try:
                written = read_text(draft)
                if written != text:
                    keep(written)
                return written != text
            except InputError as error:
                if not _is_again(error):
                    raise


def _editor() -> list[str]:
    said = os.environ.get("VISUAL") or os.environ.get("EDITOR") or FALLBACK
    try:
        words = shlex.split(said)
    except ValueError:
        words = []
    if not words:
        raise InputError(f"$EDITOR is {said!r}, which is not a program")
    return words


def _open(words: list[str], draft: Path) -> None:
    try:
        code = subprocess.run([*words, str(draft)]).returncode
    except OSError as error:
        raise InputError(
            f"the editor {words[0]} cannot be started: {error.strerror}; set $EDITOR to another"
        ) from None
    if code:
        raise InputError(f"the editor {words[0]} ended with code {code}: nothing changed")


def _is_again(error: InputError) -> bool:
    complain(str(error))
    try:
        return not input("edit it again? [Y/n] ").strip().lower().startswith("n")
    except EOFError:
        return False
