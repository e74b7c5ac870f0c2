"""The workloads of the insert benchmark, statement by statement, on real servers."""

from __future__ import annotations

import re
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from app.agent.server.mysql import Client
from app.agent.steps.facts import rows_of_explain
from app.catalog import Catalog
from app.protocol.work import statements_of
from tests.integration.generated import ENGINES, Outcome, Server, analyse, drive, logged, shipped
from tests.integration.test_rows_read import BUILDS_IN_FULL, Build, other_work, running
from tests.unit.protocol.test_work import planned

ROWS, TABLES, EVENTS = 5000, 2, 200
KEYS = "cashregisterid, customerid, productid, price, data"
COUNTED = ("com_insert", "com_delete", "handler_write", "handler_delete")
INDEXES = ("marketsegment", "registersegment", "pdc")


def carried_out(server: Server, name: str, engine: str, **more: Any) -> Outcome:
    more = {"rows": ROWS, "tables": TABLES, **more}
    outcome = drive(server, shipped(f"insert-benchmark-{name}", engine, **more))
    assert outcome.code == 0, outcome.said
    return outcome


def loaded(server: Server, engine: str, with_index: bool = True, **more: Any) -> Outcome:
    """A fresh database with the tables in it; the outcome of the load."""
    server.query("DROP DATABASE IF EXISTS dyno", "CREATE DATABASE dyno")
    outcome = carried_out(server, "load", engine, **more)
    if with_index:
        carried_out(server, "index", engine, **more)
        analyse(server, engine)
    return outcome


def keys_of(server: Server, table: str = "pi1") -> list[tuple[Any, ...]]:
    """All rows but for their time."""
    return server.query(f"SELECT {KEYS} FROM dyno.{table} ORDER BY transactionid")


def ids_of(server: Server, table: str = "pi1") -> list[int]:
    return [each for (each,) in server.query(f"SELECT transactionid FROM dyno.{table} ORDER BY 1")]


def figures_of(outcome: Outcome) -> list[float]:
    """The times of SELECT MIN."""
    found = outcome.of("figure")
    assert {each["name"] for each in found} <= {"select_min_ms"}
    return [each["value"] for each in found]


def test_purchases_are_loaded_to_the_row(server: Server) -> None:
    outcome = loaded(server, "innodb", with_index=False, rows=1234)
    assert outcome.total["rows"] == {"read": 0, "inserted": 2 * 1234, "updated": 0, "deleted": 0}
    assert outcome.total["events"] == outcome.total["writes"] == 2 * 13  # INSERTs of 100 rows and one of 34
    for table in ("pi1", "pi2"):
        assert ids_of(server, table) == list(range(1, 1235))
        created = server.query(f"SHOW CREATE TABLE dyno.{table}")[0][1]
        assert "ENGINE=InnoDB" in created and created.count("KEY") == 1
    assert keys_of(server, "pi1")[:5] != keys_of(server, "pi2")[:5]


def test_purchases_depend_on_the_seed_and_not_on_the_threads(server: Server) -> None:
    def rows(seed: int, threads: int) -> list[list[tuple[Any, ...]]]:
        loaded(server, "myisam", with_index=False, seed=seed, threads=threads, rows=500)
        return [keys_of(server, table) for table in ("pi1", "pi2")]

    first = rows(5, 1)
    assert rows(5, 2) == first
    assert rows(6, 1)[0] != first[0] != first[1]


def inserted(server: Server, seed: int) -> list[list[tuple[Any, ...]]]:
    loaded(server, "myisam", with_index=False, rows=100)
    carried_out(server, "insert", "myisam", events=40, seed=seed)
    return [keys_of(server, table)[100:] for table in ("pi1", "pi2")]


def test_purchases_of_a_client_depend_on_the_seed(server: Server) -> None:
    first, again, other = (inserted(server, seed) for seed in (3, 3, 4))
    for one, two in zip(first, again, strict=True):
        common = min(len(one), len(two))
        assert common >= 50 and one[:common] == two[:common]
    assert first[0][:50] != first[1][:50] and first[0][:50] != other[0][:50]


