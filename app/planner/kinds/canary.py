"""The canaries of a plan: the same short work before each session, on a small server that stays the same."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from app.engines import FIRST
from app.history.machines.measured import MachineHistory
from app.planner.estimate.estimate import UNKNOWN, PlanEstimate, estimate
from app.planner.resolve.contenders import contender_of
from app.protocol.answers import Build, Survey
from app.protocol.plan import SLICES, Contender, Plan
from app.stats.at_target.verdicts import LEAST

CANARY_S = 20  # that it takes: made, started, measured, gone
LONG_S = 600  # plans that take longer have one
CNF = "\n".join(
    (
        "[mysqld]",
        "loose_skip_log_bin",
        "loose_innodb_buffer_pool_size=64M",
        "loose_innodb_flush_log_at_trx_commit=1",
        "loose_performance_schema=OFF",
        "",
    )
)
_SYSTEM = "/usr"  # the build that the target's own packages brought: it changes least


def estimated_with_canary(
    plan: Plan, survey: Survey, known: MachineHistory = UNKNOWN
) -> tuple[Plan, PlanEstimate]:
    """The plan with its estimate, and with a canary where it is long enough and a build can be one.

    In slices all contenders of a round meet the machine as it is at that time, and counts are of no time. A
    server that runs already is its own canary.
    """
    found = estimate(plan, survey, known)
    if plan.on_loop:
        plan = replace(plan, loop_bytes=max(each.session_bytes for each in found.contenders))
    if found.seconds <= LONG_S or plan.order == SLICES or plan.counts:
        return plan, found
    measured = replace(plan, canary=[*_of_builds(plan, survey), *_of_servers(plan)])
    begins = [turn.attempt for turn in plan.turns if measured.canary_of(plan.contender_of(turn))]
    turns = begins.count(1)
    if not turns:
        return plan, found
    longer = replace(
        found,
        seconds=found.seconds + CANARY_S * turns,
        canary_s=CANARY_S * turns,
        fewest_s=found.fewest_s and found.fewest_s + CANARY_S * LEAST * len(plan.contenders),
        repeating_s=found.repeating_s + CANARY_S * (len(begins) - turns),
    )
    return measured, longer


def _of_builds(plan: Plan, survey: Survey) -> Iterator[Contender]:
    named = [each.build for each in plan.started_contenders]
    if named and (build := canary_build(survey, named)):
        yield contender_of(build, "canary", FIRST.name, "", CNF)


def _of_servers(plan: Plan) -> Iterator[Contender]:
    """Not where the rate is bounded, as a canary is a rate, nor of replicas: it would be their primary's."""
    there = (each for each in plan.contenders if each.is_existing)
    return (each for each in there if not each.max_queries and not each.is_replica)


def canary_build(survey: Survey, named: Sequence[str] = ()) -> Build | None:
    """The build for the canary: the system's, else one of the plan; None if none can start."""
    fitting = [build for build in survey.builds if build.has(FIRST.name)]
    fitting.sort(key=lambda build: (build.base != _SYSTEM, build.name not in named, build.name))
    return next(iter(fitting), None)
