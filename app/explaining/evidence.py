"""The rounds that the history has of a pair and its work, of any plan."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import log
from typing import TYPE_CHECKING

from app.comparison.answers.losses import losses_of
from app.comparison.cells.cell import Comparison, Row
from app.comparison.cells.labels import row_label
from app.comparison.verdicts.compare import compare
from app.comparison.verdicts.disturbing import AS_PLANNED, GivenDisturbanceLimits
from app.comparison.verdicts.judgement import UNJUDGED
from app.history.lists.plans import plan_ids_of_work
from app.history.lists.sessions import SessionEntry, sessions
from app.history.steps.figures import plans_by_session

from .lost_commits import Try
from .squares import Group, Round

if TYPE_CHECKING:
    from app.history.store.history import History
    from app.protocol.plan import Contender, Plan

    GroupOf = Callable[[Contender], Group | None]


@dataclass(frozen=True)
class MeasuredRounds:
    """What has been measured."""

    rounds: tuple[Round, ...] = ()
    plans: tuple[str, ...] = ()
    seconds: float = 0.0  # that plans of the same kind of search took
    their_rounds: int = 0  # that these plans had
    unit: str = ""
    direction: str = ""
    losing: tuple[Try, ...] = ()  # of a step with a ledger


@dataclass(frozen=True)
class SameWorkKey:
    """What all rounds must have done."""

    step: str  # with its coordinates
    work_key: str
    machine_key: str


def measured_rounds_of_work(
    history: History,
    group_of: GroupOf,
    work: SameWorkKey,
    prefix: str,
    allowed: GivenDisturbanceLimits = AS_PLANNED,
) -> MeasuredRounds:
    """The rounds of all plans of the same work that have two contenders or more with a group.

    `prefix`: how the names of the plans of this kind of search begin.
    """
    found = [
        _of_plan(history, group_of, work, plan, prefix, allowed)
        for plan in plan_ids_of_work(history, work.work_key, work.machine_key)
    ]
    there = [each for each in found if each.plans]
    return MeasuredRounds(
        tuple(each for one in there for each in one.rounds),
        tuple(each for one in there for each in one.plans),
        sum(each.seconds for each in there),
        sum(each.their_rounds for each in there),
        next((each.unit for each in there if each.unit), ""),
        next((each.direction for each in there if each.unit), ""),
        tuple(each for one in there for each in one.losing),
    )


def _of_plan(
    history: History,
    group_of: GroupOf,
    work: SameWorkKey,
    plan_id: str,
    prefix: str,
    allowed: GivenDisturbanceLimits,
) -> MeasuredRounds:
    entries = sessions(history, plan=plan_id)
    plan = plans_by_session(history, [entries[0]["id"]])[entries[0]["id"]]
    groups = {at: group_of(each) for at, each in enumerate(plan.contenders)}
    ours = [each for each in entries if groups[plan.turn_of(each["id"]).contender] is not None]
    begun = [each for each in ours if each["started_at"]]
    if len({plan.turn_of(each["id"]).contender for each in begun}) < 2:
        return MeasuredRounds()
    found = compare(history, [each["id"] for each in begun], allowed=allowed)
    row = next((each for each in found.rows if row_label(each) == work.step), None)
    its_own = plan.name.startswith(prefix)
    return MeasuredRounds(
        tuple(_rounds(found, row, plan, groups)) if row else (),
        (plan_id,),
        _seconds(begun) if its_own else 0.0,
        plan.repeats if its_own else 0,
        row.unit if row else "",
        row.direction if row else "",
        tuple(_losing(found, row, plan, groups)) if row else (),
    )


def _losing(found: Comparison, row: Row, plan: Plan, groups: dict[int, Group | None]) -> Iterator[Try]:
    """The tries of the ledger: a commit that is gone counts whatever the figures are worth."""
    for column, cell in zip(found.columns, row.cells, strict=True):
        group = groups[plan.turn_of(column.ids[0]).contender]
        losses = losses_of(cell)
        if group is not None and losses is not None:
            yield from ((group, gone > 0) for gone in losses.missing)


def _rounds(found: Comparison, row: Row, plan: Plan, groups: dict[int, Group | None]) -> list[Round]:
    """The figures by round; those that Compare would not judge do not count."""
    rounds: dict[int, dict[Group, float]] = {}
    for column, cell in zip(found.columns, row.cells, strict=True):
        if set(cell.marks) & set(UNJUDGED):
            continue
        for id_, value in zip(column.ids, cell.samples, strict=True):
            turn = plan.turn_of(id_)
            group = groups[turn.contender]
            if value and value > 0 and group is not None:
                rounds.setdefault(turn.repeat, {})[group] = log(value)
    return list(rounds.values())


def _seconds(begun: Sequence[SessionEntry]) -> float:
    """From the first start of a plan to its last end."""
    starts = [datetime.fromisoformat(each["started_at"] or "").timestamp() for each in begun]
    ends = [start + (each["seconds"] or 0.0) for start, each in zip(starts, begun, strict=True)]
    return max(ends) - min(starts)
