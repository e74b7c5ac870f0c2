"""`dyno explain`: measures contenders between A and B until each setting has its share of their ratio."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from typing import TYPE_CHECKING, Any

from app.core.errors import InputError, TargetError
from app.explaining.explaining import MINUTES

from .compare import add_limits, limits_of
from .launching import launch_plan
from .parser import add_directory, add_json, duration, whole_number, words_of
from .plan_options import DISTURBING, add_cpus, add_disturbing, allowed_of, rows_of
from .screen import ask_secret, print_json, print_tables, say

if TYPE_CHECKING:
    from app.explaining.entries import ExplanationEntry
    from app.explaining.explaining import Asked, Explaining, State
    from app.explaining.pair import Pair
    from app.planner import PlanRequest
    from app.protocol.answers import Survey
    from app.protocol.plan import Plan

MOST_MINUTES = 1440
_WORK = ("sequence", "tables", "seconds", "warmup", "cpus")  # options of the work, as a request has them


def add_words(words: Any) -> None:
    parser = words.add_parser("explain", help="find out by measuring which setting makes A and B differ")
    parser.add_argument(
        "a", metavar="A", help="a session, a plan of two contenders, or BUILD:ENGINE:PRESET with --sequence"
    )
    parser.add_argument("b", metavar="B", nargs="?", help="the other one, of the same engine")
    parser.add_argument("--step", required=True, help="the step to explain: point-query, 'scan threads=4'")
    parser.add_argument("--threads", type=whole_number(1, 100_000), help="client threads of the step")
    add_work(parser)
    parser.add_argument(
        "--together", action="append", metavar="OPTION,OPTION",
        help="options that change as one; redo log size and number, and others like them, do so anyway",
    )  # fmt: skip
    add_time(parser, "round", f" (default: {MINUTES})")
    add_limits(parser)
    parser.add_argument(
        "--so-far", action="store_true", help="measure nothing: show what has been measured says"
    )
    add_ways(parser)
    add_json(parser)
    parser.set_defaults(run=explain_pair, queue=False, at=None, start=False)


def add_work(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--sequence", help="sequence with the step, for contenders by name")
    parser.add_argument("--target", help="target, for contenders by name (default: local, this computer)")
    parser.add_argument("--tables", type=whole_number(1, 10_000), help="number of tables")
    parser.add_argument("--rows", help='rows of each table, or "3x memory"')
    parser.add_argument("--seconds", type=duration, help="measured seconds of the step in each round")
    parser.add_argument("--warmup", type=duration, help="unmeasured seconds before the step")
    add_cpus(parser)
    add_disturbing(parser)


def add_time(parser: argparse.ArgumentParser, what: str, usual: str = "") -> None:
    """A limit for the time, in minutes or as `dyno run` has it."""
    its = parser.add_mutually_exclusive_group()
    its.add_argument(
        "--minutes",
        type=whole_number(1, MOST_MINUTES),
        help=f"start no {what} that would end later than this{usual}",
    )
    its.add_argument("--time-limit", type=duration, help="the same as a time: 1800, 30min, 1h30min")


def minutes_of(arguments: argparse.Namespace) -> int | None:
    """The whole minutes of either option; None without."""
    given: int | None = arguments.minutes
    if arguments.time_limit is not None:
        given = int(arguments.time_limit) // 60
        if not 1 <= given <= MOST_MINUTES:
            raise InputError(f"--time-limit must be from 1 to {MOST_MINUTES} minutes")
    return given


def add_ways(parser: argparse.ArgumentParser) -> None:
    add_directory(parser)
    parser.add_argument("--dry-run", action="store_true", help="show the next plan; start nothing")
    parser.add_argument("--detach", action="store_true", help="start the next plan and return at once")
    for name, what in (
        ("busy", "a plan of another directory runs there"),
        ("small-disk", "the disk may get full"),
    ):
        parser.add_argument(
            f"--allow-{name}", action="store_true", default=None, help=f"start even if {what}"
        )


def explain_pair(arguments: argparse.Namespace) -> int:
    """With --json the progress goes to standard error."""
    if not arguments.json:
        return _explain(arguments, _show)
    with redirect_stdout(sys.stderr):
        found: list[ExplanationEntry] = []
        code = _explain(arguments, found.append)
    for entry in found:
        print_json(entry)
    return code


def _explain(arguments: argparse.Namespace, show: Callable[[ExplanationEntry], None]) -> int:
    """Plan after plan, until all is decided or the time is up."""
    from app.explaining.entries import entry_of

    explaining = _settled(arguments)
    target, code = explaining.request.target, 0
    state = _state(explaining)
    while not arguments.so_far and (request := explaining.next_request(state)):
        _show_progress(state)
        code, plan = launch_plan(target, as_it_is(request), arguments)
        if arguments.dry_run:
            say(explaining.time_text(state))
        if arguments.dry_run or arguments.detach or goes_on(plan):
            return code
        before, state = state, _state(explaining)
        if code:
            break
        _check_progress(before, state)
    show(entry_of(explaining, state))
    return code


def as_it_is(request: PlanRequest) -> Callable[[Survey], PlanRequest]:
    return lambda _: request


def _show_progress(state: State) -> None:
    minutes, square = state.evidence.seconds / 60, state.explained.next
    assert square is not None  # there is a next plan
    say("", f"round {len(state.evidence.rounds) + 1}, {minutes:.0f} minutes so far", "")


def goes_on(plan: Plan) -> bool:
    """Whether the person has detached from the plan."""
    from app.history.lists.sessions import sessions

    from .session import opened

    with opened() as history:
        return bool(sessions(history, plan=plan.id, states=("waiting", "active")))


def _check_progress(before: State, now: State) -> None:
    """Raise an error if the last plan has added nothing: the next one would be the same."""
    if len(now.evidence.rounds) == len(before.evidence.rounds):
        raise TargetError(
            "no round of the last plan counts: its steps failed or are marked, see dyno session show last;"
            " what was measured before stays, dyno explain goes on with it"
        )


def _show(entry: ExplanationEntry) -> None:
    from app.explaining.text import table_of

    print_tables([table_of(entry)])


def _state(explaining: Explaining) -> State:
    from .session import opened

    with opened() as history:
        return explaining.state(history)


# what is asked for


def _settled(arguments: argparse.Namespace) -> Explaining:
    """The explanation on its target, which must be free."""
    from app.catalog import Catalog, approved_hashes
    from app.explaining.builds import explaining_at
    from app.remote.reach import reached
    from app.targets.store import Targets

    asked = _asked(arguments)
    asked.request(Catalog())  # what is wrong on every target comes before what the target says
    target = Targets().get(asked.pair.request.target)
    with reached(target, ask_secret, arguments.directory) as agent:
        is_reader = arguments.so_far or arguments.dry_run
        return explaining_at(agent, asked, Catalog(), approved_hashes(), target.search_paths, is_reader)


def _asked(arguments: argparse.Namespace) -> Asked:
    from app.explaining.explaining import Asked
    from app.protocol.my_cnf import option_key

    together = [words_of("together", each) for each in arguments.together or ()]
    return Asked(
        _pair(arguments),
        arguments.step,
        tuple(frozenset(map(option_key, each)) for each in together),
        minutes_of(arguments) or MINUTES,
        limits_of(arguments),
        allowed_of(arguments),
    )


def _pair(arguments: argparse.Namespace) -> Pair:
    from dataclasses import replace

    from app.explaining.pair import Pair
    from app.planner import PlanRequest

    from .session import opened

    names = [each for each in (arguments.a, arguments.b) if each is not None]
    if any(":" in each for each in names):
        pair = Pair.of_names(names, PlanRequest(target=arguments.target or "local"))
    else:
        for option in ("sequence", "target"):
            if getattr(arguments, option):
                raise InputError(f"sessions have their {option}: leave --{option} out")
        with opened() as history:
            pair = Pair.of_sessions(history, names)
    return replace(pair, request=with_options(pair.request, arguments))


def with_options(request: PlanRequest, arguments: argparse.Namespace) -> PlanRequest:
    return request.with_options(
        **{name: getattr(arguments, name) for name in (*_WORK, *DISTURBING)},
        rows=rows_of(arguments.rows),
        threads=arguments.threads and [arguments.threads],
        allow_busy=arguments.allow_busy,
        allow_small_disk=arguments.allow_small_disk,
    )
