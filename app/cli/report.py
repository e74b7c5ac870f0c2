"""`dyno report`: a comparison for other people, as one file."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from app.core.errors import InputError

from .compare import add_sessions, add_verdict_limits, limits_of_command
from .parser import add_verb, split_word_list
from .screen import say
from .session import opened_history


def add_words(words: Any) -> None:
    parser = add_verb(words, report_sessions, "write a comparison as a report, in one file", add_sessions)
    parser.add_argument("-o", "--out", type=Path, required=True, help="a new file: .html .md .csv")
    parser.add_argument("--title", default="", help="title (default: the names of the columns)")
    parser.add_argument("--text", type=Path, help="a Markdown file with your own text")
    parser.add_argument(
        "--without",
        default="",
        metavar="A,B",
        help="leave out sections: summary, setup, differences, results, charts, cost, stacks, caveats,"
        " repeat",
    )
    add_verdict_limits(parser)


def report_sessions(arguments: argparse.Namespace) -> None:
    from app.report import writing
    from app.report.content import sections_without

    writing.check_report_ending(arguments.out)
    if arguments.out.exists():
        raise InputError(f"{arguments.out} exists already: choose another name")
    request = writing.ReportRequest(
        tuple(arguments.sessions),
        arguments.out,
        arguments.base,
        arguments.title,
        _own_text(arguments.text) if arguments.text else "",
        sections_without(split_word_list("without", arguments.without) if arguments.without else []),
        limits_of_command(arguments),
    )
    with opened_history() as history:
        say(writing.write_report(history, request))


def _own_text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise InputError(f"{file} cannot be read: it is not UTF-8") from None
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror}") from None
