"""`dyno run`: from what a person asked for to a plan that is carried out and watched."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.core.errors import DynoError, InputError, TargetError
from app.core.units import count_text
from app.protocol.plan import LOAD_METHODS, ORDERS, STARTS
from app.stats.steady import LEAST_S

from .follow import how_to_come_back
from .parser import words_of
from .screen import ask_secret, say

if TYPE_CHECKING:
    from app.planner import PlanRequest
    from app.planner.launch import Launch, Stage
    from app.protocol.answers import Check, Survey
    from app.protocol.plan import Plan

DEMONSTRATION = "n = 1, in memory, two minutes: a demonstration, not a verdict"
_NUMBERS = {
    "tables": "how many",
    "seconds": f"measured, of each step that says nothing else; below {LEAST_S} none is called steady",
    "warmup": "seconds before them, not part of the figures",
    "rate": "events a second, of each driven step that says nothing else; left out: as many as it can",
    "pause": "idle seconds before each session",
    "quiet_wait": "seconds to wait before each session, at most, until others leave the machine alone",
    "repeats": "sessions of each contender: at least 4 to separate differences from noise",
}
_LIMITS = {
    "others_pct": "of the CPUs: a step in which other programs take more is disturbed (5)",
    "steal_pct": "the same of what the hypervisor takes (2)",
}
_TEXTS = ("target", "sequence", "name", "order", "transport", "load_method", "cpus", "vary")

# what `--duel` settles by itself: its name among the arguments, and as it is written
_SETTLED = (
    "plan",
    "again",
    "contender",
    "sequence",
    "steps",
    *_NUMBERS,
    "rows",
    "threads",
    "order",
    "transport",
)
_SETTLED += (*_LIMITS, "repeat_if_disturbed", "load_method", "start_state", "core_sets", "cpus", "vary")
_SETTLED += ("table_options", "cores", "allocator", "numa", "memory_limit")


def add_words(words: Any) -> None:
    parser = words.add_parser("run", help="carry out a plan")
    parser.add_argument("plan", nargs="?", help="a plan file (TOML)")
    parser.add_argument("--duel", action="store_true", help="InnoDB against MyRocks, in about two minutes")
    parser.add_argument(
        "--again", action="append", metavar="SESSION",
        help="the same work and contender as this session, or as all of a plan by its id; may be repeated: "
        "contenders of several sessions take turns",
    )  # fmt: skip
    parser.add_argument("--target", help="target (default: local, this computer)")
    _add_work(parser)
    _add_ways(parser)
    parser.set_defaults(run=run)


def _add_work(parser: argparse.ArgumentParser) -> None:
    """What goes before the plan file."""
    parser.add_argument(
        "--contender",
        action="append",
        metavar="BUILD:ENGINE:PRESET",
        help="what is compared; may be repeated",
    )
    parser.add_argument("--sequence", help="which list of steps: dyno sequence list")
    parser.add_argument("--steps", help="only these, by name: a,b,c")
    for name, text in _NUMBERS.items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=int, help=text)
    for name, text in _LIMITS.items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=float, metavar="PCT", help=text)
    parser.add_argument(
        "--repeat-if-disturbed", action="store_true", default=None,
        help="carry out again what is disturbed, up to three times: a step that only reads at once, else"
        " the session",
    )  # fmt: skip
    parser.add_argument("--rows", help='of each table; or "3x memory"')
    parser.add_argument("--threads", help="of the client: 1,2,4")
    parser.add_argument("--core-sets", help="how many cores the server has, one after the other: 4,2,1")
    parser.add_argument(
        "--cpus",
        choices=("shared", "own"),
        help="own: half of the cores for the server, the others for the load",
    )
    parser.add_argument("--vary", help="a variable of the server: innodb_spin_wait_delay=6,96")
    parser.add_argument("--name", help="begins the names of the sessions")
    parser.add_argument(
        "--order", choices=ORDERS,
        help="of the sessions: A B B A (the default; a machine that drifts favours no contender), or A A B B",
    )  # fmt: skip
    parser.add_argument(
        "--transport", choices=("socket", "loopback"), help="how the client reaches the server"
    )
    parser.add_argument("--load-method", choices=LOAD_METHODS, help="how the tables are filled")
    parser.add_argument(
        "--start-state",
        dest="start_state",
        choices=STARTS,
        help="of the server, when the first step after the load begins; snapshot: on a kept copy of the data",
    )
    parser.add_argument("--table-options", help="of every contender")
    parser.add_argument("--cores", help="of every contender's server, as taskset takes them")
    parser.add_argument(
        "--allocator", help="of every server: system, jemalloc, tcmalloc or the path of a library"
    )
    parser.add_argument("--numa", help="policy of every server, as numactl takes it: interleave=all")
    parser.add_argument("--memory-limit", help="of every server with its page cache: 4G")


def _add_ways(parser: argparse.ArgumentParser) -> None:
    """How it is carried out."""
    parser.add_argument(
        "--allow-busy", action="store_true", default=None, help="although another plan is carried out there"
    )
    parser.add_argument("--directory", default="", help="another directory of the target")
    parser.add_argument(
        "--dry-run", action="store_true", help="plan, estimate and checks; nothing is started"
    )
    parser.add_argument("--start", action="store_true", help="with --dry-run: the rehearsal too")
    parser.add_argument("--detach", action="store_true", help="leave it to the target and come back")


def run(arguments: argparse.Namespace) -> int:
    if arguments.duel:
        return _play_duel(arguments)
    request = request_of(arguments)
    return launch_plan(request.target, lambda _: request, arguments)[0]


def request_of(arguments: argparse.Namespace) -> PlanRequest:
    """The plan file, with what the command line says in its place."""
    from app.planner import ContenderRequest
    from app.planner.request import SHARED

    request = _asked_for(arguments)
    named = [ContenderRequest.from_text(text) for text in arguments.contender or ()]
    shared = {name: getattr(arguments, name) for name in SHARED if getattr(arguments, name)}
    contenders = named or list(request.contenders)
    return request.with_options(
        **{name: getattr(arguments, name) for name in (*_NUMBERS, *_LIMITS, *_TEXTS)},
        repeat_if_disturbed=arguments.repeat_if_disturbed,
        start=arguments.start_state,
        rows=_rows(arguments.rows),
        threads=_numbers("threads", arguments.threads),
        cores=_numbers("core-sets", arguments.core_sets),
        steps=None if arguments.steps is None else words_of("steps", arguments.steps),
        contenders=tuple(ContenderRequest(**{**vars(each), **shared}) for each in contenders) or None,
        allow_busy=arguments.allow_busy,
    )


def _asked_for(arguments: argparse.Namespace) -> PlanRequest:
    """Before any option: a plan file, sessions of the history, or nothing yet."""
    from app.planner import PlanRequest

    if arguments.again:
        return _again(arguments)
    return PlanRequest() if arguments.plan is None else PlanRequest.from_file(_plan_file(arguments.plan))


def _again(arguments: argparse.Namespace) -> PlanRequest:
    from app.planner.again import request_again

    from .session import opened

    if arguments.plan is not None:
        raise InputError("a plan file and --again say the same thing: give one of the two")
    with opened() as history:
        return request_again(history, arguments.again)


def _plan_file(name: str) -> Path:
    if not name:
        raise InputError("the name of the plan file is empty: write dyno run PLAN.toml")
    return Path(name)


def _rows(text: str | None) -> int | str | None:
    return int(text) if text and re.fullmatch("-?[0-9]{1,18}", text) else text


def _numbers(option: str, text: str | None) -> list[int] | None:
    if text is None:
        return None
    if not re.fullmatch("-?[0-9]{1,18}( *, *-?[0-9]{1,18})*", text.strip()):
        raise InputError(f"--{option} {text!r} is no list of numbers: write 1,2,4")
    return [int(word) for word in words_of(option, text)]


def launch_plan(
    name: str, request: Callable[[Survey], PlanRequest], arguments: argparse.Namespace
) -> tuple[int, Plan]:
    """Launch a plan on a target and watch it; the answer is the exit code, and the plan."""
    from app.core.settings import home
    from app.history.calibration import noise_at
    from app.planner.launch import CHECKED, REHEARSED, STARTED, Launch
    from app.remote.reach import reached
    from app.targets.store import Targets

    target, last = Targets().get(name), STARTED
    if arguments.dry_run:
        last = REHEARSED if arguments.start else CHECKED
    way = reached(target, ask_secret, arguments.directory)
    plan, stage = show_launch(Launch(request, way, target.search_paths, last, partial(noise_at, home())))
    if arguments.dry_run:
        return 0, plan
    sessions = count_text(len(plan.first_turns), "session")
    say(f"plan {plan.id} is being carried out on {name}, {sessions}")
    if arguments.detach:
        say(how_to_come_back(name, arguments.directory and stage.directory))
        return 0, plan
    from .follow import watch_plan

    return watch_plan(target, stage.directory, plan, stage.sha, bool(arguments.directory)), plan


def show_launch(launch: Launch) -> tuple[Plan, Stage]:
    """The plan with its estimate, each check as it comes; raises the error of those that fail."""
    from .plan_text import show_check, show_plan

    shown, plan = 0, None
    for stage in launch.stages():
        if plan is None and stage.plan and stage.estimate:
            plan = stage.plan
            show_plan(plan, stage.estimate)
            say("")
        for check in stage.checks[shown:]:
            show_check(check)
        shown = len(stage.checks)
    say("")
    if stage.failed:
        texts = "; ".join(f"{each.text} ({each.todo})" for each in stage.failed)
        raise _refusal(stage.failed)(f"nothing was started: {texts}")
    assert plan is not None  # else the launch has raised an error
    return plan, stage


def _refusal(failed: list[Check]) -> type[DynoError]:
    """A preset that cannot be is wrong input; what the machine lacks is not."""
    return InputError if any(check.name == "options" for check in failed) else TargetError


# the duel


def _play_duel(arguments: argparse.Namespace) -> int:
    """InnoDB against MyRocks of one build, and how they compare where nobody has left it."""
    from app.planner.duel import SEQUENCE, duelists

    from .compare import show_comparison

    request = _request_of_duel(arguments)

    def settled(survey: Survey) -> PlanRequest:
        return request.with_options(sequence=SEQUENCE, contenders=duelists(survey, request.target))

    code, plan = launch_plan(request.target, settled, arguments)
    if code == 0 and _is_over(plan):
        show_comparison([turn.session for turn in plan.first_turns])
        say("", DEMONSTRATION)
    return code


def _request_of_duel(arguments: argparse.Namespace) -> PlanRequest:
    said = [name for name in _SETTLED if getattr(arguments, name) is not None]
    if said:
        words = ", ".join("the plan file" if name == "plan" else _option(name) for name in said)
        raise InputError(f"--duel settles by itself what is played: leave {words} out, or --duel")
    return request_of(arguments)


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _is_over(plan: Plan) -> bool:
    """Whether all its sessions are in the history, completed; none is after --dry-run and --detach."""
    from app.history.sessions import sessions

    from .session import opened

    with opened() as history:
        states = [each["state"] for each in sessions(history, plan=plan.id)]
    return states == ["completed"] * len(plan.first_turns)  # it has no later attempts
