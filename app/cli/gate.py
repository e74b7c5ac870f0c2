"""`dyno gate`: whether a contender is worse than another one, as an exit code for scripts."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.core.files import write_file
from app.protocol.reading import MOST_PCT

from .compare import add_false_share, add_measure, command_verdict_limits
from .parser import add_json_only, add_verb, non_empty_option, percent_type
from .plan_options import DISTURBING, add_options, given_disturbance_limits
from .screen import print_json, print_table, quietly, say_text, say_wrapped
from .session import opened_history

if TYPE_CHECKING:
    from app.comparison.answers.gate import GateEntry, GateLine


def add_words(words: Any) -> None:
    text = "check whether B is worse than A; exit code 0: not worse, 1: worse, 3: cannot be told"
    parser = add_verb(words, gate_sessions, text, matters=None, failure=3)
    parser.add_argument(
        "base",
        metavar="A",
        help="base: a session as for compare, or a plan of one contender; all repeats of its contender count",
    )
    parser.add_argument(
        "other",
        metavar="B",
        help="session or plan that must not be worse; all repeats of its contender count",
    )
    parser.add_argument(
        "--difference", type=percent_type(MOST_PCT, is_above_0=True), required=True, dest="worse",
        metavar="PERCENT",
        help="the difference that counts: B is worse if it loses more than this, such as 3%%",
    )  # fmt: skip
    add_false_share(parser, "of false answers")
    add_measure(parser, "compare")
    parser.add_argument(
        "--groups", action="store_true", help="judge the means of groups instead of single steps"
    )
    parser.add_argument(
        "--step", action="append", metavar="STEP",
        help="judge only this step: point-query, 'scan threads=4'; give it once for each",
    )  # fmt: skip
    add_options(parser, *DISTURBING)
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--markdown", action="store_true", help="print Markdown, for a merge request")
    add_json_only(form)
    form.add_argument("-q", "--quiet", action="store_true", help="print nothing: the exit code is the answer")
    parser.add_argument(
        "--junit", type=non_empty_option(Path), metavar="FILE",
        help="also write the answer as JUnit's XML: a test case for each step, and one for the gate",
    )  # fmt: skip


def gate_sessions(arguments: argparse.Namespace) -> int:
    from app.comparison.answers.gate import GateRequest, gate

    steps, allowed = tuple(arguments.step or ()), given_disturbance_limits(arguments)
    request = GateRequest(arguments.worse, arguments.measure, arguments.groups, steps, allowed)
    with opened_history() as history:
        found = gate(history, arguments.base, arguments.other, request, command_verdict_limits(arguments))
    if arguments.junit:
        _write_junit(found, arguments.junit)
    if arguments.json:
        print_json(found)
    else:
        with quietly(arguments.quiet):
            _show(found, arguments.markdown)
    return found["exit_code"]


def _write_junit(found: GateEntry, file: Path) -> None:
    """Write the file; one of an earlier run is replaced."""
    from app.comparison.answers.gate_reports import gate_junit

    write_file(file, gate_junit(found))


def _verdict(line: GateLine, text: str) -> str:
    """In its colour."""
    from app.comparison.answers.gate import NOT_WORSE, WORSE
    from app.core.table import UNDECIDED, CellText
    from app.stats.at_target.verdicts import BETTER

    tone = {WORSE: WORSE, NOT_WORSE: BETTER}.get(line["verdict"], UNDECIDED)
    return CellText(text, tone=tone)


def _show(found: GateEntry, is_markdown: bool) -> None:
    """Print the result, then a line for each step."""
    from app.comparison.answers.gate_reports import HEADERS, gate_markdown, gate_row

    if is_markdown:
        say_text(gate_markdown(found))
        return
    say_wrapped(found["sentence"], "")
    rows = [(line, gate_row(line)) for line in found["steps"]]
    print_table(HEADERS, [(*row[:-1], _verdict(line, row[-1])) for line, row in rows], right=(2, 3, 4))
    say_wrapped(*found["remarks"])
