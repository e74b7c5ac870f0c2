"""What Dyno chooses: for builds alone, whether in slices, and for a plan that has to end in time."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from statistics import fmean

from app.catalog import Catalog, SequenceStep
from app.core.errors import InputError
from app.core.units import count_text, first_texts, seconds_text
from app.history.machines.measured import MachineHistory
from app.planner.checks.checks import check_plan
from app.planner.estimate.estimate import UNKNOWN, PlanEstimate, count_compared_cells
from app.planner.request.contender import ContenderRequest
from app.planner.request.request import PlanRequest
from app.planner.request.slicing import name_with_roles, roles_problem, slices_problem
from app.planner.resolve.resolve import (
    ROWS,
    SECONDS,
    machine_key,
    resolve,
    resolve_before_approval,
    resolve_workloads,
)
from app.protocol.answers import FAIL, Survey
from app.protocol.plan import PREPARING, SLICES, UNTIL_DECIDED, Plan
from app.stats.at_target.looks import ROUNDS as MOST_REPEATS
from app.stats.at_target.verdicts import LEAST
from app.stats.planning import least_difference

from .canary import estimated_with_canary

SEQUENCE = "quick"  # where a person names only builds
LENGTHS = (60, 45, 30, 20, 15, 10)  # seconds of a step
IN_SLICES_S = 5  # of a step at least, in slices, where the noise of the machine affects all alike
WHOLE = "interleaved"
_ROOM = ("memory", "disk")  # checks that all contenders of a round share
FEWER_ROWS = 4  # parts of the rows of a sequence, of which one is left where even that takes too long
ROUNDS = 4  # have to end in time: one more than the fewest that give a verdict


def with_work(request: PlanRequest, given: Collection[str]) -> PlanRequest:
    """A request of builds alone with sequence and repeats, which depend on no target."""
    found = replace(request, sequence=request.sequence or SEQUENCE)
    if "repeats" in given:
        return found
    return replace(found, repeats=usual_repeats(request.contenders, "time_limit" in given))


def usual_repeats(contenders: Collection[ContenderRequest], is_limited: bool = False) -> int | str:
    """The repeats where nobody gives any: until decided, to end in time or if there are others to compare."""
    return UNTIL_DECIDED if is_limited or len(contenders) > 1 else PlanRequest().repeats


def with_threads(request: PlanRequest, is_own: bool, survey: Survey, catalog: Catalog) -> PlanRequest:
    """The same with a thread for each CPU of the target; `is_own`: the person chose the sequence."""
    if request.threads or (is_own and catalog.sequence(request.sequence).threads):
        return request
    return replace(request, threads=(survey.cpu.threads or 1,))


def work_text(before: PlanRequest, now: PlanRequest) -> str:
    """What was chosen of sequence, threads and repeats; '' if nothing was."""
    threads = now.threads[0] if now.threads and now.threads != before.threads else 0
    each = f"{count_text(threads, 'thread')} (one for each CPU)" if threads else ""
    tests = f"the tests of {now.sequence}" if now.sequence != before.sequence else ""
    parts = [*filter(None, (tests, _repeats_text(before, now), each))]
    return f"Dyno chose {', '.join(parts)}" if parts else ""


def _repeats_text(before: PlanRequest, now: PlanRequest) -> str:
    if now.repeats == before.repeats:
        return ""
    return "repeats until all is decided" if now.repeats == UNTIL_DECIDED else f"repeats {now.repeats}"


# in slices


def sliced_or_interleaved(
    asked: PlanRequest, survey: Survey, catalog: Catalog, approved: Iterable[str] = ()
) -> tuple[PlanRequest, str]:
    """The same request in slices, else interleaved and why."""
    sliced = replace(asked, order=SLICES)
    why = _why_whole(sliced, survey, catalog, approved)
    return (replace(asked, order=WHOLE), why) if why else (sliced, "")


def _why_whole(asked: PlanRequest, survey: Survey, catalog: Catalog, approved: Iterable[str]) -> str:
    _, _, chosen = resolve_workloads(replace(asked, order=WHOLE), catalog)
    name = name_with_roles(chosen)
    if problem := slices_problem(asked) or (roles_problem(name) if name else None):
        return problem[0]
    try:
        resolved = resolve(asked, survey, catalog, approved)
    except InputError as error:
        if error.field != "order":
            raise
        return str(error).partition(";")[0]
    plan, found = estimated_with_canary(resolved, survey)
    if not any(step.sliced for step in plan.steps):
        return "the servers cannot take turns within a step"
    checks = check_plan(plan, survey, found, allow_small_disk=asked.allow_small_disk)
    failed = [each for each in checks if each.state == FAIL and each.name in _ROOM]
    return failed[0].text if failed else ""


# in time


@dataclass(frozen=True)
class FittedRequest:
    """A request of which enough rounds end in time."""

    request: PlanRequest
    text: str  # what was chosen for that


def fitted(
    request: PlanRequest,
    limit_s: float,
    survey: Survey,
    catalog: Catalog,
    known: Callable[[str], MachineHistory] = lambda _: UNKNOWN,
    is_fixed: bool = False,
    given: Collection[str] = (),
) -> FittedRequest:
    """The longest steps that end in time: of all tests, of one of each group, in slices, with fewer rows.

    `known`: of a machine, by its key; `is_fixed`: the work may not change; `given`: what a person chose.
    """
    machine = known(machine_key(survey))
    for tries in [[request]] if is_fixed else _tries(request, survey, catalog, given):
        there: list[tuple[PlanRequest, Plan, PlanEstimate]] = []
        for tried in tries:
            plan, _ = resolve_before_approval(tried, survey, catalog)
            plan, estimate = estimated_with_canary(plan, survey, machine)
            if _needed_s(plan, estimate) <= limit_s:
                there.append((tried, plan, estimate))
        if there:
            best = min(there, key=lambda each: _least_in_time(each[1], each[2], machine, limit_s))
            return FittedRequest(best[0], _text(request, *best, limit_s, catalog))
    least = f"{_rounds_text(plan)} of {_least_text(request, tried, plan)}"
    raise _too_short(limit_s, least, _needed_s(plan, estimate))


def _least_in_time(plan: Plan, estimate: PlanEstimate, machine: MachineHistory, limit_s: float) -> float:
    """The difference that is found in this time; 0 where it is not known: then the longest steps are best."""
    parts = machine.parts_in_slices if plan.order == SLICES else machine.parts
    timed = [step.seconds for step in plan.steps if step.seconds]
    if parts is None or not timed or not plan.until_decided:
        return 0.0
    repeats = min(int(limit_s / (_needed_s(plan, estimate) / ROUNDS)), MOST_REPEATS)
    found = least_difference(repeats, count_compared_cells(plan), parts.deviation(fmean(timed)))
    return found or 0.0


def _too_short(limit_s: float, least: str, needed_s: float) -> InputError:
    minutes = math.ceil(needed_s / 60)
    text = f"{seconds_text(limit_s)} is too short: {least} take about {seconds_text(needed_s)}"
    return InputError(
        f"{text}: write --within {minutes}min, or fewer steps with --steps",
        "time_limit",
        window_text=f"{text}: give it {minutes} min, or choose fewer steps",
    )


def _tries(
    request: PlanRequest, survey: Survey, catalog: Catalog, given: Collection[str]
) -> Iterator[list[PlanRequest]]:
    """From the most work to the least, each in several lengths."""
    for steps in _steps(request, catalog):
        request = replace(request, steps=steps)
        yield _in_lengths(request, catalog, LENGTHS)
    if "order" not in given:
        _, unapproved = resolve_before_approval(request, survey, catalog)
        hashes = [each.sha256 for each in unapproved]
        request, why = sliced_or_interleaved(request, survey, catalog, hashes)
        if not why:
            yield _in_lengths(request, catalog, (*LENGTHS, IN_SLICES_S))
    rows = catalog.sequence(request.sequence).rows or ROWS
    if "rows" not in given and request.rows is None and isinstance(rows, int):
        request = replace(request, rows=max(1, rows // FEWER_ROWS))
        yield _in_lengths(request, catalog, (*LENGTHS, *[IN_SLICES_S] * (request.order == SLICES)))


def _in_lengths(request: PlanRequest, catalog: Catalog, lengths: Collection[int]) -> list[PlanRequest]:
    """With the seconds of a step to try: none longer than the sequence says; a person's stay."""
    own = request.seconds or catalog.sequence(request.sequence).seconds or SECONDS
    shorter = () if request.seconds else [each for each in lengths if each < own]
    return [replace(request, seconds=each) for each in (own, *shorter)]


