"""`dyno run`: from a request to a plan that runs and is followed."""

from __future__ import annotations

import argparse
import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.catalog.plans import find_plan_file
from app.core.errors import InputError
from app.core.toml_text import read_text
from app.planner.request.plan_file import plan_request_of_file
from app.planner.request.request import PlanRequest
from app.protocol.plan import STARTS

from .choosing import (
    builds_only_request,
    plan_time_asker,
    shorten_to_limit,
    split_plan_file,
    with_end,
    with_until_decided,
)
from .compare import show_result_of
from .launching import dry_run_stage, launch_plan, refusal_of, stage_entry
from .parser import (
    Parser,
    add_details,
    add_directory,
    add_quiet,
    add_verb,
    add_wide,
    non_empty_option,
    split_word_list,
)
from .plan_options import GivenPlanOptions, add_plan_options
from .report import report_plan
from .screen import print_json, say, say_wrapped
from .session import opened_history
from .several import run_on_several

if TYPE_CHECKING:
    from app.planner.kinds.published import PublishedPlan
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
    parser = add_verb(words, run, "run a plan: check it, start it and follow it", plan=None, is_short=False)
    add_builds(parser, "*", ". A name that ends with .toml is a plan file")
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
    add_wide(parser)
    text = "print only the result, with --detach or --queue only what was started, with --dry-run nothing"
    add_quiet(parser, text)
    _add_ways(parser)


def add_builds(parser: Parser, nargs: str, more: str = "") -> None:
    """The words that say what to compare."""
    parser.between = "words"
    parser.add_argument(
        "words", nargs=nargs, metavar="BUILD[:ENGINE[:PRESET]]",
        help="what to compare: builds by their names or the beginnings of these, with InnoDB and the preset"
        " baseline unless engine and preset follow; @SERVER[:ENGINE]: a server that runs already (dyno server"
        f" add){more}",
    )  # fmt: skip


def add_dry_run(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-n", "--dry-run", action="store_true", help="print plan, estimate and checks; start nothing"
    )
    parser.add_argument("-j", "--json", action="store_true", help="with --dry-run: print JSON, for scripts")


def add_detach(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--detach", action="store_true", help="start the plan and return at once; the target carries it out"
    )


def _add_ways(parser: argparse.ArgumentParser) -> None:
    """Options for how the plan runs."""
    add_directory(parser)
    add_dry_run(parser)
    add_details(parser)
    parser.add_argument(
        "--start",
        action="store_true",
        help="with --dry-run: also start each server once and check its settings",
    )
    add_detach(parser)
    parser.add_argument(
        "--queue",
        action="store_true",
        help="put the plan into the target's queue; it starts when its turn comes",
    )
    parser.add_argument("--by", metavar="HH:MM", help="like --within, until the next such time of day: 07:00")
    parser.add_argument(
        "--at",
        metavar="TIME",
        help="like --queue, but start at this time at the earliest: 22:30 or 2026-11-24 06:00",
    )


def _check_start(arguments: argparse.Namespace) -> None:
    """`--start` takes no value: the state of the server is another option."""
    state = next((each for each in STARTS if each in arguments.words), "")
    if not arguments.start or (arguments.dry_run and not state):
        return
    if state:
        raise InputError(f"--start takes no value: write --start-state {state}, or --dry-run --start")
    states = ", ".join(STARTS)
    raise InputError(f"--start is for --dry-run: add --dry-run, or write --start-state STATE ({states})")


def run(arguments: argparse.Namespace) -> int:
    _check_start(arguments)
    split_plan_file(arguments)
    given = GivenPlanOptions.of(arguments)
    targets = split_word_list("target", arguments.target) if arguments.target else []
    if arguments.json:
        return _dry_run_as_json(arguments, given, len(targets))
    agree = plan_time_asker(arguments, with_end(given, arguments))
    if len(targets) > 1:
        each_alone = (given.at(name) for name in targets)
        asked = dict(request_from(arguments, each) for each in each_alone)
        return run_on_several(asked, arguments, agree)
    code, plan = launch_plan(*request_from(arguments, given), arguments, agree=agree)
    show_result_of(plan.id)
    if arguments.is_short:
        report_plan(plan)
    return code


def _dry_run_as_json(arguments: argparse.Namespace, given: GivenPlanOptions, targets: int) -> int:
    if not arguments.dry_run or targets > 1:
        raise InputError("--json is for --dry-run on one target: add --dry-run, and one --target")
    with redirect_stdout(sys.stderr):
        name, request = request_from(arguments, given)
        stage = dry_run_stage(name, request, arguments)
    print_json(stage_entry(stage))
    if stage.failed:
        raise refusal_of(stage)
    return 0


