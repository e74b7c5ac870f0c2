"""The gate of dyno-slices.lua under a real sysbench and server: what a slice holds, and what it does not."""

from __future__ import annotations

import os
import signal
import struct
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pymysql
import pytest

from app.catalog.custom_sql import parse_custom_sql
from app.catalog.sql_lua import made_lua
from tests.integration.gated import Line, began, check_slice, gated, recorded_work
from tests.integration.generated import Server, Work, drive, fill, shipped

__all__ = ["recorded_work"]

pytestmark = pytest.mark.usefixtures("tables")

COUNTS = ("events", "reads", "writes", "other", "errors", "reconnects", "control")
HANDLER = {"inserted": "handler_write", "updated": "handler_update", "deleted": "handler_delete"}


class Watch:
    """What others have sent to a server since the last look, by its own counters."""

    def __init__(self, connection: Any) -> None:
        self._cursor = connection.cursor()
        self._before: dict[str, int] = {}
        self.look()

    def look(self) -> dict[str, int]:
        self._cursor.execute("SHOW GLOBAL STATUS")
        now = {name.lower(): int(value) for name, value in self._cursor.fetchall() if value.isdigit()}
        growth = {name: value - self._before.get(name, 0) for name, value in now.items()}
        growth["questions"] -= 1  # this one
        self._before = now
        return growth


@contextmanager
def watching(server: Server) -> Iterator[Watch]:
    with pymysql.connect(unix_socket=server.socket, user="root") as connection:
        yield Watch(connection)


def statements(lines: list[Line]) -> int:
    """With those that a deadlock has ended."""
    return int(sum(line["reads"] + line["writes"] + line["other"] + line["errors"] for line in lines))


def rows(lines: list[Line], name: str) -> int:
    return int(sum(line["rows"][name] for line in lines))


@pytest.mark.parametrize("name", ["point-query", "update-index", "read-write", "insert", "write-only"])
def test_slices_add_up_to_what_the_server_counted(server: Server, name: str) -> None:
    with gated(server, shipped(name, "innodb", threads=3)) as run, watching(server) as watch:
        for _ in range(5):
            check_slice(run.slice(0.2))
        found = watch.look()
        slices = list(run.slices)
        outcome = run.end()
    assert outcome.code == 0
    assert found["questions"] == statements(slices)
    assert found["com_select"] == sum(line["reads"] for line in slices)
    refused = sum(line["errors"] for line in slices)  # the server counts the row that it refuses to change
    for mine, its in HANDLER.items():
        assert rows(slices, mine) <= found[its] <= rows(slices, mine) + refused
    assert found["rows_sent"] - rows(slices, "read") in range(600, 800)  # those of SHOW GLOBAL STATUS
    total = outcome.total
    assert [sum(line[key] for line in slices) for key in COUNTS] == [total[key] for key in COUNTS]
    assert {key: rows(slices, key) for key in total["rows"]} == total["rows"]
    assert (total["clients"], total["threads"]) == (3, 3)


def test_nothing_is_sent_while_the_gate_is_closed(server: Server) -> None:
    with gated(server, shipped("read-write", "innodb", threads=8)) as run, watching(server) as watch:
        for _ in range(3):
            time.sleep(0.3)
            assert watch.look()["questions"] == 0
            line = run.slice(0.2)
            assert watch.look()["questions"] == statements([line]) > 0


