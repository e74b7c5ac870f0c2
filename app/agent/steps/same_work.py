"""Checks that a step does the work of its workload: row estimates, execution plans, rows per event."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, NamedTuple, Optional

from app.agent.server.mysql import QueryError
from app.protocol.plan import QUERYING
from app.protocol.step_parts import Totals
from app.protocol.work import (
    RESULTS,
    WHAT,
    WORDS,
    Bounds,
    Statement,
    explain_access_text,
    rows_of,
    rows_per_event_bounds,
    statements_of,
)

from .analyse import DOUBTFUL, ONE_INDEX, read_estimate, untrusted_estimate_reason
from .facts import rows_of_explain

if TYPE_CHECKING:
    from app.protocol.plan import Step

    from .facts import SessionFactsWriter
    from .running import RunningSession

NO_STATISTICS, OTHER_WORK, OTHER_READS = "no-statistics", "other-work", "other-reads"
CHANGED_PLAN = "changed-plan"
OFF = 0.1  # of the rows: how far an estimate may be off
FAR = 0.2  # of what an event must do: how far a step may be off
FEW_ROWS = 100  # that no plan depends on
FEW_EVENTS = 50  # of which nothing can be said
FEW = 0.5  # rows of an event that servers count for themselves
STATUS_ROWS = 1500  # that a second of watching costs a server that counts calls
BY_SERVER = ("read", "sorted")  # a client counts the others
_FORCED = re.compile(r" FORCE INDEX \((\w+)\)")
_BY_KEY = ("const", "eq_ref", "ref", "range")


class SameWork:
    """Checks one step that reads or changes the tables."""

    def __init__(self, session: RunningSession, facts: SessionFactsWriter, step: Step) -> None:
        self._session = session
        self._facts = facts
        self._step = step
        self._rows = session.write_accounting.rows_in_tables
        self._statements = statements_of(step, session.plan) if step.kind in QUERYING else []
        self._explained = [each for each in self._statements if each.has_plan]
        self._estimate: Optional[int] = None
        self._plans: List[Any] = []

    def begin(self) -> None:
        """Before the first statement: read the server's estimate and its plans."""
        if self._step.kind not in QUERYING:
            return
        try:
            self._estimate = read_estimate(self._session.server.client)
            self._plans = self._explain()
        except QueryError as error:
            self._session.journal.log(
                "cannot read the execution plans of {}: {}".format(self._step.label, error)
            )

    def end(self, totals: Totals, spent: Mapping[str, Optional[float]], seconds: float) -> List[str]:
        """After the step: write the facts, return the marks."""
        if self._step.kind not in QUERYING:
            return []
        wrong = self._other_work(totals, spent, seconds) if self._step.kind == "drive" else {}
        plans = self._explain()
        if wrong:
            self._session.journal.log(
                "{}: {}".format(
                    self._step.label, "; ".join([*wrong.values(), *_worst(self._explained, plans)])
                )
            )
        self._facts.write_plans(self._step, _both(self._explained, self._plans, plans))
        return [*self._marks_of_estimate(plans), *marks_of_work(wrong), *_changed(self._plans, plans)]

    def _marks_of_estimate(self, plans: List[Any]) -> List[str]:
        """Marks for the row estimate at the start of the step, compared with the rows in the tables."""
        self._facts.write_estimate(self._step, {"rows": self._rows, "estimate": self._estimate})
        marks = [NO_STATISTICS] if is_off(self._estimate, self._rows) else []
        if self._session.has_statistics and not untrusted_estimate_reason(self._estimate, self._rows):
            return marks
        return [*marks, ONE_INDEX if self._have_one_index(plans) else DOUBTFUL]

    def _have_one_index(self, plans: List[Any]) -> bool:
        """Whether each statement was carried out by the only index that it has, from begin to end."""
        if not self._statements or not len(self._explained) == len(self._plans) == len(plans):
            return False
        both = [*zip(self._explained, self._plans), *zip(self._explained, plans)]
        return all(has_one_index(statement.text, plan) for statement, plan in both)

    def _explain(self) -> List[Any]:
        client = self._session.server.client
        return [rows_of_explain(client, each.text) for each in self._explained]

    def _other_work(
        self, totals: Totals, spent: Mapping[str, Optional[float]], seconds: float
    ) -> Dict[str, str]:
        """What an event did beyond its bounds; {} if nothing, or if this cannot be known."""
        events = int(totals.events or 0)
        if not self._statements or events < FEW_EVENTS:
            return {}
        is_shared = self._step.role or self._session.contender.is_existing  # with roles, with other clients
        spent = {} if is_shared else spent
        calls = self._session.sampler.counts_calls
        bounds, found = rows_per_event_bounds(self._statements, calls), rows_per_event(totals, spent, events)
        watched = STATUS_ROWS * (seconds + 2) / events if calls else 0.0
        wrong = beyond(found, bounds, self._room(int(totals.errors or 0) / events, watched))
        expected = {what: list(bounds[what]) for what in WHAT}
        self._facts.write_work(
            self._step,
            {
                "found": found,
                "expected": expected,
                "problem": "; ".join(wrong.values()),
                "wrong": [*wrong],
            },
        )
        return wrong

    def _room(self, errors: float, watched: float) -> RowTolerance:
        """The tolerance for inserted, deleted and repeated events."""
        loaded = self._session.plan.tables * rows_of(self._step, self._session.plan)
        least, most = sorted((self._rows, self._session.write_accounting.rows_in_tables))
        return RowTolerance(min(1.0, least / loaded), max(1.0, most / loaded) * (1 + errors), watched)


