"""Plans that count instructions, of any contenders: `dyno work`, *Count the work* on Bench and Compare."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from app.catalog import Catalog
from app.catalog.counting import COUNTED, counted_sequence_name
from app.core.errors import InputError
from app.history.lists.sessions import find_all
from app.history.steps.figures import plans_by_session
from app.planner.request.request import PlanRequest
from app.planner.resolve.steps import why_not_counted
from app.protocol.plan import COUNT

from .again import check_can_run_again, contenders_of_sessions, request_again, swept_variable

if TYPE_CHECKING:
    from app.history.store.history import History

STARTS = 3  # of each server: how far they are apart is all the noise there is
_LACKING = "no server to count"  # of a session that was imported
_STAYS = ("name", "target", "contenders", "vary", "allow_busy", "allow_small_disk")


def count_request(request: PlanRequest, workload: str = "") -> PlanRequest:
    """A request that counts the contenders of another one: one workload, else those of `work`."""
    kept = {name: getattr(request, name) for name in _STAYS}
    return PlanRequest(**kept, sequence=counted_sequence_name(workload), repeats=STARTS)


def count_of_sessions(
    history: History, references: Sequence[str], step: str = "", catalog: Catalog | None = None
) -> tuple[PlanRequest, str]:
    """The request that counts the contenders of sessions in the workload of a step, and what to know of it.

    A workload that cannot be counted gives way to those of the sequence `work`.
    """
    ids = find_all(history, references)
    with history.reading():
        plans = plans_by_session(history, ids)
    first = next(iter(plans.values()))
    for id_, plan in plans.items():
        check_can_run_again(id_, plan, first, _LACKING)
    asked = PlanRequest(
        target=first.target,
        contenders=contenders_of_sessions(plans),
        vary=swept_variable(first),
    )
    workload = next((each.workload for each in first.steps if step in (each.name, each.label)), "")
    why = _why_not(workload, catalog or Catalog()) if workload else ""
    remark = f"{why}: all steps of {COUNTED} are set up." if why else ""
    return count_request(asked, "" if why else workload), remark


def counted_step_of_session(history: History, reference: str, step: str) -> tuple[PlanRequest, str]:
    """The request that counts a step of a session, and the name of the step in it.

    A step that is counted already stays as it is; of any other its workload is counted.
    """
    (id_,) = find_all(history, [reference])
    (plan,) = plans_by_session(history, [id_]).values()
    check_can_run_again(id_, plan, plan, _LACKING)
    found = next((each for each in plan.steps if step in (each.name, each.label)), None)
    if found is None or found.kind == COUNT:
        return request_again(history, [id_]), step
    request = PlanRequest(target=plan.target, sequence=sequence_that_counts(found.workload, Catalog()))
    return request, found.workload


def with_counted_step(request: PlanRequest, step: str, catalog: Catalog) -> PlanRequest:
    """The request with a step of `work` of this name, else with the workload of this name."""
    name = step.partition(" ")[0]
    is_of_work = any(each.name == name and each.count for each in catalog.sequence(COUNTED).steps)
    sequence = COUNTED if is_of_work else sequence_that_counts(name, catalog)
    return replace(request, sequence=sequence)


def _why_not(workload: str, catalog: Catalog) -> str:
    """Why a workload cannot be counted; '' if it can."""
    try:
        sequence_that_counts(workload, catalog)
    except InputError as error:
        return str(error)
    return ""


def sequence_that_counts(workload: str, catalog: Catalog) -> str:
    """The name of the sequence that counts a workload; raises InputError if none can."""
    if why := why_not_counted(catalog.workload(workload)):
        raise InputError(why)
    return catalog.sequence(counted_sequence_name(workload)).name
