"""`dyno bisect`: finds the build that changed a step, by comparing two builds at a time."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Collection
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from math import ceil, log2
from typing import TYPE_CHECKING, Any

from app.core.errors import TargetError
from app.protocol.reading import MOST_PCT

from .compare import limits_of
from .explain import add_time, add_ways, add_work, as_it_is, goes_on, minutes_of, with_options
from .launching import launch_plan
from .parser import add_json, percent, whole_number
from .plan_options import allowed_of
from .screen import ask_secret, print_json, print_tables, say

if TYPE_CHECKING:
    from app.explaining.bisect_search import Bisection, Pair
    from app.explaining.bisect_text import BisectEntry
    from app.explaining.bisecting import BuildSearch
    from app.explaining.evidence import Evidence
    from app.protocol.answers import Survey
    from app.protocol.plan import Plan
    from app.remote.target import Target

_USUAL_PCT = 3.0


def add_words(words: Any) -> None:
    parser = words.add_parser("bisect", help="find the build that made a step faster or slower")
    parser.add_argument(
        "builds", metavar="BUILDS", help="installed builds: a pattern such as 'mysql-9.*', or their folder"
    )
    parser.add_argument(
        "--contender", required=True, metavar="ENGINE[:PRESET]", help="engine and preset of all builds"
    )
    parser.add_argument("--step", required=True, help="the step: point-query, 'scan threads=4'")
    parser.add_argument("--threads", type=whole_number(1, 100_000), help="client threads of the step")
    add_work(parser)
    parser.add_argument(
        "--by", type=percent(MOST_PCT, is_above_0=True), default=_USUAL_PCT, metavar="PERCENT",
        help=f"least difference between the first and the last build (default: {_USUAL_PCT:g}%%)",
    )  # fmt: skip
    parser.add_argument(
        "--so-far", action="store_true", help="measure nothing: show what has been measured says"
    )
    parser.add_argument(
        "--false-share", type=percent(MOST_PCT, is_above_0=True), metavar="PERCENT",
        help="at most this percentage of the intervals miss the truth (default: 5, or your setting)",
    )  # fmt: skip
    add_time(parser, "comparison")
    add_ways(parser)
    add_json(parser)
    parser.set_defaults(run=bisect_builds, queue=False, at=None, start=False, matters=None)


def bisect_builds(arguments: argparse.Namespace) -> int:
    """With --json the progress goes to standard error."""
    if not arguments.json:
        code, entry = _bisect(arguments)
        if entry:
            _show(entry)
        return code
    with redirect_stdout(sys.stderr):
        code, entry = _bisect(arguments)
    if entry:
        print_json(entry)
    return code


def _bisect(arguments: argparse.Namespace) -> tuple[int, BisectEntry | None]:
    """Comparison after comparison; no entry where the next plan was only shown or goes on alone."""
    from app.explaining.bisect_text import bisect_entry

    search, tries = _settled(arguments)
    found, evidence = _state(search, tries.broken)
    code = 0
    while found.next and not arguments.so_far and not code and not search.is_late(evidence):
        is_ready = arguments.dry_run or tries.do_start(search, found.next)
        if is_ready:
            code, plan = _launch(search, found.next, len(evidence.plans), arguments)
            if arguments.dry_run:
                usual = 2 + ceil(log2(max(1, len(search.builds) - 1)))
                say(f"all of it takes about {usual} comparisons like this one, an open one twice as long")
            if arguments.dry_run or arguments.detach or goes_on(plan):
                return code, None
        before, (found, evidence) = evidence, _state(search, tries.broken)
        if is_ready and not code:
            _check_progress(before, evidence)
    return code, bisect_entry(search, found, evidence)


def _launch(search: BuildSearch, pair: Pair, done: int, arguments: argparse.Namespace) -> tuple[int, Plan]:
    say("", f"comparison {done + 1}: {search.builds[pair[0]]} against {search.builds[pair[1]]}", "")
    request = search.next_request(pair)
    return launch_plan(request.target, as_it_is(request), arguments)


def _check_progress(before: Evidence, now: Evidence) -> None:
    """Raise an error if the last plan has added nothing: the next one would be the same."""
    if len(now.rounds) == len(before.rounds):
        raise TargetError(
            "no round of the last plan counts: its steps failed or are marked, see dyno session show last;"
            " what was measured before stays, dyno bisect goes on with it"
        )


@dataclass
class _Tries:
    """Starts builds once before they are compared."""

    target: Target
    directory: str
    survey: Survey
    broken: set[str] = field(default_factory=set)
    good: set[str] = field(default_factory=set)

    def do_start(self, search: BuildSearch, pair: Pair) -> bool:
        """Whether both builds start; one that does not is said, and passed over from now on."""
        from app.catalog import Catalog
        from app.remote.reach import reached

        wanted = [search.builds[at] for at in pair if search.builds[at] not in self.good]
        with reached(self.target, ask_secret, self.directory) as agent:
            for build in wanted:
                why = search.why_not(agent, self.survey, Catalog(), build)
                (self.broken if why else self.good).add(build)
                if why and build in (search.builds[0], search.builds[-1]):
                    raise TargetError(
                        f"{build} does not start: {why}; choose builds of which both ends start"
                    )
                if why:
                    say(f"{build} does not start, and is passed over: {why}")
        return self.broken.isdisjoint(wanted)


def _settled(arguments: argparse.Namespace) -> tuple[BuildSearch, _Tries]:
    """The search on its target, which must be free."""
    from app.catalog import Catalog, approved_hashes
    from app.explaining.bisecting import Asked, BuildSearch
    from app.planner import PlanRequest
    from app.remote.reach import reached
    from app.targets.store import Targets

    target = Targets().get(arguments.target or "local")
    request = with_options(PlanRequest(target=target.name), arguments)
    asked = Asked(
        arguments.builds,
        arguments.contender,
        arguments.step,
        request,
        arguments.by / 100,
        limits_of(arguments).false_share,
        minutes_of(arguments),
        allowed_of(arguments),
    )
    asked.check(Catalog())  # what is wrong on every target comes before what the target says
    with reached(target, ask_secret, arguments.directory) as agent:
        taken = agent.status().taken
        if taken and not (arguments.so_far or arguments.dry_run):
            raise TargetError(f"{taken}: wait for it with dyno follow; dyno bisect then goes on")
        survey = agent.survey(target.search_paths)
    return BuildSearch.of(asked, survey, Catalog(), approved_hashes()), _Tries(
        target, arguments.directory, survey
    )


def _state(search: BuildSearch, broken: Collection[str]) -> tuple[Bisection, Evidence]:
    from .session import opened

    with opened() as history:
        return search.state(history, broken)


def _show(entry: BisectEntry) -> None:
    from app.explaining.bisect_text import bisect_table

    print_tables([bisect_table(entry)])
