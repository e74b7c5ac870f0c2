"""What an event of the classic workloads does: its statements, and the rows that each must read and change.

Read off their Lua, which is known by its hash: of Lua of one's own and of custom SQL nothing is known here.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Mapping, Tuple

from .plan import Plan, Step

Bounds = Tuple[float, float]  # the least and the most; the same where all is certain
NONE: Bounds = (0.0, 0.0)
MOST_KEYS = 10_000  # of a statement that is explained
WHAT = ("read", "returned", "changed", "sorted")  # rows of an event
RESULTS = ("returned", "changed")  # the others are how a server carries the event out
WORDS = {"read": "read", "returned": "sent to the client", "changed": "changed", "sorted": "sorted"}


@dataclass(frozen=True)
class Statement:
    """A statement of an event, with keys from the middle of the first table, as EXPLAIN takes it."""

    text: str
    times: int = 1  # in an event
    read: Bounds = NONE
    returned: Bounds = NONE
    changed: Bounds = NONE
    sorted: Bounds = NONE
    has_plan: bool = True  # an INSERT has no choice
    calls: float = 0.0  # the most that a server counts that counts calls of the handler in place of rows


@dataclass(frozen=True)
class Keys:
    """The tables that an event uses."""

    rows: int  # of each table, when it was loaded
    options: Mapping[str, Any]

    @property
    def middle(self) -> int:
        return max(1, self.rows // 2)

    @property
    def is_uniform(self) -> bool:
        return self.options.get("rand_type", "uniform") == "uniform" and not self.zipf

    @property
    def zipf(self) -> float:
        return float(self.options.get("zipf_exponent", 0))

    def count(self, name: str, otherwise: int) -> int:
        return int(self.options.get(name, otherwise))

    def listed(self, points: int) -> str:
        """Keys over the whole table; raises ValueError for too many."""
        if points > MOST_KEYS:
            raise ValueError("too many keys")
        return ",".join(str(1 + at * self.rows // points) for at in range(points))

    def drawn(self, points: int) -> Bounds:
        """Rows that this number of random keys finds; some keys are drawn twice."""
        different = self.rows * (1 - (1 - 1 / self.rows) ** points)
        return (different if self.is_uniform else 0.1 * different, float(points))

    def range_of(self, size: int) -> Bounds:
        """Rows of a range: those that begin near the end of the table have fewer."""
        fewer = size * (size - 1) / 2 / self.rows
        return (max(0.0, size - fewer), float(size))


def rows_of(step: Step, plan: Plan) -> int:
    """Rows of each table that a step draws its keys from."""
    return int(step.options.get("table_size", plan.rows))


def statements_of(step: Step, plan: Plan) -> List[Statement]:
    """The statements of an event; [] for an unknown workload."""
    text = plan.files.get("workloads/" + step.lua, "")
    made = _BY_HASH.get(hashlib.sha256(text.encode()).hexdigest()[:16])
    rows = rows_of(step, plan)
    if made is None or rows < 1:
        return []
    try:
        return made(Keys(rows, step.options))
    except (ValueError, TypeError):  # options that the workload itself will refuse
        return []


def bounds_of(statements: List[Statement], counts_calls: bool) -> Dict[str, Bounds]:
    """Bounds for the rows of one event, by WHAT; the caller allows for how a server counts."""
    found = {}
    for what in WHAT:
        low = sum(getattr(each, what)[0] * each.times for each in statements)
        high = sum(getattr(each, what)[1] * each.times for each in statements)
        found[what] = (low, high)
    if counts_calls:
        found["read"] = (found["read"][0], sum(each.calls * each.times for each in statements))
    return found


def access_of(plan: List[Any]) -> str:
    """How a plan finds its rows, in one form for all servers: `range by PRIMARY`; '' where unknown."""
    parts = [
        "{} by {}".format(row.get("type"), row.get("key")) if row.get("key") else str(row.get("type"))
        for row in plan
        if isinstance(row, dict) and row.get("type")
    ]
    return ", ".join({"ALL": "all rows"}.get(part, part) for part in parts)


# the workloads, each a file of Lua

_ONE: Bounds = (1.0, 1.0)
_POINT = "SELECT c FROM sbtest1 WHERE id={}"
_POINTS = "SELECT {} FROM sbtest1 WHERE {} IN ({})"
_RANGE = "SELECT {} FROM sbtest1 WHERE {} BETWEEN {} AND {}"
_UPDATE = "UPDATE sbtest1 SET {} WHERE id={}"
_UPDATE_LIST = "UPDATE sbtest1 SET c='x' WHERE id IN ({})"
_INSERT = "INSERT INTO sbtest1 (k, c, pad) VALUES (1, 'x', 'x')"
_DELETE = "DELETE FROM sbtest1 WHERE id={}"
_SCAN = "SELECT {} FROM sbtest1 WHERE LENGTH({}) < 0"
_RANGES = (
    ("simple_ranges", "SELECT c FROM sbtest1 WHERE id BETWEEN {} AND {}"),
    ("sum_ranges", "SELECT SUM(k) FROM sbtest1 WHERE id BETWEEN {} AND {}"),
    ("order_ranges", "SELECT c FROM sbtest1 WHERE id BETWEEN {} AND {} ORDER BY c"),
    ("distinct_ranges", "SELECT DISTINCT c FROM sbtest1 WHERE id BETWEEN {} AND {} ORDER BY c"),
)


def _point(keys: Keys) -> List[Statement]:
    return [Statement(_POINT.format(keys.middle), read=_ONE, returned=_ONE, calls=2)]


def _points(keys: Keys) -> List[Statement]:
    count, by = keys.count("points", 100), str(keys.options.get("by", "id"))
    columns = str(keys.options.get("columns", "c"))
    drawn = (float(count), float(count)) if keys.options.get("hot") else keys.drawn(count)
    text = _POINTS.format(columns, by, keys.listed(count))
    # of a key in k there may be several rows
    found = (0.8 * drawn[0], 1.25 * drawn[1]) if by != "id" else drawn
    read = (found[0], found[1] * _looked_up(by, columns))
    return [Statement(text, read=read, returned=found, calls=3 * found[1])]


def _looked_up(by: str, columns: str) -> int:
    """Rows of a lookup, at most: some engines count the index entry and its row."""
    return 2 if by != "id" and columns != by else 1


def _range(keys: Keys) -> List[Statement]:
    size, by = keys.count("range_size", 100), str(keys.options.get("by", "id"))
    columns = str(keys.options.get("columns", "c"))
    found = keys.range_of(size)
    text = _RANGE.format(columns, by, *_middle_of(keys, size))
    returned = _ONE if "(" in columns else found
    read = (found[0], found[1] * _looked_up(by, columns))
    return [Statement(text, read=read, returned=returned, calls=2 * found[1] + 2)]


def _middle_of(keys: Keys, size: int) -> Tuple[int, int]:
    return keys.middle, keys.middle + size - 1


def _update(keys: Keys) -> List[Statement]:
    key = 1 if keys.options.get("first_only") else keys.middle
    change = "k=k+1" if keys.options.get("column", "k") == "k" else "c='x'"
    return [Statement(_UPDATE.format(change, key), read=_ONE, changed=_ONE, calls=2)]


def _update_list(keys: Keys) -> List[Statement]:
    count = keys.count("points", 10)
    drawn = keys.drawn(count)
    return [Statement(_UPDATE_LIST.format(keys.listed(count)), read=drawn, changed=drawn, calls=3 * drawn[1])]


def _insert(_keys: Keys) -> List[Statement]:
    return [Statement(_INSERT, changed=_ONE, has_plan=False, calls=1)]


def _delete(keys: Keys) -> List[Statement]:
    """Bounds of a delete: its key may be gone already."""
    return [Statement(_DELETE.format(keys.middle), read=(0.0, 1.0), changed=(0.0, 1.0), calls=2)]


def _delete_each(keys: Keys) -> List[Statement]:
    return [Statement(_DELETE.format(keys.middle), read=_ONE, changed=_ONE, calls=2)]


def _scan(keys: Keys) -> List[Statement]:
    columns, by = ("COUNT(*)", "pad") if keys.options.get("count") else ("*", "c")
    return [Statement(_SCAN.format(columns, by))]


def _transaction(keys: Keys) -> List[Statement]:
    size = keys.count("range_size", 100)
    found, place = keys.range_of(size), _middle_of(keys, size)
    parts = [(keys.count("point_selects", 10), each) for each in _point(keys)]
    for name, text in _RANGES:
        returned = _ONE if "SUM" in text else found
        ordered = found if "ORDER" in text else NONE
        calls = found[1] + 1 + (2 * found[1] + 2 if "ORDER" in text else 0)  # a sort reads its rows again
        made = Statement(text.format(*place), 1, found, returned, sorted=ordered, calls=calls)
        parts.append((keys.count(name, 1), made))
    changes = _update(Keys(keys.rows, {"column": "k"})) + _update(Keys(keys.rows, {"column": "c"}))
    parts += zip((keys.count("index_updates", 1), keys.count("non_index_updates", 1)), changes)
    again = keys.count("delete_inserts", 1)
    # the row is there but for moments
    parts += [(again, each) for each in _delete_each(keys) + _insert(keys)]
    return [Statement(**{**vars(each), "times": times}) for times, each in parts if times > 0]


# by the SHA-256 of their Lua: a file that was changed is another workload, and needs its row here
_BY_HASH: Dict[str, Callable[[Keys], List[Statement]]] = {
    "fb73a135a04dcd08": _point,  # point-query.lua
    "b8bd294dd31c58d5": _points,  # points.lua
    "33bd71cc7cfc1c93": _range,  # range.lua
    "719535ea02f9ada1": _update,  # update.lua
    "f39ab6b543ad06cb": _update_list,  # update-inlist.lua
    "0eb5118b3c6abb62": _insert,  # insert.lua
    "7eb67bea2b9e8a8e": _insert,  # insert-prepared.lua
    "ae17d10af56fd20b": _insert,  # insert.lua until it sent text
    "15183b82e5efef4d": _delete,  # delete.lua
    "b3415a8bd60a5592": _delete_each,  # delete-each.lua
    "98a583a7105c11ba": _scan,  # scan.lua
    "2202552f00ebcf6b": _transaction,  # transaction.lua
}