def _needed_s(plan: Plan, estimate: PlanEstimate) -> float:
    """Seconds of the rounds that have to end in time; without a decision those of the whole plan."""
    return estimate.fewest_s / LEAST * ROUNDS if plan.until_decided else estimate.seconds


def _rounds_text(plan: Plan) -> str:
    return f"{ROUNDS} repeats" if plan.until_decided else count_text(len(plan.first_turns), "session")


def _least_text(asked: PlanRequest, tried: PlanRequest, plan: Plan) -> str:
    lasting = [max((role.seconds for role in plan.together(at)), default=0) for at in range(len(plan.steps))]
    timed = [seconds for seconds in lasting if seconds]
    lengths = f" of {timed[0]} s" if len(set(timed)) == 1 else ""
    carried = [step for step in plan.steps if not step.beside]
    steps = count_text(len(timed), "timed step") + lengths if timed else count_text(len(carried), "step")
    return " ".join(filter(None, (steps, _slices_text(asked, tried), _rows_text(asked, tried))))


def _slices_text(asked: PlanRequest, tried: PlanRequest) -> str:
    return "in short turns" if tried.order != asked.order else ""


def _rows_text(asked: PlanRequest, tried: PlanRequest) -> str:
    return f"on {tried.rows:,} rows a table" if tried.rows != asked.rows else ""


