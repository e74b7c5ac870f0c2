"""The row of a plan in the list of sessions: what each column shows of it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from app.core.units import clock_text, count_text, date_text
from app.history.lists.plans import PlanEntry, contenders_rounds_text, states_text
from app.history.lists.studies import is_study
from app.protocol.states import GOING_ON, reason_text

from .session_columns import VERDICT, SessionListCell, SessionListColumn


def _listed(values: Sequence[str]) -> str:
    return ", ".join(filter(None, values))


# by the order of the column; the others are empty
_TEXTS: dict[str, Callable[[PlanEntry], str]] = {
    "state": states_text,
    "contender": contenders_rounds_text,
    "build": lambda plan: _listed(plan["builds"]),
    "engine": lambda plan: _listed(plan["engines"]),
    "preset": lambda plan: _listed(plan["presets"]),
    "target": lambda plan: plan["target"],
    "sequence": lambda plan: plan["sequence"],
    "date": lambda plan: date_text(plan["at"]),
    "tags": lambda plan: _listed(plan["tags"]),
}


def plan_row_cells(
    plan: PlanEntry, fitting: int, shown: Sequence[SessionListColumn], verdict: str = ""
) -> list[SessionListCell]:
    """The cells of a plan by column; `fitting` of its sessions match the filter."""
    return [
        SessionListCell(
            verdict if at == VERDICT else _text(plan, fitting, column),
            _tone(plan) if column.order == "state" else "",
            False,
            None,
        )
        for at, column in enumerate(shown)
    ]


def plan_tip(plan: PlanEntry, column: SessionListColumn) -> str:
    """Details for the tooltip."""
    if column.order == "name" and is_study(plan["id"]):
        return plan["name"]
    return _listed(plan["contenders"]) if column.order == "contender" else ""


def plan_title_with_count(plan: PlanEntry, fitting: int) -> str:
    """`duel, 14:35 (8)` of today, `duel, Wed 14:35 (3 of 8)` where the filter hides some of its sessions."""
    here = plan["sessions"]
    count = f"({fitting} of {here})" if fitting < here else f"({here})"
    if is_study(plan["id"]):
        who, _, article = plan["name"].partition(": ")
        return f"{who} {count}: {article}" if article else f"{who} {count}"
    return f"{plan['name']}, {clock_text(plan['at'], time.time())} {count}"


def plan_text(plan: PlanEntry, fitting: int, verdict: Sequence[str] = ()) -> str:
    """What it measured and its progress, in lines."""
    hidden = f"; the filter hides {plan['sessions'] - fitting}" if fitting < plan["sessions"] else ""
    return "\n".join(
        (
            f"{plan['sequence']} on {plan['target']}, {date_text(plan['at'])}",
            f"{_listed(plan['contenders'])}: {_repeats(plan)}",
            f"{count_text(plan['sessions'], 'session')}: {states_text(plan)}{_ending(plan)}{hidden}",
            *verdict,
            "Compare, report, tag, note, export or delete them together",
        )
    )


def _ending(plan: PlanEntry) -> str:
    return f" ({reason_text(plan['ending'], rounds=plan['repeats'])})" if plan["ending"] else ""


def _repeats(plan: PlanEntry) -> str:
    most = "up to " if plan["until_decided"] else ""
    return f"{most}{count_text(plan['repeats'], 'repeat')}"


def _text(plan: PlanEntry, fitting: int, column: SessionListColumn) -> str:
    if column.order == "name":
        return plan_title_with_count(plan, fitting)
    text = _TEXTS.get(column.order)
    return text(plan) if text else ""


def _tone(plan: PlanEntry) -> str:
    """The colour of the most serious state."""
    states = plan["states"]
    if any(states.get(word) for word in ("failed", "lost")):
        return "bad"
    if plan["failed_steps"] or "stopped" in states:
        return "warn"
    return "accent" if any(word in states for word in GOING_ON) else ""
