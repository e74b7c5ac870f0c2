"""Plan after plan until a question is answered: what `dyno explain` and `dyno bisect` have in common."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from typing import TYPE_CHECKING, Any, Protocol

from app.core.errors import InputError, TargetError

from .launching import launch_plan
from .parser import Parser, add_details, add_directory, add_json, add_quiet, duration, whole_number
from .plan_options import DISTURBING, add_options, given_options
from .screen import print_json, print_tables, quietly, say
from .session import opened_history

if TYPE_CHECKING:
    from app.core.table import Table
    from app.explaining.evidence import MeasuredRounds
    from app.planner.request.request import PlanRequest
    from app.protocol.answers import Survey
    from app.protocol.plan import Plan

MOST_MINUTES = 1440
_WORK = ("tables", "rows", "seconds", "warmup", "cpus", *DISTURBING)  # options of the work, as of a plan
_ALLOWED = ("allow_busy", "allow_small_disk")


class MeasuredQuestion(Protocol):
    """What is asked, with what is known so far."""

    def read(self) -> MeasuredRounds:
        """Read what the history says by now."""

    def next_request(self) -> PlanRequest | None:
        """Announce the next plan and return it; None if there is none."""

    def time_text(self) -> str:
        """How long all of it may take."""

    def entry(self) -> Any:
        """The answer, for `--json`."""

    def table(self) -> Table:
        """The answer, for people."""


# its options


def add_work(parser: Parser, step: str) -> None:
    """Options for the step that is measured, and the work around it."""
    parser.add_argument("--step", required=True, help=step)
    parser.add_argument("--threads", type=whole_number(1, 100_000), help="client threads of the step")
    parser.add_argument("--sequence", help="sequence with the step, for contenders by name")
    parser.add_argument("-t", "--target", help="target, for contenders by name (default: this computer)")
    add_options(parser, *_WORK)


def add_time(parser: argparse.ArgumentParser, what: str, usual: str = "") -> None:
    """A limit for the time, as `dyno run` has it."""
    parser.add_argument(
        "--within", type=duration, metavar="TIME",
        help=f"start no {what} that would end later than this: 8h, 45min, 1h30{usual}",
    )  # fmt: skip


def minutes_of(arguments: argparse.Namespace) -> int | None:
    """The whole minutes of it; None without."""
    if arguments.within is None:
        return None
    given = int(arguments.within) // 60
    if not 1 <= given <= MOST_MINUTES:
        raise InputError(f"--within must be from 1 to {MOST_MINUTES} minutes")
    return given


def add_so_far(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--so-far", action="store_true", help="measure nothing: show what has been measured says"
    )


def add_start_options(parser: Parser) -> None:
    add_directory(parser)
    parser.add_argument("-n", "--dry-run", action="store_true", help="show the next plan; start nothing")
    parser.add_argument("--detach", action="store_true", help="start the next plan and return at once")
    add_options(parser, *_ALLOWED)
    add_json(parser)
    add_details(parser)
    add_quiet(parser, "print only the answer")
    parser.set_defaults(queue=None, at=None, start=False)


def with_options(request: PlanRequest, arguments: argparse.Namespace) -> PlanRequest:
    threads = arguments.threads and [arguments.threads]
    given = given_options(arguments, (*_WORK, *_ALLOWED))
    return request.with_options(sequence=arguments.sequence, threads=threads, **given)


# its answer


def measure_and_answer(
    arguments: argparse.Namespace, ask: Callable[[argparse.Namespace], MeasuredQuestion]
) -> int:
    """Measure what is asked, and show the answer; with --json the progress goes to standard error."""
    if not arguments.json:
        question = ask(arguments)
        code, is_answered = _measure(question, arguments)
        if is_answered:
            print_tables([question.table()])
        return code
    with redirect_stdout(sys.stderr):
        question = ask(arguments)
        code, is_answered = _measure(question, arguments)
    if is_answered:
        print_json(question.entry())
    return code


def _measure(question: MeasuredQuestion, arguments: argparse.Namespace) -> tuple[int, bool]:
    """Plan after plan; no answer where the next one was only shown or goes on alone."""
    with quietly(arguments.quiet):
        return _measured(question, arguments)


def _measured(question: MeasuredQuestion, arguments: argparse.Namespace) -> tuple[int, bool]:
    known, code = question.read(), 0
    while not (arguments.so_far or code) and (request := question.next_request()):
        code, plan = launch_plan(request.target, _as_it_is(request), arguments)
        if arguments.dry_run:
            say(question.time_text())
        if arguments.dry_run or arguments.detach or _goes_on(plan):
            return code, False
        before, known = known, question.read()
        if not code and len(known.rounds) == len(before.rounds):  # the next plan would be the same
            raise TargetError(
                "no repeat of the last plan counts: its steps failed or are marked, see dyno session show"
                f" last; what was measured before stays, dyno {arguments.word} goes on with it"
            )
    return code, True


def _as_it_is(request: PlanRequest) -> Callable[[Survey], PlanRequest]:
    return lambda _: request


def _goes_on(plan: Plan) -> bool:
    """Whether the person has detached from the plan."""
    from app.history.lists.sessions import sessions

    with opened_history() as history:
        return bool(sessions(history, plan=plan.id, states=("waiting", "active")))