def _steps(request: PlanRequest, catalog: Catalog) -> Iterator[tuple[str, ...]]:
    """The steps to try: all, then the first of each group of tests; a person's stay."""
    yield request.steps
    if not request.steps and (kept := _one_of_each_group(request, catalog)):
        yield kept


def _one_of_each_group(request: PlanRequest, catalog: Catalog) -> tuple[str, ...]:
    """The first test of each group, what waits or warms up, and what is profiled; empty if those are all."""
    steps, groups, kept = catalog.sequence(request.sequence).steps, set(), []
    for step in steps:
        group = _group(step, catalog)
        if not group or group not in groups or step.name in request.profile:
            kept.append(step.name)
            groups.add(group)
    return tuple(kept) if len(kept) < len(steps) else ()


def _group(step: SequenceStep, catalog: Catalog) -> str:
    """The group of a test; '' of a step that measures nothing, or prepares others."""
    workload = catalog.workload(step.main_workload) if step.main_workload else None
    is_test = workload and workload.kind not in PREPARING and not step.warm
    return workload.group if workload and is_test else ""


def _text(
    asked: PlanRequest,
    found: PlanRequest,
    plan: Plan,
    estimate: PlanEstimate,
    limit_s: float,
    catalog: Catalog,
) -> str:
    left_out = _left_out(asked, found, catalog)
    is_chosen = found.seconds != asked.seconds and any(step.seconds == found.seconds for step in plan.steps)
    lengths = f"{found.seconds} s a step" if is_chosen else ""
    without = f"without {first_texts(left_out)} (one test of each kind stays)" if left_out else ""
    turns = _slices_text(asked, found)
    chosen = ", ".join(filter(None, (f"{lengths} {turns}".strip(), _rows_text(asked, found), without)))
    needed = seconds_text(_needed_s(plan, estimate))
    text = f"{_rounds_text(plan)} take about {needed} of {seconds_text(limit_s)}"
    return f"Dyno chose {chosen}: {text}" if chosen else text


def _left_out(asked: PlanRequest, found: PlanRequest, catalog: Catalog) -> list[str]:
    if found.steps == asked.steps:
        return []
    return [step.name for step in catalog.sequence(asked.sequence).steps if step.name not in found.steps]
