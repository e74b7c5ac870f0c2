"""The load methods on real servers: the same rows, brought in as they say, as large as those of sysbench."""

from __future__ import annotations

import subprocess
from typing import Any

import pytest

from app.agent.sampling.sizes import sizes
from app.protocol.events import StepEnded
from tests.installed import MARIADB
from tests.integration.desktop import Desktop
from tests.integration.generated import ENGINES, TABLES, Server, fill, logged, shipped
from tests.plans import write
from tests.sequences import LOAD, own_sequence

ROWS = 5300  # the last INSERT of a table is a short one
SIZED = 50_000  # rows; larger tables are weighed by `python -m tests.bench load`
LOADS = own_sequence("loads", LOAD, 'workload = "scan"')
METHODS = [(engine, "parallel") for engine in ENGINES] + [("rocksdb", "bulk")]


def loaded(server: Server, engine: str, method: str, threads: int, **more: Any) -> dict[str, Any]:
    """The line "total" of a load of its own, without the index."""
    more["options"] = {"load_method": method}
    return fill(server, engine, with_index=False, threads=threads, **more).total


def rows_of(server: Server) -> list[Any]:
    select = (
        "SELECT COUNT(*), MIN(id), MAX(id), BIT_XOR(CRC32(CONCAT_WS(',', id, k, c, pad))) FROM dyno.sbtest"
    )
    return [server.query(f"{select}{i}")[0] for i in range(1, TABLES + 1)]


@pytest.mark.parametrize(("engine", "method"), METHODS)
def test_every_method_gives_the_same_rows(server: Server, engine: str, method: str) -> None:
    loaded(server, engine, "ordered", 2, rows=ROWS)
    wanted = rows_of(server)
    assert [found[:3] for found in wanted] == [(ROWS, 1, ROWS)] * TABLES
    for threads in (1, 3):
        total = loaded(server, engine, method, threads, rows=ROWS)
        assert total["rows"]["inserted"] == TABLES * ROWS
        assert total["events"] == TABLES * 6
        assert rows_of(server) == wanted


def test_in_parallel_each_client_fills_a_stretch_of_each_table(server: Server) -> None:
    server.query("DROP DATABASE IF EXISTS dyno", "CREATE DATABASE dyno")
    work = shipped("load", "innodb", threads=3, rows=6000, options={"load_method": "parallel"})
    _, log = logged(server, work)
    sent: dict[tuple[str, str], list[int]] = {}
    for line in log.splitlines():
        head, _, rest = line.partition(" Query\tINSERT INTO sbtest")
        if rest:
            table, _, values = rest.partition(" (id,k,c,pad) VALUES(")
            sent.setdefault((table, head.split()[-1]), []).append(int(values.split(",")[0]))
    clients = {client for _, client in sent}
    assert len(sent) == TABLES * 3 and len(clients) == 3
    for table in ("1", "2"):
        assert sorted(sent[table, client] for client in clients) == [[1, 1001], [2001, 3001], [4001, 5001]]


def test_bulk_passes_by_the_log_of_the_engine(server: Server) -> None:
    def logged_bytes(method: str) -> int:
        before = server.counters("rocksdb_wal_bytes")["rocksdb_wal_bytes"]
        loaded(server, "rocksdb", method, 1, rows=ROWS)
        return server.counters("rocksdb_wal_bytes")["rocksdb_wal_bytes"] - before

    assert logged_bytes("bulk") < 0.05 * logged_bytes("ordered")


def size_of(server: Server, engine: str) -> int:
    """Leaf pages of InnoDB, whose files grow by whole extents; bytes of the files of the others."""
    if engine == "innodb":
        pages = "SELECT SUM(stat_value) FROM mysql.innodb_index_stats WHERE stat_name = 'n_leaf_pages'"
        return int(server.query("ANALYZE TABLE dyno.sbtest1", f"{pages} AND database_name = 'dyno'")[0][0])
    server.query("FLUSH TABLES", "SET GLOBAL rocksdb_force_flush_memtable_now = 1")
    return sizes(str(server.folder / "data"))["tables"]


def prepare(server: Server, engine: str) -> None:
    """The tables and indexes as sysbench itself makes them."""
    server.query("DROP DATABASE IF EXISTS dyno", "CREATE DATABASE dyno DEFAULT CHARACTER SET latin1")
    line = ["sysbench", "oltp_read_write", f"--mysql-socket={server.socket}", "--mysql-user=root"]
    line += ["--mysql-db=dyno", f"--mysql-storage-engine={engine}", "--tables=1", f"--table-size={SIZED}"]
    subprocess.run([*line, "--rand-type=uniform", "prepare"], check=True, capture_output=True)


@pytest.mark.full
@pytest.mark.parametrize("engine", ENGINES)
def test_tables_are_as_large_as_those_of_sysbench(server: Server, engine: str) -> None:
    prepare(server, engine)
    wanted = size_of(server, engine)
    for method in ("ordered", *(method for other, method in METHODS if other == engine)):
        fill(server, engine, tables=1, rows=SIZED, threads=3, options={"load_method": method})
        assert size_of(server, engine) == pytest.approx(wanted, rel=0.02), method


@pytest.mark.full
def test_the_method_of_a_plan_is_carried_out_and_kept(desktop: Desktop) -> None:
    write(desktop.home / "sequences/loads.toml", LOADS)
    plan = ["run", "--sequence", "loads", "--contender", f"{MARIADB}:rocksdb"]
    for method in ("ordered", "bulk"):
        desktop.dyno(*plan, "--load-method", method)
    ids = [entry["id"] for entry in desktop.sessions()]
    for id_ in ids:
        load = next(event for event in desktop.events(id_) if isinstance(event, StepEnded))
        assert (load.outcome, load.rows["in_tables"]) == ("completed", 4000)
    assert "load_method" in desktop.dyno("compare", *ids, "--setup").stdout
    said = desktop.refused("run", *desktop.plan(), "--load-method", "bulk")
    assert said.startswith(f"load method bulk: not for {MARIADB}-innodb: ")
