"""Waits as series and amounts, from a server that is made up."""

from __future__ import annotations

from typing import Any

import pytest

from app.agent.sampling import waits as module
from app.agent.sampling.locks import RowLockPairs
from app.agent.sampling.statements import statements_between
from app.agent.sampling.waits import (
    WaitAmount,
    WaitReadInterval,
    WaitSampler,
    has_restarted,
    wait_differences,
)
from app.agent.server.mysql import QueryError
from app.engines.waits import IS_ON, MONITOR, SUMMARY, TIMED
from tests.unit.engines.test_waits import MONITOR as TEXT

MUTEX, FILE = "wait/synch/mutex/sql/LOCK_open", "wait/io/file/innodb/innodb_data_file"
TABLE, SUSPEND = "wait/lock/table/sql/handler", "wait/synch/cond/mysys/my_thread_var::suspend"


class Client:
    """Answers with what it is given; times are in ms."""

    def __init__(self, is_on: bool = True) -> None:
        self.is_on = is_on
        self.waits: dict[str, tuple[int, float]] = {}
        self.asked: list[str] = []
        self.monitor = ""

    def pairs(self, sql: str) -> dict[str, str]:
        assert sql == IS_ON
        return {"performance_schema": "ON" if self.is_on else "OFF"}

    def query(self, sql: str) -> list[dict[str, Any]]:
        self.asked.append(sql)
        if sql == TIMED:
            return [{"name": name} for name in (MUTEX, FILE, TABLE)]
        if sql == SUMMARY:
            return [{"name": n, "count": c, "ps": ms * 1e9} for n, (c, ms) in self.waits.items()]
        if sql == MONITOR:
            return [{"status": self.monitor}]
        if "innodb_lock_waits" in sql:
            row = {"waiting": "UPDATE t SET a=1", "holding": None, "waited_s": 3}
            return [{**row, "table_name": "`dyno`.`t`", "index_name": "PRIMARY"}] * 2
        raise QueryError(sql)


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch) -> Client:
    monkeypatch.setattr(module, "EACH_S", 0.0)
    monkeypatch.setattr(WaitReadInterval, "is_due", True)
    return Client()


def status(ms: int) -> dict[str, str]:
    return {"innodb_row_lock_time": str(ms), "innodb_row_lock_waits": "1"}


def by_series(waits: Any, values: list[float | None]) -> dict[str, float | None]:
    return dict(zip([each.name for each in waits.declare()], values, strict=True))


def test_series_are_ms_per_second_since_the_reading_before(client: Client) -> None:
    client.waits = {MUTEX: (10, 100.0)}
    waits: Any = WaitSampler(client, "innodb")  # type: ignore[arg-type]
    waits.begin()
    client.waits = {MUTEX: (30, 500.0), FILE: (2, 50.0), "idle": (9, 9000.0)}
    found = by_series(waits, waits.values(status(0), status(300), 2.0))
    assert found == {
        "waits.row_lock_ms": 150.0, "waits.table_lock_ms": 0.0, "waits.file_io_ms": 25.0,
        "waits.mutex_ms": 200.0,
    }  # fmt: skip


