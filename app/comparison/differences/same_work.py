"""Whether columns did the same work in a step: the rows of an event, and the plans of its statements."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from statistics import median

from app.comparison.cells.cell import MORE_WORK, OTHER_RESULTS, Caveat, DifferingStatementPlans
from app.core.names import short_names
from app.core.units import figure_text
from app.history.steps.step_work import THEN, WorkEntry, execution_plan_entries, work_entries
from app.history.store.history import History
from app.protocol.work import RESULTS, WHAT, WORDS

_TITLES = {OTHER_RESULTS: "not the same work", MORE_WORK: "more work for the same answers"}
DISAGREE = 1.2  # times the rows of another column
LITTLE = 0.1  # rows of an event that do not matter

Count = tuple[float, float, float]  # found, and the bounds of its own way of counting
Work = Mapping[str, Mapping[str, Count]]  # by the label of a step, by WHAT
Plans = dict[tuple[str, str], str]  # by the label of a step, and a statement


def rows_per_event_of(history: History, sessions: Sequence[str]) -> Work:
    """The rows per event in each step of a column: medians of its sessions."""
    entries: dict[str, list[WorkEntry]] = {}
    for session in sessions:
        for entry in work_entries(history, session):
            entries.setdefault(entry["step"], []).append(entry)
    return {
        label: {what: each for what in WHAT if (each := _median(found, what))}
        for label, found in entries.items()
    }


def _median(entries: Sequence[WorkEntry], what: str) -> Count | None:
    known = [value for each in entries if (value := each["found"].get(what)) is not None]
    bounds = entries[0]["expected"].get(what, [])
    return (median(known), bounds[0], bounds[1]) if known and len(bounds) == 2 else None


def work_disagreements(columns: Sequence[Work], label: str) -> Iterator[tuple[str, list[float | None]]]:
    """What columns did differently in a step, by WHAT, with the rows of each; None if not counted."""
    for what in WHAT:
        known = [each.get(label, {}).get(what) for each in columns]
        if _disagree([each for each in known if each], what):
            yield what, [each and each[0] for each in known]


def rows_per_event_label(what: str) -> str:
    return f"rows {WORDS[what]} per event"


def _disagree(known: Sequence[Count], what: str) -> bool:
    """Whether counts disagree: clients all count alike, servers count reads and sorts each in their way."""
    if what in ("returned", "changed"):
        found = sorted(each[0] for each in known)
        return len(found) > 1 and found[-1] > max(DISAGREE * found[0], found[0] + LITTLE)
    shares = [(found / high, found / low) for found, low, high in known if low > 0 and high > 0]
    return len(shares) > 1 and max(low for low, _ in shares) > DISAGREE * min(high for _, high in shares)


def other_work_warnings(columns: Sequence[Work], names: Sequence[str]) -> list[Caveat]:
    """One for each step in which columns did other work: shown before any figure."""
    found, shorts = [], short_names(names).names
    for label in dict.fromkeys(label for each in columns for label in each):
        its = dict(work_disagreements(columns, label))
        kind = OTHER_RESULTS if any(what in RESULTS for what in its) else MORE_WORK
        for what, rows in its.items():
            known = zip(shorts, rows, strict=True)
            who = ", ".join(f"{figure_text(each)} in {name}" for name, each in known if each is not None)
            found.append(
                Caveat(f"{_TITLES[kind]}: {label}: {rows_per_event_label(what)}: {who}", kind, label)
            )
    return found


def step_execution_plans(history: History, session: str) -> Plans:
    """The execution plans of each step, with ? in place of keys."""
    return {
        (each["step"], _without_keys(each["statement"])): each["access"]
        for each in execution_plan_entries(history, session)
        if each["access"]
    }


def _without_keys(statement: str) -> str:
    return re.sub(r"\(\?(,\?)+\)", "(?, ...)", re.sub(r"\b\d+\b", "?", statement))


def differing_execution_plans(sessions: Sequence[Plans]) -> Iterator[DifferingStatementPlans]:
    """Statements whose plans differ between columns, or within one."""
    for label, statement in dict.fromkeys(key for each in sessions for key in each):
        values = [each.get((label, statement)) for each in sessions]
        known = {each for each in values if each}
        if len(known) > 1 or any(THEN in each for each in known):
            yield DifferingStatementPlans(label, statement, values)
