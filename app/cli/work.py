"""`dyno work`: the instructions that a query takes, counted; `dyno run` with the sequence `work`."""

from __future__ import annotations

import argparse
from typing import Any

from app.catalog import Catalog
from app.catalog.counting import COUNTED
from app.core.errors import InputError
from app.planner.kinds.counting import STARTS, sequence_that_counts

from .parser import (
    add_details,
    add_directory,
    add_quiet,
    add_verb,
    add_wide,
    non_empty_option,
    whole_number,
)
from .plan_options import add_options, unset_plan_options
from .run import add_builds, add_detach, add_dry_run, run

# what `run` reads besides
_UNSET = {
    **dict.fromkeys(("plan", "again", "against", "by", "at", "contender", "queue")),
    **dict.fromkeys(("duel", "start"), False),
}


def add_words(words: Any) -> None:
    text = "count the instructions that queries take: exact on any machine, however busy"
    chosen = {**unset_plan_options(), **_UNSET, "sequence": COUNTED}
    parser = add_verb(words, work, text, **chosen)
    add_builds(parser, "+")
    add_options(parser, "steps", "rows", "allow_busy")
    parser.add_argument(
        "--workload", metavar="NAME", type=non_empty_option(str),
        help="count this workload in place of the steps of work, as dyno workload list names it",
    )  # fmt: skip
    parser.add_argument(
        "--starts", type=whole_number(1, 100), default=STARTS, dest="repeats",
        help=f"starts of each server, each on a fresh copy of the data (default: {STARTS})",
    )  # fmt: skip
    parser.add_argument(
        "-t", "--target", type=non_empty_option(str), metavar="NAME", help="target (default: local)"
    )
    add_dry_run(parser)
    add_detach(parser)
    add_details(parser)
    add_directory(parser)
    add_wide(parser)
    add_quiet(parser, "print only the result")


def work(arguments: argparse.Namespace) -> int:
    if arguments.workload is not None:
        if arguments.steps is not None:
            raise InputError("--workload counts one workload: leave --steps out")
        arguments.sequence = sequence_that_counts(arguments.workload, Catalog())
    return run(arguments)
