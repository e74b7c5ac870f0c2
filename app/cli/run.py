"""`dyno run`: from what a person asked for to a plan that is carried out and watched."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.core.errors import DynoError, InputError, TargetError
from app.core.units import count_text
from app.protocol.states import GOING_ON

from .follow import how_to_come_back
from .plan_options import (
    DISTURBING,
    LIMITS,
    NUMBERS,
    add_plan_options,
    named_contenders,
    option_of,
    with_options,
    with_shared,
)
from .screen import ask_secret, say

if TYPE_CHECKING:
    from app.planner import PlanRequest
    from app.planner.launch import Later, Launch, Stage
    from app.planner.published import Published
    from app.protocol.answers import Check, Queue, Survey
    from app.protocol.plan import Plan
    from app.remote.target import Target

_WHOLE = "whole sessions A B B A, not in slices"

# what `--duel` settles by itself: its name among the arguments, and as it is written
_SETTLED = (
    "plan",
    "again",
    "against",
    "contender",
    "sequence",
    "steps",
    *NUMBERS,
    "rows",
    "threads",
    "order",
    "transport",
)
_SETTLED += (*DISTURBING, *LIMITS, "repeat_if_disturbed", "load_method", "start_state", "core_sets")
_SETTLED += ("cpus", "vary", "table_options", "cores", "allocator", "numa", "memory_limit")


def add_words(words: Any) -> None:
    parser = words.add_parser("run", help="carry out a plan")
    parser.add_argument("plan", nargs="?", help="a plan file (TOML)")
    parser.add_argument(
        "--duel", action="store_true", help="InnoDB against MyRocks, with a verdict, in about four minutes"
    )
    parser.add_argument(
        "--again", action="append", metavar="SESSION",
        help="the same work and contender as this session, or as all of a plan by its id; may be repeated: "
        "contenders of several sessions take turns. Of published ones: scaled to the target, as it says",
    )  # fmt: skip
    parser.add_argument(
        "--against", metavar="SESSION",
        help="measure the contender of this kept session again as the base of the new ones (--contender): the"
        " same work, in slices where that is possible",
    )  # fmt: skip
    parser.add_argument("--target", help="target (default: local, this computer)")
    add_plan_options(parser)
    _add_ways(parser)
    parser.set_defaults(run=run)


def _add_ways(parser: argparse.ArgumentParser) -> None:
    """How it is carried out."""
    parser.add_argument(
        "--allow-busy", action="store_true", default=None, help="although another plan is carried out there"
    )
    parser.add_argument(
        "--allow-small-disk", action="store_true", default=None, help="although the plan may fill the disk"
    )
    parser.add_argument("--directory", default="", help="another directory of the target")
    parser.add_argument(
        "--dry-run", action="store_true", help="plan, estimate and checks; nothing is started"
    )
    parser.add_argument("--start", action="store_true", help="with --dry-run: the rehearsal too")
    parser.add_argument("--detach", action="store_true", help="leave it to the target and come back")
    parser.add_argument(
        "--queue",
        action="store_true",
        help="put the plan into the target's queue: it begins when its turn comes",
    )
    parser.add_argument("--at", metavar="TIME", help="as --queue, but not before 22:30 or 2026-11-24 06:00")


def run(arguments: argparse.Namespace) -> int:
    if arguments.duel:
        return _play_duel(arguments)
    if arguments.against is not None:
        return _measure_against(arguments)
    if published := _published(arguments):
        return _set_up_here(published, arguments)
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
    contenders = named_contenders(arguments) or request.contenders
    return with_options(request, arguments, with_shared(contenders, arguments))


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


def _published(arguments: argparse.Namespace) -> Published | None:
    """What `--again` names, where others have measured it."""
    if not arguments.again or arguments.plan is not None:
        return None
    from app.planner.published import Published

    from .session import opened

    with opened() as history:
        return Published.of(history, arguments.again)


def _set_up_here(published: Published, arguments: argparse.Namespace) -> int:
    """As far as the target goes; what options say goes before what was published."""
    from app.catalog import Catalog
    from app.planner import PlanRequest

    contenders = with_shared(named_contenders(arguments), arguments)
    target = with_options(PlanRequest(), arguments, contenders).target

    def settled(survey: Survey) -> PlanRequest:
        found = published.set_up(target, survey, Catalog())
        shared = with_shared(found.request.contenders, arguments)
        request = with_options(found.request, arguments, contenders or shared)
        chosen = [name for name in found.changes if getattr(request, name) != getattr(found.request, name)]
        for line in (*found.text(chosen).splitlines(), ""):
            say(line)
        return request

    return _launch(target, settled, arguments)


def _measure_against(arguments: argparse.Namespace) -> int:
    """The base is as it was: what options say of every contender is of the new ones."""
    from app.catalog import Catalog, approved_hashes
    from app.planner.against import Against, in_slices_where_possible

    from .session import opened

    for name in ("plan", "again"):
        if getattr(arguments, name) is not None:
            what = "the plan file" if name == "plan" else option_of(name)
            raise InputError(f"--against takes the work of its session: leave {what} out")
    with opened() as history:
        kept = Against.of(history, arguments.against, Catalog())
    contenders = kept.beside(with_shared(named_contenders(arguments), arguments))
    request = with_options(kept.request, arguments, contenders)

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
    way, noise = reached(target, ask_secret, arguments.directory), partial(noise_at, home())
    later, busy = _later(target, arguments), bool(arguments.allow_busy)
    plan, stage = show_launch(Launch(request, way, target.search_paths, last, noise, busy, later))
    if arguments.dry_run:
        return 0, plan
    if stage.queue:
        say(queued_text(plan, name, stage.queue))
        return 0, plan
    say(started_text(plan, name))
    if arguments.detach:
        say(how_to_come_back(name, arguments.directory and stage.directory))
        return 0, plan
    from .follow import watch_plan

    return watch_plan(target, stage.directory, plan, stage.sha, bool(arguments.directory)), plan


def _later(target: Target, arguments: argparse.Namespace) -> Later | None:
    """Where the plan goes into the queue: when it begins, and what is known of the target."""
    from app.planner.launch import Later
    from app.targets.queue import seconds_until
    from app.targets.surveys import Surveys

    if not arguments.queue and arguments.at is None:
        return None
    if arguments.dry_run:
        raise InputError("--dry-run starts nothing: leave it out, or --queue and --at")
    known = None if arguments.directory else Surveys().get(target)
    in_s = None if arguments.at is None else seconds_until(arguments.at)
    return Later(known.content if known else None, in_s)


def queued_text(plan: Plan, target: str, queue: Queue) -> str:
    """Where a plan is in the queue, and when it begins."""
    from app.targets.queue import begins_text

    entry = next((each for each in queue.plans if each.plan == plan.id), None)
    if entry is None:
        return f"plan {plan.name} has left the queue of {target} already"
    where = f"plan {plan.name} is number {queue.plans.index(entry) + 1} in the queue of {target}"
    return f"{where}, {begins_text(queue, entry)}; look at it with: dyno queue list --target {target}"


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
        words = ", ".join("the plan file" if name == "plan" else option_of(name) for name in said)
        raise InputError(f"--duel settles by itself what is played: leave {words} out, or --duel")
    return request_of(arguments)
