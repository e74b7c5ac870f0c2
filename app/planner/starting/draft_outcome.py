"""What comes of a draft: its plan with time, disk and checks, or why there is none."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from app.catalog import Catalog, UnapprovedLuaError
from app.core.errors import InputError
from app.history.machines.measured import MachineHistory
from app.planner.checks.checks import check_plan
from app.planner.estimate.estimate import UNKNOWN, PlanEstimate
from app.planner.kinds.canary import estimated_with_canary
from app.planner.kinds.chosen import FittedRequest, fitted
from app.planner.request.request import PlanRequest
from app.planner.resolve.resolve import resolve_before_approval
from app.protocol.answers import FAIL, Check, Survey
from app.protocol.plan import Plan

from .choices import lacking
from .draft import Draft, seconds_until_end


@dataclass(frozen=True)
class Problem:
    """Why there is no plan: a line, and its field if any (`rows`, `contenders.0.cores`)."""

    text: str
    field: str = ""


@dataclass(frozen=True)
class DraftOutcome:
    """The plan of a draft with estimate and checks, or why there is none."""

    draft: Draft
    problem: Problem | None = None
    request: PlanRequest | None = None  # that of the draft with what Dyno chose to end in time
    chosen: str = ""  # in words
    plan: Plan | None = None
    estimate: PlanEstimate | None = None
    checks: tuple[Check, ...] = ()
    unapproved: tuple[UnapprovedLuaError, ...] = ()
    lacking: tuple[str, ...] = ()  # sequence, builds and presets that are not there

    @property
    def obstacle(self) -> str:
        """Why it cannot run, in one line; '' if it can."""
        if self.problem:
            return self.problem.text
        if self.unapproved:
            return (
                f"read and approve the workload {self.unapproved[0].workload.name}: it does not come"
                " with Dyno"
            )
        failed = next((check for check in self.checks if check.state == FAIL), None)
        return f"{failed.name}: {failed.text}; {failed.todo}" if failed else ""


def outcome(
    draft: Draft,
    survey: Survey,
    catalog: Catalog,
    approved: Iterable[str],
    known: Callable[[str], MachineHistory] = lambda _: UNKNOWN,
) -> DraftOutcome:
    """Everything known before a start; `known`: of a machine, by its key."""
    problem = _first_problem(draft)
    if problem:
        return DraftOutcome(draft, problem)
    try:
        found_request = request_in_time(draft, survey, catalog, known)
        plan, unapproved = resolve_before_approval(found_request.request, survey, catalog, approved)
    except InputError as error:
        lacks = tuple(lacking(draft.request, survey, catalog))
        return DraftOutcome(draft, Problem(error.window_text or str(error), error.field), lacking=lacks)
    plan, found = estimated_with_canary(plan, survey, known(plan.machine_key))
    checks = tuple(check_plan(plan, survey, found, draft.request.allow_small_disk))
    return DraftOutcome(
        draft,
        request=found_request.request,
        chosen=found_request.text,
        plan=plan,
        estimate=found,
        checks=checks,
        unapproved=tuple(unapproved),
    )


def request_in_time(
    draft: Draft,
    survey: Survey,
    catalog: Catalog,
    known: Callable[[str], MachineHistory] = lambda _: UNKNOWN,
    in_s: float = 0.0,
) -> FittedRequest:
    """The request of a draft, with what Dyno chooses so that it ends in time; `in_s`: it starts later."""
    request = draft.request
    if not (draft.is_fitted and request.time_limit):
        return FittedRequest(request, "")
    if draft.by:
        start = datetime.now() + timedelta(seconds=in_s)
        request = replace(request, time_limit=seconds_until_end(draft.by, start))
    return fitted(request, request.time_limit, survey, catalog, known)


def _first_problem(draft: Draft) -> Problem | None:
    for name, unread in draft.unread.items():
        return Problem(unread.problem, name)
    for at, each in enumerate(draft.request.contenders):
        key, why = each.problem()
        if key:
            return Problem(f"contender {at + 1}: {key.replace('_', ' ')} {why}", f"contenders.{at}.{key}")
    if not draft.request.contenders:
        return Problem("choose at least one contender", "contenders")
    return None


def contender_colours(plan: Plan, known: Mapping[str, int], palette: int) -> list[int]:
    """The colour of each contender: from the history, or the next free one."""
    given = dict(known)
    for turn in plan.turns:
        given.setdefault(plan.contender_of(turn).key, len(given) % palette)
    return [given[each.key] for each in plan.contenders]
