"""A report as a file: read, rendered, and written whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ..errors import InputError
from ..history.history import History
from .content import SECTIONS, read_report

FORMS = {".html": "html", ".htm": "html", ".md": "md"}  # by the ending of the file


@dataclass(frozen=True)
class ReportRequest:
    """What a person asked for."""

    sessions: tuple[str, ...]
    file: Path
    base: str | None = None
    title: str = ""
    own_text: str = ""
    sections: Sequence[str] = SECTIONS


def check_file(file: Path) -> None:
    """Raises InputError where its name is none of a report."""
    if file.suffix.lower() not in FORMS:
        raise InputError(f"{file}: a report is a file that ends with .html or .md")


def write_report(history: History, request: ReportRequest) -> Path:
    """Where it is; in the place of a file of that name."""
    from .rendering import render  # dear: only who writes one waits for it

    check_file(request.file)
    report = read_report(history, request.sessions, request.base, request.title, request.own_text)
    file = request.file
    part = file.with_name(f".{file.name}.{os.getpid()}.part")
    try:
        part.write_text(render(report, FORMS[file.suffix.lower()], request.sections), encoding="utf-8")
        part.rename(file)
    except OSError as error:
        raise InputError(f"{file} cannot be written: {error.strerror}") from None
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)
    return file