def test_a_second_without_a_reading_is_a_gap(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    waits: Any = WaitSampler(client, "myisam")  # type: ignore[arg-type]
    waits.begin()
    client.waits = {MUTEX: (1, 60.0)}
    monkeypatch.setattr(WaitReadInterval, "is_due", False)
    assert set(waits.values({}, {}, 1.0)) == {None}
    monkeypatch.setattr(WaitReadInterval, "is_due", True)
    assert by_series(waits, waits.values({}, {}, 1.0))["waits.mutex_ms"] == 30.0  # over both seconds


def test_a_restarted_server_has_no_values(client: Client) -> None:
    client.waits = {MUTEX: (10, 100.0)}
    waits: Any = WaitSampler(client, "myisam")  # type: ignore[arg-type]
    waits.begin()
    client.waits = {MUTEX: (1, 1.0)}
    assert set(waits.values({}, {}, 1.0)) == {None}
    assert has_restarted({MUTEX: WaitAmount(10, 1.0)}, {MUTEX: WaitAmount(1, 5.0)})


def test_without_the_performance_schema_row_locks_have_values() -> None:
    client = Client(is_on=False)
    waits: Any = WaitSampler(client, "innodb")  # type: ignore[arg-type]
    waits.begin()
    assert by_series(waits, waits.values(status(10), status(30), 1.0)) == {"waits.row_lock_ms": 20.0}
    assert waits.values({}, status(30), 1.0) == [None]
    assert waits.amounts(status(30)) == {"InnoDB row lock": WaitAmount(1, 30.0)}
    assert client.asked == []


def test_a_wait_inside_another_one_counts_once(client: Client) -> None:
    client.waits = {TABLE: (5, 500.0), SUSPEND: (4, 480.0)}
    waits: Any = WaitSampler(client, "myisam")  # type: ignore[arg-type]
    assert wait_differences({}, waits.amounts({})) == {TABLE: WaitAmount(5, 500.0)}


def test_a_slow_reading_comes_less_often() -> None:
    pace = WaitReadInterval()
    assert pace.is_due
    pace.took(3600 * module.SHARE)
    assert not pace.is_due


def test_pairs_are_looked_for_while_somebody_waits(client: Client) -> None:
    locks: Any = RowLockPairs(client)  # type: ignore[arg-type]
    locks.begin({})
    locks.look({"innodb_row_lock_waits": "1"}, {"innodb_row_lock_waits": "1"})
    assert client.asked == [] and locks.pairs() == []
    client.monitor = TEXT
    before = {"innodb_row_lock_waits": "1"}
    after = {"innodb_row_lock_waits": "2", "innodb_row_lock_current_waits": "1"}
    for _ in range(2):
        locks.look(before, after)
    pair, deadlock = locks.pairs()
    assert (pair.waiting, pair.holding, pair.table, pair.index) == ("UPDATE t SET a = ?", "", "t", "PRIMARY")
    assert (pair.seen, pair.longest_s) == (4, 3.0)
    assert (deadlock.kind, deadlock.seen, deadlock.longest_s) == ("deadlock", 1, None)  # the same one twice
    assert deadlock.waiting == "DELETE FROM sbtest1 WHERE id = ?"


def test_statements_are_differences() -> None:
    counts = dict.fromkeys(("rows_examined", "rows_sent", "rows_affected", "rows_sorted", "no_index"), 0)
    before = {"a": {"text": "SELECT ?", "calls": 10, "ps": 5e9, **counts}}
    after = {
        "a": {"text": "SELECT ?", "calls": 30, "ps": 25e9, **counts, "rows_examined": 40},
        "b": {"text": "x " * 400, "calls": 1, "ps": 90e9, **counts},
        "c": {"text": "never called", "calls": 0, "ps": 0, **counts},
    }
    longest, other = statements_between(before, after)  # type: ignore[arg-type]
    assert (other.text, other.calls, other.ms, other.rows_examined) == ("SELECT ?", 20, 20.0, 40)
    assert len(longest.text) == 300


def test_statements_of_one_text_are_one_and_what_is_not_counted_is_unknown() -> None:
    counts = dict.fromkeys(("rows_examined", "rows_sent", "rows_affected", "rows_sorted", "no_index"), 1)
    after = {
        "digest": {"text": "SELECT `c` FROM `t` WHERE ID = ? ", "calls": 10, "ps": 5e9, **counts},
        "prepared": {"text": "SELECT c FROM t WHERE id=?", "calls": 20, "ps": 6e9, **counts},
        "execute": {"text": "prepared statements, counted together", "calls": 3, "ps": 1e9},
    }
    one, together = statements_between({}, after)  # type: ignore[arg-type]
    assert (one.text, one.calls, one.ms, one.rows_examined) == ("SELECT c FROM t WHERE ID = ?", 30, 11.0, 2)
    assert (together.calls, together.rows_examined, together.no_index) == (3, None, None)
