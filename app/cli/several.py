"""`dyno run --target a,b`: a plan of the same work for each target, all checked before any starts."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from app.core.errors import DynoError, InputError, TargetError
from app.targets.store import Targets

from .compare import show_result_of
from .fetching import remember
from .follow import how_to_come_back, watch_plan
from .launching import is_in_brief, launch_of, queued_text, show_launch, started_text
from .report import report_plan
from .screen import quietly, say

if TYPE_CHECKING:
    from app.planner.starting.launch import LaunchStage
    from app.planner.starting.several import TargetLaunches
    from app.protocol.plan import Plan
    from app.remote.target import Target

    from .launching import Agree, Settled


class _Started(NamedTuple):
    target: Target
    stage: LaunchStage
    plan: Plan


def run_on_several(
    asked: Mapping[str, Settled], arguments: argparse.Namespace, agree: Agree | None = None
) -> int:
    """Run on several targets; 1 if one could not start, or a session failed."""
    from app.planner.starting.several import TargetLaunches, differing_target_work

    targets = {name: Targets().get(name) for name in asked}
    launches = {name: launch_of(targets[name], settled, arguments) for name, settled in asked.items()}
    with TargetLaunches(launches) as several:
        with quietly(arguments.quiet):
            in_brief = is_in_brief(arguments)
            plans = {name: _checked(name, several, agree, in_brief) for name in asked}
            say(*differing_target_work(plans))
        if arguments.dry_run:
            return 0
        with quietly(arguments.quiet and not arguments.detach):
            started = [_started(targets[name], plan, several, arguments.at) for name, plan in plans.items()]
    going = [each for each in started if each and not each.stage.queue]
    code = _leave(going, arguments) if arguments.detach else _watch(going, arguments)
    return max(code, int(None in started))


def _checked(name: str, several: TargetLaunches, agree: Agree | None, in_brief: bool) -> Plan:
    say(f"{name}:")
    try:
        plan, _ = show_launch(several.check(name), nothing="", agree=agree, in_brief=in_brief)
    except DynoError as error:
        kind = InputError if isinstance(error, InputError) else TargetError
        raise kind(f"nothing was started on any target: {name}: {error}") from None
    return plan


def _started(target: Target, plan: Plan, several: TargetLaunches, at: str | None) -> _Started | None:
    try:
        stage = several.start(target.name)
    except DynoError as error:
        say(f"{target.name} did not start, the others go on: {error}")
        return None
    assert stage is not None  # it was checked up to the start
    say(queued_text(plan, target.name, stage.queue) if stage.queue else started_text(plan, target.name))
    if stage.queue:
        remember(plan.id, target.name, stage.directory, waits=True, at=at)
    return _Started(target, stage, plan)


def _leave(going: Sequence[_Started], arguments: argparse.Namespace) -> int:
    for each in going:
        remember(each.plan.id, each.target.name, each.stage.directory)
        say(how_to_come_back(each.target.name, arguments.directory and each.stage.directory))
    return 0


def _watch(going: Sequence[_Started], arguments: argparse.Namespace) -> int:
    """Watch the targets one after the other; the others run on."""
    codes = [0]
    for at, each in enumerate(going):
        say(f"{each.target.name}:")
        is_named = bool(arguments.directory)
        with quietly(arguments.quiet):
            code = watch_plan(each.target, each.stage.directory, each.plan, each.stage.sha, is_named)
        if code is None:
            remember(each.plan.id, each.target.name, each.stage.directory)
            return _leave(going[at + 1 :], arguments)
        codes.append(code)
        show_result_of(each.plan.id)
        if arguments.is_short:
            report_plan(each.plan)
    if len(going) > 1:
        say(f"side by side: dyno compare {' '.join(each.plan.id for each in going)}")
    return max(codes)
