"""What an event does: its statements, and the rows that each must read and change.

`workloads/_work.toml` declares it by the Lua file; a plan carries what was declared of the Lua that it carries.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Optional, Tuple

from .plan import Plan, Step

Bounds = Tuple[float, float]  # the least and the most; the same where all is certain
NONE: Bounds = (0.0, 0.0)
ONE: Bounds = (1.0, 1.0)
MOST_KEYS = 10_000  # of a statement that is explained
WHAT = ("read", "returned", "changed", "sorted")  # rows of an event
RESULTS = ("returned", "changed")  # the others are how a server carries the event out
WORDS = {"read": "read", "returned": "sent to the client", "changed": "changed", "sorted": "sorted"}


@dataclass(frozen=True)
class Statement:
    """A statement of an event, with keys from the middle of the first table, as EXPLAIN takes it."""

    text: str
    times: float = 1  # in an event, on average
    read: Bounds = NONE
    returned: Bounds = NONE
    changed: Bounds = NONE
    sorted: Bounds = NONE
    has_plan: bool = True  # an INSERT has no choice
    calls: float = 0.0  # the most that a server counts that counts calls of the handler in place of rows


class DeclaredStatement:
    """A declared statement, with the options of a step: raises ValueError for options that it cannot have."""

    def __init__(self, said: Mapping[str, Any], rows: int, options: Mapping[str, Any]) -> None:
        self._said = said
        self._rows = rows  # of each table, when it was loaded
        self._options = {**said.get("options", {}), **options}

    def statement(self) -> Optional[Statement]:
        """The statement; None if an event with these options does not send it."""
        times = int(self._value("times", 1))
        is_sent = all(self._options.get(name) == value for name, value in self._said.get("when", {}).items())
        if times < 1 or not is_sent:
            return None
        found, calls = self._found(), self._said.get("calls", 0)
        return Statement(
            self._text(),
            times / self._said.get("one_of", 1),
            read=(found[0], found[1] * self._looked_up),
            returned=ONE if "(" in self._columns else self._bounds("returned", found),
            changed=self._bounds("changed", found),
            sorted=self._bounds("sorted", found),
            has_plan=not self._said["text"].startswith("INSERT"),
            calls=calls + self._said.get("calls_per_row", 0) * found[1],
        )

    def _value(self, key: str, otherwise: Any) -> Any:
        """What is declared, or the option that is named there."""
        said = self._said.get(key)
        if said is None:
            return otherwise
        return self._options[said] if isinstance(said, str) else said

    def _count(self, key: str) -> int:
        return int(self._value(key, 0))

    @property
    def _columns(self) -> str:
        return str(self._value("columns", ""))

    @property
    def _is_by_key(self) -> bool:
        """Whether the rows are found by the primary key."""
        return "by" not in self._said or bool(self._value("by", "") == "id")

    @property
    def _looked_up(self) -> int:
        """Rows of a lookup, at most: some engines count the index entry and its row."""
        return 1 if self._is_by_key or self._columns == self._value("by", "") else 2

    def _bounds(self, key: str, found: Bounds) -> Bounds:
        return found if self._said.get(key) == "rows" else _between(self._value(key, 0))

    def _found(self) -> Bounds:
        """The rows that the condition finds."""
        if "keys" in self._said:
            return self._drawn(self._count("keys"))
        if "range" in self._said:
            return self._ranged(self._count("range"))
        return _between(self._said.get("rows", 0))

    def _drawn(self, points: int) -> Bounds:
        """Rows that random keys find: some are drawn twice; of a key in an index there may be several rows."""
        different = self._rows * (1 - (1 - 1 / self._rows) ** points)
        low = different if self._is_uniform else 0.1 * different
        low = float(points) if self._value("same_keys", False) else low
        return (low, float(points)) if self._is_by_key else (0.8 * low, 1.25 * points)

    @property
    def _is_uniform(self) -> bool:
        has_zipf = bool(float(self._options.get("zipf_exponent", 0)))
        return self._options.get("rand_type", "uniform") == "uniform" and not has_zipf

    def _ranged(self, size: int) -> Bounds:
        """Rows of a range: those that begin near the end of the table have fewer."""
        fewer = size * (size - 1) / 2 / self._rows
        return (max(0.0, size - fewer), float(size))

    def _text(self) -> str:
        """The text with keys from the middle of the table."""
        middle = 1 if self._value("first", False) else max(1, self._rows // 2)
        values = {**self._options, "key": middle, "last": middle + self._count("range") - 1}
        if "keys" in self._said:
            values["keys"] = self._listed(self._count("keys"))
        return re.sub(r"\{(\w+)\}", lambda found: str(values[found[1]]), self._said["text"])

    def _listed(self, points: int) -> str:
        """Keys over the whole table; raises ValueError for too many."""
        if points > MOST_KEYS:
            raise ValueError("too many keys")
        return ",".join(str(1 + at * self._rows // points) for at in range(points))


def _between(said: Any) -> Bounds:
    low, high = said if isinstance(said, (list, tuple)) else (said, said)
    return float(low), float(high)


def rows_of(step: Step, plan: Plan) -> int:
    """Rows of each table that a step draws its keys from."""
    return int(step.options.get("table_size", plan.rows))


def statements_of(step: Step, plan: Plan) -> List[Statement]:
    """The statements of an event; [] for a workload that declares none."""
    rows = rows_of(step, plan)
    declared = plan.statements.get(step.lua, []) if rows > 0 else []
    try:
        made = [DeclaredStatement(each, rows, step.options).statement() for each in declared]
    except (ValueError, TypeError, KeyError):  # options that the workload itself will refuse
        return []
    return [each for each in made if each]


def rows_per_event_bounds(statements: List[Statement], counts_calls: bool) -> Dict[str, Bounds]:
    """Bounds for the rows of one event, by WHAT; the caller allows for how a server counts."""
    found = {}
    for what in WHAT:
        low = sum(getattr(each, what)[0] * each.times for each in statements)
        high = sum(getattr(each, what)[1] * each.times for each in statements)
        found[what] = (low, high)
    if counts_calls:
        found["read"] = (found["read"][0], sum(each.calls * each.times for each in statements))
    return found


def explain_access_text(plan: List[Any]) -> str:
    """How a plan finds its rows, in one form for all servers: `range by PRIMARY`; '' where unknown."""
    parts = [
        "{} by {}".format(row.get("type"), row.get("key")) if row.get("key") else str(row.get("type"))
        for row in plan
        if isinstance(row, dict) and row.get("type")
    ]
    return ", ".join({"ALL": "all rows"}.get(part, part) for part in parts)
