"""`dyno bisect`: finds the build that changed a step, by comparing two builds at a time."""

from __future__ import annotations

import argparse
from dataclasses import dataclass, field
from math import ceil, log2
from typing import Any

from app.catalog import Catalog, approved_hashes
from app.core.errors import TargetError
from app.core.table import Table
from app.explaining.bisect_search import BisectState, Pair
from app.explaining.bisect_text import BisectAnswer, bisect_entry, bisect_table
from app.explaining.bisecting import BisectionBuilds, BisectionRequest
from app.explaining.evidence import MeasuredRounds
from app.planner.request.request import PlanRequest
from app.protocol.answers import Survey
from app.protocol.reading import MOST_PCT
from app.remote.reach import reached
from app.remote.target import Target
from app.targets.store import Targets

from .answering import (
    add_so_far,
    add_start_options,
    add_time,
    add_work,
    measure_and_answer,
    minutes_of,
    with_options,
)
from .compare import add_false_share, command_verdict_limits
from .parser import add_verb, percent_type
from .plan_options import given_disturbance_limits
from .screen import ask_secret, say
from .session import opened_history

_USUAL_PCT = 3.0


def add_words(words: Any) -> None:
    text = "find the build that made a step faster or slower"
    parser = add_verb(words, bisect_builds, text, matters=None)
    parser.add_argument(
        "builds", metavar="BUILDS", help="installed builds: a pattern such as 'mysql-9.*', or their folder"
    )
    parser.add_argument(
        "--contender", required=True, metavar="ENGINE[:PRESET]", help="engine and preset of all builds"
    )
    add_work(parser, "the step: point-query, 'scan threads=4'")
    parser.add_argument(
        "--by", type=percent_type(MOST_PCT, is_above_0=True), default=_USUAL_PCT, metavar="PERCENT",
        help=f"least difference between the first and the last build (default: {_USUAL_PCT:g}%%)",
    )  # fmt: skip
    add_so_far(parser)
    add_false_share(parser, "of the intervals miss the truth", is_above_0=True)
    add_time(parser, "comparison")
    add_start_options(parser)


def bisect_builds(arguments: argparse.Namespace) -> int:
    return measure_and_answer(arguments, lambda given: _Question(*_settled(given), given.dry_run))


@dataclass
class _Question:
    """Which build makes the difference."""

    search: BisectionBuilds
    tries: _Tries
    is_shown: bool  # no build is started
    _found: BisectState = field(init=False)
    _evidence: MeasuredRounds = field(init=False)

    def read(self) -> MeasuredRounds:
        with opened_history() as history:
            self._found, self._evidence = self.search.state(history, self.tries.broken)
        return self._evidence

    def next_request(self) -> PlanRequest | None:
        while (pair := self._found.next) and not self.search.is_late(self._evidence):
            if self.is_shown or self.tries.do_start(self.search, pair):
                builds = " against ".join(self.search.builds[at] for at in pair)
                say("", f"comparison {len(self._evidence.plans) + 1}: {builds}", "")
                return self.search.next_request(pair)
            self.read()
        return None

    def time_text(self) -> str:
        usual = 2 + ceil(log2(max(1, len(self.search.builds) - 1)))
        return f"all of it takes about {usual} comparisons like this one, an open one twice as long"

    def entry(self) -> BisectAnswer:
        return bisect_entry(self.search, self._found, self._evidence)

    def table(self) -> Table:
        return bisect_table(self.entry())


@dataclass
class _Tries:
    """Starts builds once before they are compared."""

    target: Target
    directory: str
    survey: Survey
    broken: set[str] = field(default_factory=set)
    good: set[str] = field(default_factory=set)

    def do_start(self, search: BisectionBuilds, pair: Pair) -> bool:
        """Whether both builds start; one that does not is said, and passed over from now on."""
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


def _settled(arguments: argparse.Namespace) -> tuple[BisectionBuilds, _Tries]:
    """The search on its target, which must be free."""
    target = Targets().get(arguments.target or "local")
    request = with_options(PlanRequest(target=target.name), arguments)
    asked = BisectionRequest(
        arguments.builds,
        arguments.contender,
        arguments.step,
        request,
        arguments.by / 100,
        command_verdict_limits(arguments).false_share,
        minutes_of(arguments),
        given_disturbance_limits(arguments),
    )
    asked.check(Catalog())  # what is wrong on every target comes before what the target says
    with reached(target, ask_secret, arguments.directory) as agent:
        taken = agent.status().taken
        if taken and not (arguments.so_far or arguments.dry_run):
            raise TargetError(f"{taken}: wait for it with dyno follow; dyno bisect then goes on")
        survey = agent.survey(target.search_paths)
    return BisectionBuilds.of(asked, survey, Catalog(), approved_hashes()), _Tries(
        target, arguments.directory, survey
    )
