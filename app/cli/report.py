"""`dyno report`: a comparison for other people, as one file."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from app.core.errors import InputError

from .compare import add_limits, add_sessions, limits_of
from .parser import add_verb, words_of
from .screen import say
from .session import opened


def add_words(words: Any) -> None:
    parser = add_verb(words, report_sessions, "write a comparison as a report, in one file", add_sessions)
    parser.add_argument("--out", type=Path, required=True, help="a new file: .html .md .csv")
    parser.add_argument("--title", default="", help="title (default: the names of the columns)")
    parser.add_argument("--text", type=Path, help="a Markdown file with your own text")
    parser.add_argument(
        "--without",
        default="",
        metavar="A,B",
        help="leave out sections: summary, setup, differences, results, charts, cost, stacks, caveats,"
        " repeat",
    )
    add_limits(parser)


def report_sessions(arguments: argparse.Namespace) -> None:
    from app.report import writing
    from app.report.content import sections_without

    writing.check_file(arguments.out)
    if arguments.out.exists():
        raise InputError(f"{arguments.out} exists already: choose another name")
    request = writing.ReportRequest(
        tuple(arguments.sessions),
        arguments.out,
        arguments.base,
        arguments.title,
        _own_text(arguments.text) if arguments.text else "",
        sections_without(words_of("without", arguments.without) if arguments.without else []),
        limits_of(arguments),
    )
    with opened() as history:
        say(writing.write_report(history, request))


def _own_text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise InputError(f"{file} cannot be read: it is not UTF-8") from None
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror}") from None
