"""What `dyno run` leaves to Dyno: the words that are contenders, and what is chosen of a plan for them."""

from __future__ import annotations

import argparse
import time
import tomllib
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from app.core.errors import InputError

from .plan_options import GivenPlanOptions
from .screen import confirmed, say_wrapped

if TYPE_CHECKING:
    from app.planner.estimate.estimate import PlanEstimate
    from app.planner.request.request import PlanRequest
    from app.protocol.answers import Survey

    from .launching import Settled

PLAN_FILE = ".toml"
LONG_S = 3600  # a plan of builds alone that may take longer is asked about


def split_plan_file(arguments: argparse.Namespace) -> None:
    """Part the words into the plan file and the contenders."""
    files = [each for each in arguments.words if each.endswith(PLAN_FILE) and not each.startswith("@")]
    builds = [each for each in arguments.words if each not in files]
    if len(files) > 1:
        raise InputError(f"{files[0]} and {files[1]} are both plan files: give one")
    for each in builds:
        if "/" in each.partition(":")[0]:
            raise InputError(
                f"{each} is a path: a contender begins with the name of a build (dyno build install PATH"
                f" --there gives it one), and the name of a plan file ends with {PLAN_FILE}"
            )
    arguments.plan = files[0] if files else None
    arguments.contender = [*builds, *(arguments.contender or ())] or None
    is_other = files or arguments.duel or arguments.again or arguments.against is not None
    arguments.is_short = bool(builds) and not is_other


def with_end(given: GivenPlanOptions, arguments: argparse.Namespace) -> GivenPlanOptions:
    """The time until `--by` as that of `--within`."""
    if arguments.by is None:
        return given
    if "time_limit" in given.options:
        raise InputError("--within and --by exclude each other: give one of them")
    if arguments.queue and arguments.at is None:
        raise InputError("--by needs the start of the plan: write --at TIME, or --within in place of --by")
    return replace(given, options={**given.options, "time_limit": int(_seconds_until_end(arguments))})


def with_until_decided(given: GivenPlanOptions, plan_file: str | None) -> GivenPlanOptions:
    """With a time to end in: the repeats for that, where nobody gave any."""
    from app.planner.kinds.chosen import usual_repeats

    if "time_limit" not in given.options or "repeats" in given.options:
        return given
    if plan_file is not None and "repeats" in tomllib.loads(Path(plan_file).read_text(encoding="utf-8")):
        return given
    return replace(
        given, options={**given.options, "repeats": usual_repeats(given.contenders, is_limited=True)}
    )


def _seconds_until_end(arguments: argparse.Namespace) -> float:
    """From the start of the plan to the next such time of day."""
    from app.targets.queue import seconds_until, seconds_until_clock

    start = datetime.now()
    if arguments.at is not None:
        start += timedelta(seconds=seconds_until(arguments.at))
    try:
        return seconds_until_clock(arguments.by, start)
    except InputError as error:
        raise InputError(f"--by {error}") from None


# chosen once the target is known


def builds_only_request(asked: PlanRequest, given: GivenPlanOptions) -> tuple[PlanRequest, Settled]:
    """A request of builds alone: with what depends on no target, and with all of it."""
    from app.catalog import Catalog
    from app.planner.kinds.chosen import with_threads, with_work, work_text

    first = with_work(asked, given.options)

    def settled(survey: Survey) -> PlanRequest:
        found = with_threads(first, bool(asked.sequence), survey, Catalog())
        if text := work_text(asked, found):
            say_wrapped(text)
        return found

    return first, settled


def shorten_to_limit(settled: Settled, arguments: argparse.Namespace, given: GivenPlanOptions) -> Settled:
    """The same so that it ends in time; the work of earlier sessions stays as it is."""
    if "time_limit" not in given.options:
        return settled
    limit_s, began = given.options["time_limit"], time.monotonic()
    is_fixed = bool(arguments.again or arguments.against is not None)
    chosen = given.options if arguments.is_short else ("order", "rows")  # a plan file has its own

    def fitting(survey: Survey) -> PlanRequest:
        from app.catalog import Catalog
        from app.comparison.answers.self_test import machine_measures_from
        from app.core.settings import home
        from app.planner.kinds.chosen import fitted

        gone = time.monotonic() - began if arguments.by and arguments.at is None else 0.0
        asked = replace(settled(survey), time_limit=max(1, int(limit_s - gone)) if limit_s else 0)
        known = partial(machine_measures_from, home())
        found = fitted(asked, asked.time_limit, survey, Catalog(), known, is_fixed, chosen)
        say_wrapped(found.text)
        return found.request

    return fitting


# asked before it starts


def plan_time_asker(
    arguments: argparse.Namespace, given: GivenPlanOptions
) -> Callable[[PlanEstimate], None] | None:
    """Who agrees to the time of a plan before it starts; None if nobody has to."""
    has_to = arguments.is_short and "time_limit" not in given.options and not arguments.dry_run
    return _agree if has_to else None


def _agree(estimate: PlanEstimate) -> None:
    """Raise an error unless a person agrees to a long plan."""
    from app.planner.starting.launch import CancelledError

    if estimate.longest_s <= LONG_S:
        return
    answer = confirmed(f"takes {estimate.time_text}: start it?")
    if answer is None:
        hours = min(24, -int(-estimate.longest_s // LONG_S))
        raise InputError(
            f"it takes {estimate.time_text}, and there is no terminal to ask whether to start it:"
            f" write --within TIME, such as --within {hours}h"
        )
    if not answer:
        raise CancelledError
