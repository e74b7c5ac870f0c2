"""`dyno run`: from a request to a plan that runs and is followed."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.core.errors import InputError
from app.planner.request.request import PlanRequest

from .compare import show_result_of
from .launching import launch_plan
from .parser import add_directory, add_verb, non_empty_option, split_word_list
from .plan_options import Given, add_plan_options
from .screen import say
from .session import opened_history
from .several import run_on_several

if TYPE_CHECKING:
    from app.planner.kinds.published import ForeignPlan
    from app.protocol.answers import Survey

    from .launching import Settled

    Asked = tuple[str, Settled]

_WHOLE = "whole sessions A B B A, not in slices"
_OF_ANY_PLAN = ("name", "target", "allow_busy", "allow_small_disk")  # what `--duel` leaves to a person


class _Several(argparse.Action):
    """An option that can be repeated: each one adds to the list."""

    def __call__(self, _: Any, arguments: argparse.Namespace, value: Any, _option: str | None = None) -> None:
        before = getattr(arguments, self.dest)
        setattr(arguments, self.dest, value if before is None else f"{before},{value}")


def add_words(words: Any) -> None:
    parser = add_verb(words, run, "run a plan: check it, start it and follow it")
    parser.add_argument("plan", nargs="?", help="a plan file (TOML)")
    parser.add_argument(
        "--duel",
        action="store_true",
        help="compare InnoDB with MyRocks in a few minutes, with a verdict; --dry-run says how long",
    )
    parser.add_argument(
        "--again", action="append", metavar="SESSION",
        help="repeat this session, or a whole plan by its id or name. Give it several times to alternate"
             " their contenders. Published sessions are scaled to the target",
    )  # fmt: skip
    parser.add_argument(
        "--against", metavar="SESSION",
        help="measure the contender of this session, or of a plan of one contender, again, as the base of the"
             " new --contender: the same work, in slices where possible",
    )  # fmt: skip
    parser.add_argument(
        "-t", "--target", action=_Several, type=non_empty_option(str), metavar="NAME[,NAME]",
        help="target (default: local, this computer); write a,b for one plan on each: all start, or none",
    )  # fmt: skip
    add_plan_options(parser)
    _add_ways(parser)


def _add_ways(parser: argparse.ArgumentParser) -> None:
    """Options for how the plan runs."""
    add_directory(parser)
    parser.add_argument(
        "-n", "--dry-run", action="store_true", help="print plan, estimate and checks; start nothing"
    )
    parser.add_argument(
        "--start",
        action="store_true",
        help="with --dry-run: also start each server once and check its settings",
    )
    parser.add_argument(
        "--detach", action="store_true", help="start the plan and return at once; the target carries it out"
    )
    parser.add_argument(
        "--queue",
        action="store_true",
        help="put the plan into the target's queue; it starts when its turn comes",
    )
    parser.add_argument(
        "--at",
        metavar="TIME",
        help="like --queue, but start at this time at the earliest: 22:30 or 2026-11-24 06:00",
    )


def run(arguments: argparse.Namespace) -> int:
    given = Given.of(arguments)
    targets = split_word_list("target", arguments.target) if arguments.target else []
    if len(targets) > 1:
        each_alone = (given.at(name) for name in targets)
        return run_on_several(dict(request_from(arguments, each) for each in each_alone), arguments)
    code, plan = launch_plan(*request_from(arguments, given), arguments)
    show_result_of(plan.id, has_table=arguments.duel)
    return code


def request_from(arguments: argparse.Namespace, given: Given) -> Asked:
    """The target and the request; the request may depend on the survey."""
    if arguments.duel:
        return _duel(arguments, given)
    if arguments.against is not None:
        return _against(arguments, given)
    if arguments.again:
        return _again(arguments, given)
    return _as_asked(plan_request_from(arguments, given))


def plan_request_from(arguments: argparse.Namespace, given: Given) -> PlanRequest:
    """The plan file with what was given in its place."""
    plan = PlanRequest() if arguments.plan is None else PlanRequest.from_file(_plan_file(arguments.plan))
    return given.over(plan)


def _as_asked(request: PlanRequest) -> Asked:
    from app.catalog import Catalog
    from app.planner.resolve.resolve import resolve_workloads
    from app.targets.store import Targets

    resolve_workloads(request, Catalog())  # what is wrong on every target comes before what the target says
    for name in request.load:
        Targets().get(name)
    return request.target, lambda _: request


def _again(arguments: argparse.Namespace, given: Given) -> Asked:
    """The same sessions again; if others measured them, set up for the target."""
    from app.planner.kinds.again import request_again
    from app.planner.kinds.published import ForeignPlan

    if arguments.plan is not None:
        raise InputError("a plan file and --again exclude each other: give one of them")
    with opened_history() as history:
        published = ForeignPlan.of(history, arguments.again)
        if not published:
            return _as_asked(given.over(request_again(history, arguments.again)))
    return _set_up_here(published, given)


def _set_up_here(published: ForeignPlan, given: Given) -> Asked:
    from app.catalog import Catalog

    target = given.over(PlanRequest()).target

    def settled(survey: Survey) -> PlanRequest:
        found = published.set_up(target, survey, Catalog(), given.over)
        for line in (*found.text().splitlines(), ""):
            say(line)
        return found.request

    return target, settled


def _against(arguments: argparse.Namespace, given: Given) -> Asked:
    """The request of `--against`: options for contenders apply only to the new ones."""
    from app.catalog import Catalog, approved_hashes
    from app.planner.kinds.against import BaseSession, sliced_or_interleaved

    for name, what in (("plan", "the plan file"), ("again", "--again")):
        if getattr(arguments, name) is not None:
            raise InputError(f"--against takes the work from its session: leave {what} out")
    with opened_history() as history:
        kept = BaseSession.of(history, arguments.against, Catalog())
    contenders = kept.with_base(given.with_to_all(given.contenders))
    request = kept.request.with_options(**given.options, contenders=contenders)

    def settled(survey: Survey) -> PlanRequest:
        kept.check_build(survey)
        if "order" in given.options:
            return request
        found, why = sliced_or_interleaved(request, survey, Catalog(), approved_hashes())
        say(f"{_WHOLE}: {why}" if why else "in slices")
        return found

    return request.target, settled


def _plan_file(name: str) -> Path:
    if not name:
        raise InputError("the name of the plan file is empty: write dyno run PLAN.toml")
    return Path(name)


def _duel(arguments: argparse.Namespace, given: Given) -> Asked:
    """InnoDB against MyRocks of one build."""
    from app.catalog import Catalog
    from app.planner.kinds.against import sliced_or_interleaved
    from app.planner.kinds.duel import duel

    _check_duel(arguments, given)
    request = given.over(PlanRequest())

    def settled(survey: Survey) -> PlanRequest:
        found, why = sliced_or_interleaved(duel(survey, request), survey, Catalog())
        say(*([f"{_WHOLE}: {why}"] if why else []))
        return found

    return request.target, settled


def _check_duel(arguments: argparse.Namespace, given: Given) -> None:
    """Refuse what the duel settles itself."""
    ways = (("plan", "the plan file"), ("again", "--again"), ("against", "--against"))
    named = [what for name, what in ways if getattr(arguments, name) is not None]
    if named := [*named, *given.flags(but=_OF_ANY_PLAN)]:
        raise InputError(f"--duel chooses the work itself: leave {', '.join(named)} out, or --duel")
