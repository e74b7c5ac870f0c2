"""Starting a plan from a terminal: its estimate, each check as it comes, and what it came to."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING

from app.core.errors import DynoError, InputError, TargetError
from app.core.units import count_text

from .fetching import remember
from .follow import how_to_come_back
from .screen import ask_secret, quietly, say

if TYPE_CHECKING:
    from app.planner.estimate.estimate import PlanEstimate
    from app.planner.request.request import PlanRequest
    from app.planner.starting.launch import Launch, LaunchStage, QueueInstead
    from app.protocol.answers import Check, Queue, Survey
    from app.protocol.plan import Plan
    from app.remote.target import Target

    Agree = Callable[[PlanEstimate], None]
    Settled = Callable[[Survey], PlanRequest]


WATCHED = "started; Ctrl+C leaves it running"  # Ctrl+C prints how to come back


def started_text(plan: Plan, target: str) -> str:
    """Which plan, where, and how much of it there is."""
    most, sessions = "at most " if plan.until_decided else "", count_text(len(plan.first_turns), "session")
    return f"plan {plan.id} is running on {target}, {most}{sessions}"


def launch_plan(
    name: str,
    request: Settled,
    arguments: argparse.Namespace,
    agree: Agree | None = None,
) -> tuple[int, Plan]:
    """Launch a plan on a target and watch it; the answer is the exit code, and the plan.

    `agree` raises an error for a plan that is not to start, by its estimate.
    """
    from app.targets.store import Targets

    target = Targets().get(name)
    with quietly(arguments.quiet):
        stages = launch_of(target, request, arguments).stages()
        plan, stage = show_launch(stages, agree=agree, in_brief=is_in_brief(arguments))
    if arguments.dry_run:
        return 0, plan
    if stage.queue:
        remember(plan.id, name, stage.directory, waits=True, at=arguments.at)
        say(plan.id if arguments.quiet else queued_text(plan, name, stage.queue))
        return 0, plan
    if arguments.detach:
        remember(plan.id, name, stage.directory)
        back = how_to_come_back(name, arguments.directory and stage.directory)
        say(*([plan.id] if arguments.quiet else [started_text(plan, name), back]))
        return 0, plan
    from .follow import watch_plan

    with quietly(arguments.quiet):
        say(WATCHED)
        code = watch_plan(target, stage.directory, plan, stage.sha, bool(arguments.directory))
    if code is None:
        remember(plan.id, name, stage.directory)
    return code or 0, plan


def is_in_brief(arguments: argparse.Namespace) -> bool:
    """Whether only what a person has to know is printed before the start."""
    return not (arguments.dry_run or arguments.details)


def launch_of(target: Target, settled: Settled, arguments: argparse.Namespace) -> Launch:
    """The launch that the options describe."""
    from app.comparison.answers.self_test import machine_measures_from
    from app.core.settings import home
    from app.planner.checks.load_targets import reach_by_target_name
    from app.planner.starting.launch import CHECKED, REHEARSED, STARTED, CheckInputFirst, Launch
    from app.remote.reach import reached

    last = (REHEARSED if arguments.start else CHECKED) if arguments.dry_run else STARTED
    way, known = reached(target, ask_secret, arguments.directory), partial(machine_measures_from, home())
    later, busy = _later(target, arguments), bool(arguments.allow_busy)
    return Launch(
        settled, way, target.search_paths, last, known, busy, later, reach_by_target_name(ask_secret),
        CheckInputFirst(_known_survey(target, arguments)), ask_secret, arguments.queue is not None,
    )  # fmt: skip


def _known_survey(target: Target, arguments: argparse.Namespace) -> Survey | None:
    """The latest survey; None for another directory than the target's own."""
    from app.targets.surveys import Surveys

    known = None if arguments.directory else Surveys().get(target)
    return known.content if known else None


def _later(target: Target, arguments: argparse.Namespace) -> QueueInstead | None:
    """When a queued plan begins, and what is known of the target; None if it starts now."""
    from app.planner.starting.launch import QueueInstead
    from app.targets.queue import seconds_until

    if not arguments.queue and arguments.at is None:
        return None
    if arguments.dry_run:
        raise InputError("--dry-run starts nothing: leave it out, or --queue and --at")
    in_s = None if arguments.at is None else seconds_until(arguments.at)
    return QueueInstead(_known_survey(target, arguments), in_s)


def queued_text(plan: Plan, target: str, queue: Queue) -> str:
    """Where a plan is in the queue, when it begins, and how to look at it."""
    from app.targets.queue import place_text

    return f"{place_text(queue, plan, target)}; look at it with: dyno queue list --target {target}"


def show_launch(
    stages: Iterable[LaunchStage],
    nothing: str = "nothing was started: ",
    agree: Agree | None = None,
    in_brief: bool = False,
) -> tuple[Plan, LaunchStage]:
    """The plan with its estimate, each check as it comes; raises the error of those that fail.

    `in_brief`: of the checks those that warn or fail.
    """
    from .plan_text import checks_in_brief, show_check, show_plan, show_plan_in_brief

    shown, plan, show = 0, None, show_plan_in_brief if in_brief else show_plan
    for stage in stages:
        if plan is None and stage.plan and stage.estimate:
            plan = stage.plan
            show(plan, stage.estimate)
            say(*([] if in_brief else [""]))
            if agree and not stage.failed:
                agree(stage.estimate)
        for check in checks_in_brief(stage.checks[shown:]) if in_brief else stage.checks[shown:]:
            show_check(check)
        shown = len(stage.checks)
    say("")
    if stage.failed:
        raise refusal_of(stage, nothing)
    assert plan is not None  # else the launch has raised an error
    return plan, stage


def dry_run_stage(name: str, request: Settled, arguments: argparse.Namespace) -> LaunchStage:
    """What a dry run has found, without printing it."""
    from app.targets.store import Targets

    *_, stage = launch_of(Targets().get(name), request, arguments).stages()
    return stage


def stage_entry(stage: LaunchStage) -> dict[str, object]:
    """The plan, its estimate and its checks for JSON."""
    from app.protocol.answers import to_json

    found = stage.estimate
    estimate = found and {
        "time_text": found.time_text, "details": found.seconds_text, "disk_bytes": found.disk_bytes,
    }  # fmt: skip
    return {
        "plan": stage.plan.to_json() if stage.plan else None,
        "estimate": estimate,
        "checks": [to_json(each) for each in stage.checks],
        "failed": bool(stage.failed),
    }


def refusal_of(stage: LaunchStage, nothing: str = "nothing was started: ") -> DynoError:
    """The error of the failed checks."""
    texts = "; ".join(f"{each.text} ({each.todo})" for each in stage.failed)
    return _refusal(stage.failed)(nothing + texts)


def _refusal(failed: list[Check]) -> type[DynoError]:
    """The error of failed checks: a wrong preset is wrong input, a lack of the machine is not."""
    return InputError if any(check.name == "options" for check in failed) else TargetError
