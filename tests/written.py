"""Sessions with an inserter, a deleter that follows it and a reader, and planted stalls of the inserts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from app.protocol.plan import EACH_SECOND, Plan, Step
from app.protocol.series import series_of_role
from tests import journals

SECONDS = 30
HANGS = range(12, 16)  # seconds in which no row is inserted
USUAL, LONG_MS = 1000.0, 4210.0
_OF_ROLES = [each for role in ("inserter", "deleter", "reader") for each in series_of_role(role)]
SERIES: list[dict[str, Any]] = [
    *journals.SERIES,
    {"name": "load.rows", "unit": "rows/s", "kind": "rate", "label": "Rows"},
    {"name": "waits.table_lock_ms", "unit": "ms/s", "kind": "rate", "label": "Waits: table locks"},
    {"name": "threads.running_pct", "unit": "%", "kind": "gauge"},
    {"name": "threads.lock_pct", "unit": "%", "kind": "gauge"},
    *(dict(vars(each)) for each in _OF_ROLES),
]
ALONE = Step(
    "l.i1", "drive", "insert", "writes", "rows/s", "insert", seconds=SECONDS, writes=True, role="inserter",
    ends=True, events=1000, threads=1, coordinates={"threads": 1},
)  # fmt: skip
DELETER = Step(
    "l.i1.deleter", "drive", "delete", "writes", "rows/s", writes=True, role="deleter", beside=True,
    follows="inserter", apart=8, coordinates={"threads": 1},
)  # fmt: skip
READER = Step("qr100", "drive", "range", "reads", seconds=SECONDS, role="reader", coordinates={"threads": 1})
INSERTER = Step(
    "qr100.inserter", "drive", "insert", "writes", "rows/s", "insert", writes=True, role="inserter",
    beside=True, ends=True, events=100, rate=20, arrivals=EACH_SECOND, coordinates={"threads": 1},
)  # fmt: skip
LOAD = Step("l.i0", "load", "load", "load", "rows/s", "insert", seconds=SECONDS, writes=True)


def plan(contenders: Sequence[str] = ("innodb",), repeats: int = 1, number: int = 1) -> Plan:
    its_steps = [LOAD, ALONE, DELETER, READER, INSERTER]
    return journals.plan([journals.contender(each) for each in contenders], repeats, number, its_steps)


class Writes(journals.Maker):
    """A session that hangs in `hangs` of l.i1; what waits then is a table lock, if there is one."""

    hangs: Sequence[int] = HANGS
    has_wait = True
    at = 0  # the step

    def start_step(self, at: int) -> None:
        self.at = at
        super().start_step(at)

    def value(self, position: int, s: int) -> float | None:
        name = self.series[position]["name"]
        hangs = self.plan.steps[self.at].name == "l.i1" and s in self.hangs
        values = {
            "load.rows": 25_000.0,
            "load.rows{inserter}": 0.0 if hangs else USUAL,
            "load.latency_max_ms{inserter}": LONG_MS if s - 1 in self.hangs and not hangs else 12.5,
            "waits.table_lock_ms": 1900.0 if hangs and self.has_wait else 20.0,  # of two clients
            "waits.stall_ms": 2000.0 if hangs else 0.0,
            "rocksdb.stalls{memtables}": 4.0 if hangs else 0.0,
            "rocksdb.stalls{L0 files}": 1.0 if hangs else 0.0,
            "threads.running_pct": 5.0 if hangs else 80.0,
            "threads.lock_pct": 92.0 if hangs else 3.0,
        }
        return values.get(name, super().value(position, s))

    def carried_out(self) -> Writes:
        """From its beginning to its end."""
        self.begin(SERIES)
        for at, step in enumerate(self.plan.steps):
            if not step.beside:
                self.step(at)
                for other in self.plan.other_roles(at):
                    self.end_step(other)
        self.end()
        return self
