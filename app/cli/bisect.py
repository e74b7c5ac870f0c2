"""`dyno bisect`: finds the build that changed a step, by comparing two builds at a time."""

from __future__ import annotations

import argparse
from dataclasses import dataclass, field
from math import ceil, log2
from typing import Any

from app.catalog import Catalog, approved_hashes
from app.core.errors import InputError, TargetError
from app.core.table import Table
from app.explaining.bisect_search import BisectState
from app.explaining.bisect_text import BisectAnswer, bisect_entry, bisect_table
from app.explaining.bisecting import BY, COUNTED_BY, BisectionBuilds, BisectionRequest
from app.explaining.evidence import MeasuredRounds
from app.explaining.starting_builds import BuildStarts
from app.planner.kinds.counting import with_counted_step
from app.planner.request.request import PlanRequest
from app.protocol.reading import MOST_PCT
from app.remote.reach import reached
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

_NOT_COUNTED = ("sequence", "threads", "seconds", "warmup", "cpus")  # options that a count has no use for


def add_words(words: Any) -> None:
    text = "find the build that changed the speed or the work of a step"
    parser = add_verb(words, bisect_builds, text, matters=None)
    parser.add_argument(
        "builds", metavar="BUILDS", help="installed builds: a pattern such as 'mysql-9.*', or their folder"
    )
    parser.add_argument(
        "--contender", required=True, metavar="ENGINE[:PRESET]", help="engine and preset of all builds"
    )
    add_work(parser, "the step: point-query, 'scan threads=4'")
    parser.add_argument(
        "--count", action="store_true",
        help="compare by the instructions of the step, of dyno work or a workload by its name: two starts of"
        " each build, exact on any machine",
    )  # fmt: skip
    parser.add_argument(
        "--difference", type=percent_type(MOST_PCT, is_above_0=True), metavar="PERCENT", dest="by",
        help="least difference between the first and the last build (default:"
        f" {100 * BY:g}%%, counted {100 * COUNTED_BY:g}%%)",
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
    tries: BuildStarts
    is_shown: bool  # no build is started
    _found: BisectState = field(init=False)
    _evidence: MeasuredRounds = field(init=False)

    def read(self) -> MeasuredRounds:
        with opened_history() as history:
            self._found, self._evidence = self.search.state(history, self.tries.broken)
        return self._evidence

    def next_request(self) -> PlanRequest | None:
        while (pair := self._found.next) and not self.search.is_late(self._evidence):
            if self.is_shown or self.tries.do_start(self.search, pair, say):
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


def _counted(request: PlanRequest, arguments: argparse.Namespace) -> PlanRequest:
    """The request by the instructions of the step, if that is asked for."""
    if not arguments.count:
        return request
    for name in _NOT_COUNTED:
        if getattr(arguments, name) is not None:
            raise InputError(f"--count takes one client and its events: leave --{name} out")
    return with_counted_step(request, arguments.step, Catalog())


def _settled(arguments: argparse.Namespace) -> tuple[BisectionBuilds, BuildStarts]:
    """The search on its target, which must be free."""
    target = Targets().get(arguments.target or "local")
    request = _counted(with_options(PlanRequest(target=target.name), arguments), arguments)
    asked = BisectionRequest(
        arguments.builds,
        arguments.contender,
        arguments.step,
        request,
        None if arguments.by is None else arguments.by / 100,
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
    return BisectionBuilds.of(asked, survey, Catalog(), approved_hashes()), BuildStarts(
        target, ask_secret, survey, arguments.directory
    )
