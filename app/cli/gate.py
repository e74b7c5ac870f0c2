"""`dyno gate`: whether a contender is worse than another one, as an exit code for scripts."""

from __future__ import annotations

import argparse
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.core.errors import InputError
from app.core.files import write_file
from app.core.table import UNDECIDED, CellText, Table, to_markdown
from app.protocol.reading import MOST_PCT

from .compare import add_false_share, add_measure, command_verdict_limits
from .parser import add_json_only, add_verb, non_empty_option, percent_type
from .plan_options import DISTURBING, add_options, given_disturbance_limits
from .screen import print_json, print_table, quietly, say_text, say_wrapped
from .session import opened_history

if TYPE_CHECKING:
    from app.comparison.answers.claims import ClaimsEntry
    from app.comparison.answers.gate import GateEntry


def add_words(words: Any) -> None:
    text = (
        "check whether B is worse than A, or whether claims hold; exit code 0: not worse, 1: worse, 3: cannot"
        " be told"
    )
    parser = add_verb(words, gate_sessions, text, matters=None, failure=3)
    parser.add_argument(
        "base",
        metavar="A",
        help="base: a session as for compare, or a plan of one contender; all repeats of its contender count",
    )
    parser.add_argument(
        "other",
        nargs="*",
        metavar="B",
        help="session or plan that must not be worse; all repeats of its contender count",
    )
    parser.between = "other"
    question = parser.add_mutually_exclusive_group(required=True)
    question.add_argument(
        "--difference", type=percent_type(MOST_PCT, is_above_0=True), dest="worse", metavar="PERCENT",
        help="the difference that counts: B is worse if it loses more than this, such as 3%%",
    )  # fmt: skip
    question.add_argument(
        "--claims", type=non_empty_option(Path), metavar="FILE",
        help="answer the claims of this file, one a line, such as insert: mysql-9.7 < 0.6 x mysql-5.6; A and"
        " B are any sessions and plans",
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
    from app.comparison.answers import gate_reports

    found: GateEntry | ClaimsEntry
    if arguments.junit:
        _delete_earlier(arguments.junit)
    if arguments.claims:
        found = _answer_of_claims(arguments)
        table, junit = gate_reports.claims_table(found), gate_reports.claims_junit(found)
    else:
        found = _answer_of_gate(arguments)
        table, junit = gate_reports.gate_table(found), gate_reports.gate_junit(found)
    if arguments.junit:
        write_file(arguments.junit, junit)
    if arguments.json:
        print_json(found)
    else:
        with quietly(arguments.quiet):
            _show(table, arguments.markdown)
    return found["exit_code"]


def _delete_earlier(path: Path) -> None:
    """The answer of an earlier run: where this one fails, a CI would show it as the new one."""
    with suppress(OSError):  # writing it says why
        if path.is_file() and not path.is_symlink():
            path.unlink()


def _answer_of_gate(arguments: argparse.Namespace) -> GateEntry:
    from app.comparison.answers.gate import GateRequest, gate

    if len(arguments.other) != 1:
        raise InputError("--difference compares two contenders: give A and B (see dyno gate --help)")
    steps, allowed = tuple(arguments.step or ()), given_disturbance_limits(arguments)
    request = GateRequest(arguments.worse, arguments.measure, arguments.groups, steps, allowed)
    with opened_history() as history:
        return gate(history, arguments.base, arguments.other[0], request, command_verdict_limits(arguments))


def _answer_of_claims(arguments: argparse.Namespace) -> ClaimsEntry:
    from app.comparison.answers.claims import answer_claims
    from app.comparison.answers.claims_file import read_claims

    if arguments.step or arguments.groups:
        raise InputError("claims name their steps and groups: leave --step and --groups out")
    claims, limits = read_claims(arguments.claims), command_verdict_limits(arguments)
    sessions, allowed = [arguments.base, *arguments.other], given_disturbance_limits(arguments)
    with opened_history() as history:
        return answer_claims(history, sessions, claims, arguments.measure, limits, allowed)


def _show(table: Table, is_markdown: bool) -> None:
    """Print the result, then a line for each step or claim."""
    if is_markdown:
        say_text(to_markdown(table))
        return
    say_wrapped(table.title, "")
    print_table(table.heads, [(*row[:-1], _verdict(row[-1])) for row in table.lines], right=(2, 3, 4))
    say_wrapped(*table.remarks)


def _verdict(text: str) -> str:
    """In its colour."""
    from app.comparison.answers.claims import FAILS, HOLDS
    from app.comparison.answers.gate import NOT_WORSE, WORSE
    from app.stats.at_target.verdicts import BETTER

    tones = {WORSE: WORSE, FAILS: WORSE, NOT_WORSE: BETTER, HOLDS: BETTER}
    return CellText(text, tone=tones.get(text, UNDECIDED))