def test_clients_at_the_gate_use_no_cpu(server: Server) -> None:
    def ticks() -> int:
        fields = Path(f"/proc/{run.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return int(fields[11]) + int(fields[12])

    with gated(server, shipped("point-query", "innodb", threads=16)) as run:
        run.slice(0.1)
        before = ticks()
        time.sleep(1)
        assert ticks() - before <= 1


def test_no_event_begins_outside_of_a_slice(server: Server, recorded_work: Work) -> None:
    opened = []
    work = replace(recorded_work, threads=4)
    with gated(server, work) as run:
        for length in (0.3, 0.05, 0.3):
            at = time.monotonic()
            deadline = run.open(length)
            line = run.finish_slice()
            assert line["time_s"] < deadline - at + 0.2  # an event, and a busy machine
            opened.append((at, deadline))
            time.sleep(0.2)
        run.end()
    moments = began(work)
    assert len(moments) == run.sum_of("events") > 40
    for moment in moments:
        # an event is written down a little after the look at the clock
        assert any(from_s <= moment <= until_s + 0.05 for from_s, until_s in opened)


def test_a_client_that_waits_for_the_last_event_lowers_no_rate(server: Server, recorded_work: Work) -> None:
    """Of two clients one ends 0.4 s after the other: it counts with the mean of both."""
    with gated(server, replace(recorded_work, threads=2, options={"event_ms": 400})) as run:
        line = run.slice(0.1)
        assert line["events"] == 2
        assert line["interval_s"] == pytest.approx(0.4, abs=0.1)
        assert line["active_s"] == pytest.approx(2 * line["interval_s"], abs=1e-5)
        assert line["latency_ms"]["min"] >= 400


def test_a_client_that_comes_late_raises_no_rate(server: Server, recorded_work: Work) -> None:
    """It had no CPU for its first event, which the other one had: the slice was as long for both."""
    with gated(server, replace(recorded_work, threads=2)) as run:
        deadline = time.monotonic() + 0.6
        os.write(run.gate, struct.pack("<d", deadline))
        time.sleep(0.4)
        os.write(run.gate, struct.pack("<d", deadline))
        assert run.finish_slice()["interval_s"] == pytest.approx(0.6, abs=0.1)  # and not 0.4


def test_a_refused_client_has_no_part(server: Server) -> None:
    (most,) = server.query("SELECT @@max_connections")[0]
    server.query("SET GLOBAL max_connections = 10")
    try:
        with gated(server, shipped("point-query", "innodb", threads=14)) as run:
            assert 8 <= run.workers <= 11
            workers = run.workers
            for _ in range(3):
                check_slice(run.slice(0.1))
            assert run.workers == workers
            outcome = run.end()
    finally:
        for _ in range(50):  # connections of the clients end a moment after them
            try:
                server.query(f"SET GLOBAL max_connections = {most}")
                break
            except pymysql.err.OperationalError:
                time.sleep(0.1)
    assert (outcome.code, outcome.total["clients"]) == (0, workers)


@pytest.mark.parametrize("way", ["end of file", "deadline of 0"])
def test_the_clients_leave(server: Server, way: str) -> None:
    with gated(server, shipped("point-query", "innodb", threads=5)) as run:
        run.slice(0.1)
        if way == "deadline of 0":
            run.give(0)
            outcome = run.outcome()
        else:
            outcome = run.end()
    assert outcome.code == 0
    assert outcome.total["events"] == run.sum_of("events")


def test_it_can_leave_without_a_slice(server: Server) -> None:
    with gated(server, shipped("point-query", "innodb", threads=2)) as run:
        outcome = run.end()
    assert (outcome.code, outcome.total["events"], outcome.total["clients"]) == (0, 0, 2)


def test_sigterm_ends_it_at_the_gate(server: Server) -> None:
    with gated(server, shipped("point-query", "innodb", threads=3)) as run:
        run.slice(0.1)
        run.process.terminate()
        assert run.process.wait(10) == -signal.SIGTERM


def test_a_signal_does_not_wake_a_client(server: Server) -> None:
    with gated(server, shipped("point-query", "innodb", threads=3)) as run, watching(server) as watch:
        for number in (signal.SIGSTOP, signal.SIGCONT, signal.SIGWINCH):
            run.process.send_signal(number)
            time.sleep(0.1)
        assert watch.look()["questions"] == 0
        line = run.slice(0.1)
        assert watch.look()["questions"] == statements([line]) > 0
        assert run.end().code == 0


def test_a_client_that_has_nothing_more_to_do_gives_no_token_up(server: Server, recorded_work: Work) -> None:
    with gated(server, replace(recorded_work, threads=3, options={"event_ms": 5, "does": "end"})) as run:
        assert run.slice(0.1)["workers"] == 2
        check_slice(run.slice(0.1))
        outcome = run.end()
    assert outcome.code == 0


@pytest.mark.parametrize("length", [0.3, 0.01])  # others are in an event, or at the gate
def test_an_event_that_fails_ends_the_process(server: Server, recorded_work: Work, length: float) -> None:
    work = replace(recorded_work, threads=6, options={"event_ms": 50, "does": "fail"})
    with gated(server, work) as run:
        run.open(length)
        outcome = run.outcome()
    assert outcome.code == 1
    assert "FATAL: `thread_run' function failed: recorded.lua" in outcome.said
    assert "the event has failed" in outcome.said
    assert not outcome.lines


def test_a_statement_that_fails_is_quoted_as_without_a_gate(server: Server) -> None:
    fill(server, "myisam", rows=2, tables=1)
    try:
        work = shipped("write-only", "myisam", threads=8, tables=1, rows=2)
        work = replace(work, ignored=(1213,))
        with gated(server, work) as run:
            run.open(2)
            outcome = run.outcome()
        ungated = drive(server, replace(work, seconds=2))
    finally:
        fill(server, "innodb")
    assert (outcome.code, ungated.code) == (1, 1)
    for said in (outcome.said, ungated.said):
        assert "FATAL" in said
        assert "1062" in said


# InnoDB rolls back by itself, RocksDB leaves the transaction open
@pytest.mark.parametrize(("engine", "threads", "slices"), [("innodb", 8, 8), ("rocksdb", 3, 3)])
def test_ignored_errors_begin_the_event_again(server: Server, engine: str, threads: int, slices: int) -> None:
    fill(server, engine, rows=8, tables=1)
    work = shipped("write-only", engine, threads=threads, tables=1, rows=8)
    work = replace(work, options={**work.options, "delete_inserts": 4})
    try:
        with gated(server, work) as run, watching(server) as watch:
            for _ in range(slices):
                run.slice(0.25)
                time.sleep(0.02)
                assert server.query("SELECT COUNT(*) FROM information_schema.innodb_trx")[0] == (0,)
            found = watch.look()
        assert server.count_rows(1) == 8
    finally:
        fill(server, "innodb")
    assert run.sum_of("errors") == found["com_rollback"] > 0
    assert run.sum_of("control") == sum(found[f"com_{name}"] for name in ("begin", "commit", "rollback"))
    assert rows(run.slices, "inserted") == rows(run.slices, "deleted") == 4 * run.sum_of("events")


TRANSACTIONS = """\
option
  tran on
  commit 50
declare
  id int 1 rows
tables
  create table t (id int not null primary key, n int);
fill
  insert into t values (:id, 0);
begin
  update sbtest1 set k = k + 1 where id = :id;
end
"""


def test_no_transaction_is_open_at_the_gate(server: Server, tmp_path: Path) -> None:
    """50 events are one transaction: a client that waited in one would hold its locks against the others."""
    custom = parse_custom_sql(TRANSACTIONS, "drive")
    assert not custom.problems
    (tmp_path / "own.made.lua").write_text(made_lua(custom, "drive", "own.sql"))
    with gated(server, Work("own.made.lua", threads=4, rows=50, folder=tmp_path)) as run:
        for _ in range(10):
            line = run.slice(0.05)
            assert server.query("SELECT COUNT(*) FROM information_schema.innodb_trx")[0] == (0,)
            assert line["time_s"] < 5  # nobody waits for the locks of a client at the gate
        assert run.end().code == 0
    assert run.sum_of("events") > 500


def test_tokens_are_counted_and_not_clients(server: Server) -> None:
    """Slices so short that most clients find no time: others take their tokens, and nothing is lost."""
    with gated(server, shipped("point-query", "innodb", threads=40)) as run, watching(server) as watch:
        for _ in range(100):
            line = run.slice(0.001)
            assert line["interval_s"] <= line["time_s"] + 0.001
        run.give(time.monotonic() - 1)  # too late for all
        late = run.finish_slice()
        assert (late["events"], late["active_s"], late["p95_ms"], late["buckets"]) == (0, 0, None, [])
        assert watch.look()["questions"] == statements(run.slices)
        check_slice(run.slice(0.2))
        assert run.end().code == 0


def test_it_ends_when_nobody_reads(server: Server) -> None:
    with gated(server, shipped("point-query", "innodb", threads=2)) as run:
        run.slice(0.05)
        run.lines.close()  # type: ignore[attr-defined]
        run.open(0.05)
        assert run.process.wait(10) == -signal.SIGPIPE
