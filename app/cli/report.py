"""`dyno report`: a comparison for other people, as one file."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.core.errors import DynoError, InputError
from app.core.harmless import as_file_name
from app.core.toml_text import read_text

from .compare import (
    add_sessions,
    add_verdict_limits,
    command_verdict_limits,
    named_sessions,
    sessions_of_ended,
)
from .parser import add_json_only, add_verb, split_word_list
from .screen import complain, say
from .session import opened_history
from .written import format_of, say_written

if TYPE_CHECKING:
    from app.protocol.plan import Plan

MOST_FILES = 1000  # of one name


def add_words(words: Any) -> None:
    parser = add_verb(words, report_sessions, "write a comparison as a report, in one file", add_sessions)
    parser.add_argument(
        "-o", "--out", type=Path, metavar="FILE",
        help="a new file: .html .md .csv; also as the last word (default: the name of the first session or"
        " plan, .html, in this directory)",
    )  # fmt: skip
    parser.add_argument("--title", default="", help="title (default: the names of the columns)")
    parser.add_argument("--text", type=Path, help="a Markdown file with your own text")
    parser.add_argument(
        "--without",
        default="",
        metavar="A,B",
        help="leave out sections: summary, setup, differences, results, charts, cost, stacks, caveats,"
        " repeat",
    )
    parser.add_argument(
        "--interactive", action="store_true",
        help="a page with a script: readers choose the base, hide contenders, open the seconds of a cell",
    )  # fmt: skip
    parser.add_argument(
        "--replace", action="store_true",
        help="replace FILE; an interactive report says what has changed since",
    )  # fmt: skip
    add_verdict_limits(parser)
    add_json_only(parser)


def report_sessions(arguments: argparse.Namespace) -> None:
    from app.report import writing
    from app.report.content import sections_without

    out = _file_of(arguments)
    writing.check_report_ending(out, arguments.interactive)
    if out.exists() and not arguments.replace:
        raise InputError(f"{out} exists already: choose another name, or --replace it")
    request = writing.ReportRequest(
        tuple(arguments.sessions),
        out,
        arguments.base,
        arguments.title,
        read_text(arguments.text) if arguments.text else "",
        sections_without(split_word_list("without", arguments.without) if arguments.without else []),
        command_verdict_limits(arguments),
        arguments.interactive,
    )
    with opened_history() as history:
        file = writing.write_report(history, request)
        say_written(arguments, file, format_of(file), named_sessions(history, arguments))


def _file_of(arguments: argparse.Namespace) -> Path:
    """The file of `--out`, else of the last word that names one, else of the first session."""
    from app.report.writing import FORMS

    if arguments.out is not None:
        return Path(arguments.out)
    *others, last = arguments.sessions
    if others and Path(last).suffix.lower() in FORMS:
        arguments.sessions = others
        return Path(last)
    return _free_name(as_file_name(arguments.sessions[0]))


def report_plan(plan: Plan) -> None:
    """Write the report of a plan that is over into the current directory; says where, or why not."""
    from app.report.writing import ReportRequest, write_report

    if not sessions_of_ended(plan.id)[1]:
        return
    try:
        file = _new_file(as_file_name(plan.name))
        try:
            with opened_history() as history:
                write_report(history, ReportRequest((plan.id,), file))
        except BaseException:
            file.unlink(missing_ok=True)
            raise
    except DynoError as error:
        complain(f"dyno: no report was written: {error}")
    else:
        say(f"report: {file.absolute()}")


def _new_file(name: str) -> Path:
    """An empty file of this name in the current directory, with a number where there is one."""
    while True:
        file = _free_name(name)
        try:
            file.touch(exist_ok=False)
        except FileExistsError:
            continue
        except OSError as error:
            raise InputError(f"{file} cannot be written: {error.strerror}") from None
        return file


def _free_name(name: str) -> Path:
    """`night.html`, or `night-2.html` where there is one, in the current directory."""
    files = (
        Path(f"{name}-{number}.html" if number > 1 else f"{name}.html") for number in range(1, MOST_FILES)
    )
    if file := next((each for each in files if not os.path.lexists(each)), None):
        return file
    raise InputError(f"there are {MOST_FILES:,} reports of that name")