def request_from(arguments: argparse.Namespace, given: GivenPlanOptions) -> Asked:
    """The target and the request; the request may depend on the survey."""
    if arguments.duel:
        return _duel(arguments, given)
    given = with_end(given, arguments)
    target, settled = _asked(arguments, given)
    return target, shorten_to_limit(settled, arguments, given)


def _asked(arguments: argparse.Namespace, given: GivenPlanOptions) -> Asked:
    if arguments.is_short:
        first, settled = builds_only_request(given.over(PlanRequest()), given)
        return _as_asked(first)[0], settled
    if arguments.against is not None:
        return _against(arguments, with_until_decided(given, None))
    if arguments.again:
        return _again(arguments, with_until_decided(given, None))
    target, settled = _as_asked(plan_request_from(arguments, given))
    return target, settled if arguments.plan is None else _saying_scales(
        find_plan_file(arguments.plan), settled
    )


def _saying_scales(file: Path, settled: Settled) -> Settled:
    """The same, which prints what the plan file says of its scales, once the machine is known."""
    from app.catalog.plans import scaled_lines
    from app.planner.resolve.contenders import machine_sizes

    def saying(survey: Survey) -> PlanRequest:
        if lines := list(scaled_lines(read_text(file), machine_sizes(survey))):
            say_wrapped(f"{file.name} is scaled to this machine, where no option says otherwise:", *lines, "")
        return settled(survey)

    return saying


def plan_request_from(arguments: argparse.Namespace, given: GivenPlanOptions) -> PlanRequest:
    """The plan file with what was given in its place."""
    file = None if arguments.plan is None else find_plan_file(arguments.plan)
    plan = PlanRequest() if file is None else plan_request_of_file(file)
    return with_until_decided(given, None if file is None else str(file)).over(plan)


def _as_asked(request: PlanRequest) -> Asked:
    from app.catalog import Catalog
    from app.planner.resolve.resolve import resolve_workloads
    from app.targets.store import Targets

    resolve_workloads(request, Catalog())  # what is wrong on every target comes before what the target says
    for name in request.load:
        Targets().get(name)
    return request.target, lambda _: request


def _again(arguments: argparse.Namespace, given: GivenPlanOptions) -> Asked:
    """The same sessions again; if others measured them, set up for the target."""
    from app.planner.kinds.again import request_again
    from app.planner.kinds.published import PublishedPlan

    if arguments.plan is not None:
        raise InputError("a plan file and --again exclude each other: give one of them")
    with opened_history() as history:
        published = PublishedPlan.of(history, arguments.again)
        if not published:
            return _as_asked(given.over(request_again(history, arguments.again)))
    return _set_up_here(published, given)


def _set_up_here(published: PublishedPlan, given: GivenPlanOptions) -> Asked:
    from app.catalog import Catalog

    target = given.over(PlanRequest()).target

    def settled(survey: Survey) -> PlanRequest:
        found = published.set_up(target, survey, Catalog(), given.over)
        for line in (*found.text().splitlines(), ""):
            say(line)
        return found.request

    return target, settled


def _against(arguments: argparse.Namespace, given: GivenPlanOptions) -> Asked:
    """The request of `--against`: options for contenders apply only to the new ones."""
    from app.catalog import Catalog, approved_hashes
    from app.planner.kinds.against import BaseSession
    from app.planner.kinds.chosen import sliced_or_interleaved

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


def _duel(arguments: argparse.Namespace, given: GivenPlanOptions) -> Asked:
    """InnoDB against MyRocks of one build."""
    from app.catalog import Catalog
    from app.planner.kinds.chosen import sliced_or_interleaved
    from app.planner.kinds.duel import duel

    _check_duel(arguments, given)
    request = given.over(PlanRequest())

    def settled(survey: Survey) -> PlanRequest:
        found, why = sliced_or_interleaved(duel(survey, request), survey, Catalog())
        say(*([f"{_WHOLE}: {why}"] if why else []))
        return found

    return request.target, settled


def _check_duel(arguments: argparse.Namespace, given: GivenPlanOptions) -> None:
    """Refuse what the duel settles itself."""
    ways = (("plan", "the plan file"), ("again", "--again"), ("against", "--against"), ("by", "--by"))
    named = [what for name, what in ways if getattr(arguments, name) is not None]
    flags = [each for each in given.flags(but=_OF_ANY_PLAN) if each != "--contender"]
    named += ["the contenders"] * bool(given.contenders)
    if named := [*named, *flags]:
        raise InputError(f"--duel chooses the work itself: leave {', '.join(named)} out, or --duel")
