"""What Dyno chooses for a plan: of one that names only builds, and of one that has to end in time."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace

from app.catalog import Catalog, SequenceStep
from app.core.errors import InputError
from app.core.units import count_text, first_texts, seconds_text
from app.history.machines.measured import MachineHistory
from app.planner.estimate.estimate import UNKNOWN, PlanEstimate
from app.planner.request.contender import ContenderRequest
from app.planner.request.request import PlanRequest
from app.planner.resolve.resolve import SECONDS, machine_key, resolve_before_approval
from app.protocol.answers import Survey
from app.protocol.plan import PREPARING, UNTIL_DECIDED, Plan
from app.stats.at_target.verdicts import LEAST

from .canary import estimated_with_canary

SEQUENCE = "quick"  # where a person names only builds
LENGTHS = (60, 45, 30, 20, 15, 10)  # seconds of a step
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
    each = f"{count_text(threads, 'thread')} (the target has {count_text(threads, 'CPU')})" if threads else ""
    sequence = f"the sequence {now.sequence}" if now.sequence != before.sequence else ""
    repeats = f"repeats {now.repeats}" if now.repeats != before.repeats else ""
    parts = [*filter(None, (sequence, repeats, each))]
    return f"Dyno chose {', '.join(parts)}" if parts else ""


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
) -> FittedRequest:
    """The longest steps that end in time, of all tests or of one of each group; else InputError.

    `known`: of a machine, by its key; `is_fixed`: the work may not change.
    """
    machine = known(machine_key(survey))
    tries = [request] if is_fixed else _tries(request, catalog)
    for tried in tries:
        plan, _ = resolve_before_approval(tried, survey, catalog)
        plan, estimate = estimated_with_canary(plan, survey, machine)
        if _needed_s(plan, estimate) <= limit_s:
            return FittedRequest(tried, _text(request, tried, plan, estimate, limit_s, catalog))
    raise InputError(
        f"{seconds_text(limit_s)} is too short: {_rounds_text(plan)} of {_least_text(plan)} take about"
        f" {seconds_text(_needed_s(plan, estimate))}: give it more time, or less work (rows, steps, seconds)",
        "time_limit",
    )


def _tries(request: PlanRequest, catalog: Catalog) -> Iterator[PlanRequest]:
    for steps in _steps(request, catalog):
        for seconds in _lengths(request, catalog):
            yield replace(request, steps=steps, seconds=seconds)


def _needed_s(plan: Plan, estimate: PlanEstimate) -> float:
    """Seconds of the rounds that have to end in time; without a decision those of the whole plan."""
    return estimate.fewest_s / LEAST * ROUNDS if plan.until_decided else estimate.seconds


def _rounds_text(plan: Plan) -> str:
    return f"{ROUNDS} rounds" if plan.until_decided else count_text(len(plan.first_turns), "session")


def _least_text(plan: Plan) -> str:
    timed = [step.seconds for step in plan.steps if step.seconds]
    lengths = f" of {timed[0]} s" if len(set(timed)) == 1 else ""
    return count_text(len(timed), "timed step") + lengths if timed else count_text(len(plan.steps), "step")


def _lengths(request: PlanRequest, catalog: Catalog) -> Iterator[int | None]:
    """The seconds of a step to try: none longer than the sequence says; a person's stay."""
    if request.seconds:
        yield request.seconds
        return
    own = catalog.sequence(request.sequence).seconds
    yield own or SECONDS
    yield from (each for each in LENGTHS if each < (own or SECONDS))


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
    workload = catalog.workload(step.workload) if step.workload else None
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
    without = f"without {first_texts(left_out)} (one test of each group stays)" if left_out else ""
    chosen = ", ".join(filter(None, (lengths, without)))
    needed = seconds_text(_needed_s(plan, estimate))
    text = f"{_rounds_text(plan)} take about {needed} of {seconds_text(limit_s)}"
    return f"Dyno chose {chosen}: {text}" if chosen else text


def _left_out(asked: PlanRequest, found: PlanRequest, catalog: Catalog) -> list[str]:
    if found.steps == asked.steps:
        return []
    return [step.name for step in catalog.sequence(asked.sequence).steps if step.name not in found.steps]
