"""A report as a file: read, rendered, and written whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from app.comparison.texts.text import to_csv
from app.core.errors import InputError
from app.core.harmless import harmless_text
from app.history.store.history import History
from app.stats import VerdictLimits

from .content import SECTIONS, Report, read_report
from .markdown import to_markdown

PAGES = (".html", ".htm")  # how the name of a file ends
FORMS = (*PAGES, ".md", ".csv")


@dataclass(frozen=True)
class ReportRequest:
    """A requested report."""

    sessions: tuple[str, ...]
    file: Path
    base: str | None = None
    title: str = ""
    own_text: str = ""
    sections: Sequence[str] = SECTIONS
    limits: VerdictLimits | None = None  # of the verdicts; None: as Dyno comes
    is_interactive: bool = False


def check_report_ending(file: Path, is_interactive: bool = False) -> None:
    """Raise InputError if the file name has no ending of a report."""
    if file.suffix.lower() not in FORMS:
        raise InputError(f"{file}: the name of a report must end with .html, .md or .csv")
    if is_interactive and file.suffix.lower() not in PAGES:
        raise InputError(f"{file}: the name of an interactive report must end with .html")


def write_report(history: History, request: ReportRequest) -> Path:
    """Write a report, replacing a file of that name; returns its path."""
    check_report_ending(request.file, request.is_interactive)
    report = read_report(
        history, request.sessions, request.base, request.title, request.own_text, request.limits
    )
    file = request.file
    if request.is_interactive:
        text = _interactive(history, report, request)
    else:
        text = render(report, file.suffix.lower(), request.sections)
    part = file.with_name(f".{file.name}.{os.getpid()}.part")
    try:
        part.write_text(text, encoding="utf-8")
        part.rename(file)
    except OSError as error:
        raise InputError(f"{file} cannot be written: {error.strerror}") from None
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)
    return file


def _interactive(history: History, report: Report, request: ReportRequest) -> str:
    """The interactive page; it says what has changed since the one whose place it takes."""
    from .corrections import numbers_of_page
    from .interactive import read_interactive, to_interactive_html

    page = read_interactive(history, report, numbers_of_page(request.file))
    return to_interactive_html(page, request.sections)


def render(report: Report, ending: str, sections: Sequence[str] = SECTIONS) -> str:
    """A report in the form of this file ending; CSV has no sections, only results."""
    if ending == ".csv":
        text = to_csv(report.comparison)
    elif ending == ".md":
        text = to_markdown(report, sections)
    else:
        from .rendering import to_html  # dear: only who writes one waits for it

        text = to_html(report, sections)
    return harmless_text(text)
