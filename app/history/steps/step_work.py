"""The rows per event of each step, and the execution plans of its statements, as the agent stored them."""

from __future__ import annotations

from typing import TypedDict

from app.history.store.history import History
from app.protocol.work import explain_access_text

from .figures import facts

LONGEST = 500  # characters of a statement or its plan: a journal may hold anything
THEN = ", then "  # between the plans of a step whose begin and end had others


class WorkEntry(TypedDict):
    """The rows per event of a step, by what was done with them."""

    step: str
    found: dict[str, float | None]
    expected: dict[str, list[float]]  # the least and the most, as this server counts


class ExecutionPlanEntry(TypedDict):
    """The execution plan of a statement of a step."""

    step: str
    statement: str
    access: str  # '' where the server does not say


def work_entries(history: History, session: str) -> list[WorkEntry]:
    return [
        {"step": fact["when"], "found": fact["value"]["found"], "expected": fact["value"]["expected"]}
        for fact in facts(history, session, "work")
    ]


def execution_plan_entries(history: History, session: str) -> list[ExecutionPlanEntry]:
    return [
        {"step": fact["when"], "statement": each["statement"][:LONGEST], "access": _access(each)[:LONGEST]}
        for fact in facts(history, session, "plans")
        for each in fact["value"]
    ]


def _access(plan: dict[str, list[dict[str, object]]]) -> str:
    begin = explain_access_text(plan["begin"])
    return f"{begin}{THEN}{explain_access_text(plan['end'])}" if "end" in plan else begin
