"""What roles of a step and kinds of its events did: the end of each, and whether it reached its level."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Sequence

from app.agent.sampling.figures import (
    achieved_rate,
    figures_of_total,
    marks_of,
    missed_rate_marks,
    misses_level,
    totals_of,
)
from app.agent.sampling.kinds import total_of_kind
from app.protocol.others import DISTURBED
from app.protocol.plan import LEVEL_MISSED, ROLE_MISSED, Step

if TYPE_CHECKING:
    from app.agent.load.roles import RoleGenerators, RoleLoad

    from .facts import SessionFactsWriter
    from .role_costs import RoleCosts
    from .running import RunningSession


class RolesEnd:
    """The end of a step with roles; the figures of the step itself are those of its first role."""

    def __init__(
        self, session: RunningSession, facts: SessionFactsWriter, index: int, costs: RoleCosts
    ) -> None:
        self._session, self._facts = session, facts
        self._costs = costs
        self._plan = session.plan
        self._indexes = [index, *session.plan.other_roles(index)]
        beside = session.plan.beside(index)
        self._kinds = [at for at in beside if session.plan.steps[at].event_kind]

    @property
    def steps(self) -> List[Step]:
        """The roles of the step, that of its figure first; [] where it has none."""
        return self._plan.roles(self._indexes[0])

    def complete(
        self, ended: Dict[str, Any], load: Optional[RoleGenerators], total: Optional[Mapping[str, Any]]
    ) -> Dict[str, Any]:
        """The end of the step with `beside`: those of its other roles and kinds, by place in the plan."""
        beside = self._indexes[1:]
        loads: Sequence[Optional[RoleLoad]] = load.roles[-len(beside) :] if load else [None] * len(beside)
        others = {at: self._end(at, each, ended) for at, each in zip(beside, loads)}
        ends = {self._indexes[0]: ended, **others}
        missed = [at for at, each in ends.items() if _has_missed(each)]
        for at, each in ends.items():
            if missed:
                mark = LEVEL_MISSED if at in missed else ROLE_MISSED
                each["marks"] = [*each.get("marks", ()), mark]
        by_role = {role.step.role: role.total for role in load.roles} if load else {"": total}
        others.update({at: self._end_of_kind(at, by_role, ended) for at in self._kinds})
        return {**ended, "beside": others} if others else ended

    def _end_of_kind(
        self, at: int, by_role: Mapping[str, Optional[Mapping[str, Any]]], ended: Mapping[str, Any]
    ) -> Dict[str, Any]:
        """The end of a kind of events; its marks are those of its step or role, besides its errors."""
        step = self._plan.steps[at]
        total = total_of_kind(by_role.get(step.role) or {}, step.event_kind)
        common = {name: ended.get(name, "") for name in ("outcome", "reason")}
        if total is None:
            return common
        marks = marks_of(totals_of(total), False, step.threads)
        figures = figures_of_total(step, total, {}, 0)
        return {**common, **figures, "marks": marks, "others": ended.get("others")}

    def _end(self, at: int, load: Optional[RoleLoad], ended: Mapping[str, Any]) -> Dict[str, Any]:
        """The end of another role: by its own total, with what disturbed the whole step."""
        step, total = self._plan.steps[at], load.total if load else None
        common = {name: ended.get(name, "") for name in ("outcome", "reason")}
        if load is None or total is None:
            return common
        if self._plan.steps[self._indexes[0]].is_operation:  # a lost connection is no error of the load
            total = {**total, "errors": max(0, total["errors"] - total["reconnects"])}
        self._count_rows(load, total)
        totals, seconds = totals_of(total), float(total["time_s"])
        schedule = achieved_rate(step, load.behind_s, int(totals.events or 0), seconds)
        spent = self._costs.spent(step.role, int(totals.queries or 0))
        self._facts.write_engine_figures(step, load.statement_times.figures())
        return {
            **common,
            **figures_of_total(step, total, spent, self._plan.tables * self._plan.rows),
            "marks": [
                *marks_of(totals, self._session.crashes > 0, step.threads),
                *missed_rate_marks(schedule, seconds),
                *(mark for mark in ended.get("marks", ()) if mark == DISTURBED),
            ],
            "schedule": schedule,
            "others": ended.get("others"),
        }

    def _count_rows(self, load: RoleLoad, total: Mapping[str, Any]) -> None:
        """Rows that the role added or deleted are in the tables from now on."""
        self._session.write_accounting.count_rows(total.get("rows") or {})
        self._session.write_accounting.count_rows(load.rows)


def _has_missed(ended: Mapping[str, Any]) -> bool:
    is_completed = ended["outcome"] == "completed"
    return is_completed and misses_level(ended.get("schedule"), ended.get("latency_ms", {}))
