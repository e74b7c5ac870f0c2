"""`dyno run`: from what a person asked for to a plan that is carried out and watched."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.core.errors import DynoError, InputError, TargetError
from app.core.units import count_text
from app.protocol.plan import LOAD_METHODS, ORDERS, STARTS, UNTIL_DECIDED
from app.protocol.states import GOING_ON
from app.stats.looks import ROUNDS
from app.stats.steady import LEAST_S
from app.stats.verdicts import LEAST

from .follow import how_to_come_back
from .parser import words_of
from .screen import ask_secret, say

if TYPE_CHECKING:
    from app.planner import ContenderRequest, PlanRequest
    from app.planner.launch import Launch, Stage
    from app.protocol.answers import Check, Survey
    from app.protocol.plan import Plan

_WHOLE = "whole sessions A B B A, not in slices"
_NUMBERS = {
    "tables": "how many",
    "seconds": f"measured, of each step that says nothing else; below {LEAST_S} none is called steady",
    "warmup": "seconds before them, not part of the figures",
    "rate": "events a second, of each driven step that says nothing else; left out: as many as it can",
    "pause": "idle seconds before each session",
    "quiet_wait": "seconds to wait before each session, at most, until others leave the machine alone",
    "repeats": "sessions of each contender: at least 4 to separate differences from noise; or until-decided:"
    f" {LEAST} to {ROUNDS}, as many as it takes",
    "time_limit": "seconds, of a plan until decided: no round begins that would take longer",
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
    "against",
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
    parser.add_argument(
        "--duel", action="store_true", help="InnoDB against MyRocks, with a verdict, in about four minutes"
    )
    parser.add_argument(
        "--again", action="append", metavar="SESSION",
        help="the same work and contender as this session, or as all of a plan by its id; may be repeated: "
        "contenders of several sessions take turns",
    )  # fmt: skip
    parser.add_argument(
        "--against", metavar="SESSION",
        help="measure the contender of this kept session again as the base of the new ones (--contender): the"
        " same work, in slices where that is possible",
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
        kind = _repeats if name == "repeats" else int
        parser.add_argument(f"--{name.replace('_', '-')}", type=kind, help=text)
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
        help="interleaved (the default): sessions A B B A, so that a machine that drifts favours nobody;"
        " slices: 2 to 4 contenders take turns of about a second within each step, while the others are"
        " stopped; grouped: sessions A A B B",
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
    if arguments.against is not None:
        return _measure_against(arguments)
    request = request_of(arguments)
    return _launch(request.target, lambda _: request, arguments)


def _launch(target: str, settled: Callable[[Survey], PlanRequest], arguments: argparse.Namespace) -> int:
    code, plan = launch_plan(target, settled, arguments)
    if len(plan.contenders) > 1:
        show_verdict_of(plan)
    return code


def show_verdict_of(plan: Plan, has_table: bool = False) -> None:
    """What it came to, where it was followed to its end."""
    from .compare import show_comparison, show_verdict

    ids = _sessions_of(plan)
    if ids and has_table:
        show_comparison(ids)
    if ids:
        say("")
        show_verdict(ids)


def _sessions_of(plan: Plan) -> list[str]:
    """All that came, in the order of the plan; none where some are not over, or not in the history."""
    from app.history.sessions import sessions

    from .session import opened

    with opened() as history:
        states = {each["id"]: each["state"] for each in sessions(history, plan=plan.id)}
    are_over = all(states.get(turn.session, "waiting") not in GOING_ON for turn in plan.first_turns)
    return [turn.session for turn in plan.turns if turn.session in states] if are_over else []


def request_of(arguments: argparse.Namespace) -> PlanRequest:
    """The plan file, with what the command line says in its place."""
    request = _asked_for(arguments)
    contenders = _named(arguments) or request.contenders
    return _with_options(request, arguments, _with_shared(contenders, arguments))


def _named(arguments: argparse.Namespace) -> tuple[ContenderRequest, ...]:
    from app.planner import ContenderRequest

    return tuple(ContenderRequest.from_text(text) for text in arguments.contender or ())


def _with_shared(
    contenders: Sequence[ContenderRequest], arguments: argparse.Namespace
) -> tuple[ContenderRequest, ...]:
    """With what the command line says of all of them."""
    from app.planner.request import SHARED

    shared = {name: getattr(arguments, name) for name in SHARED if getattr(arguments, name)}
    return tuple(replace(each, **shared) for each in contenders)


def _with_options(
    request: PlanRequest, arguments: argparse.Namespace, contenders: tuple[ContenderRequest, ...]
) -> PlanRequest:
    return request.with_options(
        **{name: getattr(arguments, name) for name in (*_NUMBERS, *_LIMITS, *_TEXTS)},
        repeat_if_disturbed=arguments.repeat_if_disturbed,
        start=arguments.start_state,
        rows=_rows(arguments.rows),
        threads=_numbers("threads", arguments.threads),
        cores=_numbers("core-sets", arguments.core_sets),
        steps=None if arguments.steps is None else words_of("steps", arguments.steps),
        contenders=contenders or None,
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


def _measure_against(arguments: argparse.Namespace) -> int:
    """The base is as it was: what options say of every contender is of the new ones."""
    from app.catalog import Catalog, approved_hashes
    from app.planner.against import Against, in_slices_where_possible

    from .session import opened

    for name in ("plan", "again"):
        if getattr(arguments, name) is not None:
            what = "the plan file" if name == "plan" else _option(name)
            raise InputError(f"--against takes the work of its session: leave {what} out")
    with opened() as history:
        kept = Against.of(history, arguments.against, Catalog())
    contenders = kept.beside(_with_shared(_named(arguments), arguments))
    request = _with_options(kept.request, arguments, contenders)

    def settled(survey: Survey) -> PlanRequest:
        kept.check_build(survey)
        if arguments.order is not None:
            return request
        found, why = in_slices_where_possible(request, survey, Catalog(), approved_hashes())
        say(f"{_WHOLE}: {why}" if why else "in slices")
        return found

    return _launch(request.target, settled, arguments)


def _plan_file(name: str) -> Path:
    if not name:
        raise InputError("the name of the plan file is empty: write dyno run PLAN.toml")
    return Path(name)


def _repeats(text: str) -> int | str:
    if text in (UNTIL_DECIDED, UNTIL_DECIDED.replace(" ", "-")):
        return UNTIL_DECIDED
    if not re.fullmatch("-?[0-9]{1,18}", text):
        raise argparse.ArgumentTypeError(f"{text!r} is neither a number nor until-decided")
    return int(text)


def _rows(text: str | None) -> int | str | None:
    return int(text) if text and re.fullmatch("-?[0-9]{1,18}", text) else text


def _numbers(option: str, text: str | None) -> list[int] | None:
    if text is None:
        return None
    if not re.fullmatch("-?[0-9]{1,18}( *, *-?[0-9]{1,18})*", text.strip()):
        raise InputError(f"--{option} {text!r} is no list of numbers: write 1,2,4")
    return [int(word) for word in words_of(option, text)]


def started_text(plan: Plan, target: str) -> str:
    """Which plan, where, and how much of it there is."""
    most, sessions = "at most " if plan.until_decided else "", count_text(len(plan.first_turns), "session")
    return f"plan {plan.id} is being carried out on {target}, {most}{sessions}"


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
    say(started_text(plan, name))
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
    """InnoDB against MyRocks of one build, and what it came to where nobody has left it."""
    from app.catalog import Catalog
    from app.planner.against import in_slices_where_possible
    from app.planner.duel import duel

    request = _request_of_duel(arguments)

    def settled(survey: Survey) -> PlanRequest:
        found, why = in_slices_where_possible(duel(survey, request), survey, Catalog())
        say(*([f"{_WHOLE}: {why}"] if why else []))
        return found

    code, plan = launch_plan(request.target, settled, arguments)
    show_verdict_of(plan, has_table=True)
    return code


def _request_of_duel(arguments: argparse.Namespace) -> PlanRequest:
    said = [name for name in _SETTLED if getattr(arguments, name) is not None]
    if said:
        words = ", ".join("the plan file" if name == "plan" else _option(name) for name in said)
        raise InputError(f"--duel settles by itself what is played: leave {words} out, or --duel")
    return request_of(arguments)


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"