def is_off(estimate: Optional[int], rows: int) -> bool:
    """Whether the row estimate is far enough off to mark the step."""
    return estimate is None or abs(estimate - rows) > max(OFF * rows, FEW_ROWS)


class RowTolerance(NamedTuple):
    """Tolerance of the rows of an event, for reasons other than its execution plan."""

    least: float = 1.0  # times the lower bound
    most: float = 1.0  # times the upper one
    watched: float = 0.0  # rows that the agent has read by asking


def marks_of_work(wrong: Mapping[str, str]) -> List[str]:
    """Marks for rows beyond their bounds: other results are other work, the rest is how a server works."""
    marks = [OTHER_WORK] if any(what in RESULTS for what in wrong) else []
    return [*marks, OTHER_READS] if any(what not in RESULTS for what in wrong) else marks


def _changed(begin: List[Any], end: List[Any]) -> List[str]:
    """The mark of a step within which a statement changed its plan, where both plans are known."""
    pairs = ((explain_access_text(first), explain_access_text(last)) for first, last in zip(begin, end))
    return [CHANGED_PLAN] if any(first and last and first != last for first, last in pairs) else []


def beyond(
    found: Mapping[str, Optional[float]], bounds: Mapping[str, Bounds], room: RowTolerance
) -> Dict[str, str]:
    """What an event did too much or too little of, in words, by WHAT."""
    wrong = {}
    for what in WHAT:
        value, (low, high) = found[what], bounds[what]
        most = (1 + FAR) * room.most * high + (FEW + room.watched if what in BY_SERVER else 0.0)
        if value is not None and not (1 - FAR) * room.least * low <= value <= most:
            expected = _text(bounds[what])
            wrong[what] = "{:,.1f} rows {} per event, {} expected".format(value, WORDS[what], expected)
    return wrong


def rows_per_event(
    totals: Totals, spent: Mapping[str, Optional[float]], events: int
) -> Dict[str, Optional[float]]:
    """Rows by WHAT; None where they are not counted."""
    rows = totals.rows or {}
    counts = {
        "read": spent.get("rows_read"),
        "returned": rows.get("read"),
        "changed": sum(int(rows.get(each, 0)) for each in ("inserted", "updated", "deleted")),
        "sorted": spent.get("rows_sorted"),
    }
    return {name: None if count is None else round(count / events, 4) for name, count in counts.items()}


def _text(bounds: Bounds) -> str:
    low, high = ("{:,.1f}".format(each) for each in bounds)
    return low if low == high else "{} to {}".format(low, high)


def _both(statements: List[Statement], begin: List[Any], end: List[Any]) -> List[Dict[str, Any]]:
    """The execution plan of each statement; `end` only if it differs from `begin`."""
    begin = begin or [[] for _ in statements]
    return [
        {
            "statement": each.text,
            "begin": first,
            **({} if explain_access_text(first) == explain_access_text(last) else {"end": last}),
        }
        for each, first, last in zip(statements, begin, end)
    ]


def has_one_index(statement: str, plan: List[Any]) -> bool:
    """Whether it finds rows by the index that its text forces, or by the primary key and knows no other."""
    forced = _FORCED.search(statement)
    key = forced.group(1) if forced else "PRIMARY"
    return bool(plan) and all(
        (row.get("key"), row.get("possible_keys")) == (key, key) and row.get("type") in _BY_KEY
        for row in plan
    )


def _worst(statements: List[Statement], plans: List[Any]) -> List[str]:
    """The statement whose execution plan has the most rows."""
    sizes = [sum(_number(row.get("rows")) for row in rows) for rows in plans]
    if not sizes:
        return []
    at = sizes.index(max(sizes))
    return ["{}: {}, {:,} rows".format(statements[at].text[:200], explain_access_text(plans[at]), sizes[at])]


def _number(value: Any) -> int:
    return int(value) if str(value).isdigit() else 0