def is_uniform(values: list[Any], many: int) -> bool:
    """Whether each of so many is there as often as chance has it."""
    counts, expected = Counter(values), len(values) / many
    return len(counts) == many and all(
        abs(count - expected) < 5.5 * expected**0.5 for count in counts.values()
    )


def test_values_are_as_the_benchmark_says(server: Server) -> None:
    loaded(server, "myisam", with_index=False, rows=20_000, tables=1)
    rows = keys_of(server)
    for at, many in enumerate((1000, 100_000, 10_000, 500)):
        assert is_uniform([row[at] * 100 // many for row in rows], 100)
        assert 0 <= min(row[at] for row in rows) <= max(row[at] for row in rows) < many
    texts = [row[4] for row in rows]
    assert is_uniform([len(text) for text in texts], 11) and min(map(len, texts)) == 10
    same = [len(text) - int(len(text) * 0.375) for text in texts]
    assert all(text[:count] == "a" * count for text, count in zip(texts, same, strict=True))
    noise = "".join(text[count:] for text, count in zip(texts, same, strict=True))
    assert is_uniform(list(noise), 64) and re.fullmatch(r"[A-Za-z0-9+/]+", noise)


def test_the_rows_of_a_statement_are_of_one_second(server: Server) -> None:
    loaded(server, "innodb", rows=100, tables=1)
    _, text = logged(server, shipped("insert-benchmark-insert", "innodb", tables=1, threads=1, events=20))
    sent = re.findall(r"INSERT INTO pi1 (.*)", text)
    assert len(sent) == 20
    assert sent[0].startswith("(dateandtime,cashregisterid,customerid,productid,price,data) VALUES ('20")
    assert all(len(set(re.findall(r"\('(20[^']+)'", each))) == 1 for each in sent)
    assert all(len(re.findall(r",\d+\.00,'", each)) == 50 for each in sent)
    stored = server.query("SELECT COUNT(*), MAX(TIMESTAMPDIFF(SECOND, dateandtime, NOW())) FROM dyno.pi1")
    assert stored[0][0] == 1100 and 0 <= stored[0][1] < 60


@pytest.mark.parametrize("engine", ENGINES)
def test_indexes_are_built_by_one_statement_or_one_by_one(server: Server, engine: str) -> None:
    loaded(server, engine, with_index=False, rows=100)
    before = server.counters("com_alter_table")["com_alter_table"]
    total = carried_out(server, "index", engine, rows=100).total
    sent = server.counters("com_alter_table")["com_alter_table"] - before
    assert sent == (2 * 3 if engine == "rocksdb" else 2)
    assert total["rows"]["read"] == 200
    created = server.query("SHOW CREATE TABLE dyno.pi2")[0][1]
    assert "KEY `marketsegment` (`productid`,`customerid`,`price`)" in created
    assert "KEY `registersegment` (`cashregisterid`,`customerid`,`price`)" in created
    assert "KEY `pdc` (`price`,`dateandtime`,`customerid`)" in created


def test_the_oldest_rows_are_deleted_and_the_lowest_key_is_asked_for(server: Server) -> None:
    loaded(server, "innodb", rows=2200, tables=1)
    work = shipped(
        "insert-benchmark-delete", "innodb", tables=1, threads=1, events=1001, options={"rows_per_delete": 2}
    )
    outcome, text = logged(server, work)
    assert outcome.total["rows"]["deleted"] == 2 * 1001
    assert ids_of(server) == list(range(2003, 2201))
    delete = r"DELETE FROM pi1 WHERE transactionid >= (\d+) ORDER BY transactionid ASC LIMIT 2"
    sent = re.findall(delete, text)
    assert sent == [str(each) for each in range(1, 2003, 2)]
    assert text.count("SELECT MIN(transactionid) FROM pi1") == 2  # at the start and after 1,000 statements
    assert len(figures_of(outcome)) == 2 and all(0 < each < 1000 for each in figures_of(outcome))


def test_a_table_that_is_empty_ends_no_deleter_and_no_reader(server: Server) -> None:
    loaded(server, "innodb", rows=30, tables=1)
    gone = carried_out(server, "delete", "innodb", tables=1, threads=1, events=3)
    assert (gone.total["events"], gone.total["rows"]["deleted"]) == (3, 30)
    assert carried_out(server, "point", "innodb", tables=1, threads=1, events=3).total["rows"]["read"] == 0
    carried_out(server, "insert", "innodb", tables=1, threads=1, events=1)
    carried_out(server, "delete", "innodb", tables=1, threads=1, events=1)
    assert server.query("SELECT COUNT(*) FROM dyno.pi1") == [(0,)]


@pytest.mark.parametrize("engine", ENGINES)
def test_roles_beside_each_other_leave_exactly_their_rows(server: Server, engine: str) -> None:
    loaded(server, engine, rows=20_000)
    before = server.counters(*COUNTED)
    with ThreadPoolExecutor() as pool:
        names = ("insert", "delete", "range", "point")
        size = {"rows": 20_000, "events": 300}
        each = {name: pool.submit(carried_out, server, name, engine, **size) for name in names}
        totals = {name: future.result().total for name, future in each.items()}
    assert totals["insert"]["rows"]["inserted"] == totals["delete"]["rows"]["deleted"] == 300 * 50
    after = server.counters(*COUNTED)
    assert [after[name] - before[name] for name in COUNTED] == [300, 300, 15_000, 15_000]
    for table in ("pi1", "pi2"):
        ids = ids_of(server, table)
        assert ids == list(range(ids[0], ids[-1] + 1))  # the oldest are gone, no other
    assert totals["range"]["rows"]["read"] > 0.99 * 300 * 10
    assert totals["point"]["rows"]["read"] > 0.75 * 300 * 10  # more than a third of the rows come and go


def test_nothing_is_purged_while_a_transaction_is_open(server: Server) -> None:
    loaded(server, "innodb", rows=2000, tables=1)
    unpurged = "innodb_history_list_length"
    work = shipped("insert-benchmark-open", "innodb", tables=1, threads=1, events=3, options={"open_s": 2})
    with ThreadPoolExecutor() as pool:
        opened = pool.submit(drive, server, work)  # for two seconds, then once more
        time.sleep(0.5)
        carried_out(server, "delete", "innodb", tables=1, threads=1, events=30)
        assert not opened.done() and server.counters(unpurged)[unpurged] >= 30
        total = opened.result().total
    assert (total["events"], total["control"], total["rows"]["read"]) == (3, 3, 2)
    until = time.monotonic() + 20
    while server.counters(unpurged)[unpurged] >= 30 and time.monotonic() < until:
        time.sleep(0.1)
    assert server.counters(unpurged)[unpurged] < 30


@pytest.mark.parametrize("build", BUILDS_IN_FULL)
def test_an_event_of_the_benchmark_does_the_same_work_everywhere(build: Build, tmp_path: Path) -> None:
    """Rows to the row, the rows of an event, and the indexes that answer alone."""
    with running(build, tmp_path) as found:
        server, wrong = Server(Path(found.private)), []
        for engine in build.engines:
            loaded(server, engine)
            check_plans(found.client)
            for name in ("range", "point", "insert", "delete"):
                workload = Catalog().workload(f"insert-benchmark-{name}")
                wrong += other_work(server, found.client, engine, workload, ROWS)
            ids = ids_of(server) + ids_of(server, "pi2")
            assert len(ids) == TABLES * ROWS and min(ids) > 1
        assert wrong == []


def check_plans(client: Client) -> None:
    for name, keys in (("range", INDEXES), ("point", ("PRIMARY",)), ("delete", ("PRIMARY",))):
        statements = statements_of(*planned(Catalog().workload(f"insert-benchmark-{name}"), ROWS))
        for statement, key in zip(statements, keys, strict=True):
            (plan,) = rows_of_explain(client, statement.text)
            if "not explained" in plan:  # a DELETE by MySQL 5.5 or MariaDB 5.5
                assert name == "delete"
                continue
            assert (plan["type"], plan["key"]) == ("range", key), (statement.text, plan)
            assert ("Using index" in re.split("; ?", plan["extra"] or "")) == (name == "range"), plan
            assert "filesort" not in (plan["extra"] or ""), plan
