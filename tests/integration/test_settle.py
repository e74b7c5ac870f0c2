"""Settling on real servers: what is waited for, what is forced and put back, what is kept of it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from app.agent.builds import environment
from app.agent.debt import debt_of
from app.agent.host import HostSampler
from app.agent.ledger import row_bytes
from app.agent.mysql import Client
from app.agent.options import known_options
from app.agent.server import Server
from app.agent.settle import Settling

TABLE = (
    "CREATE TABLE dyno.sbtest1 (id INT NOT NULL AUTO_INCREMENT PRIMARY KEY, k INT NOT NULL DEFAULT 0,"
    " c CHAR(120) NOT NULL DEFAULT '', pad CHAR(60) NOT NULL DEFAULT '', KEY (k)) ENGINE={} CHARSET=latin1"
)
DOUBLE = "INSERT INTO dyno.sbtest1 (k, c, pad) SELECT id, REPEAT('c', 119), REPEAT('p', 59) FROM dyno.sbtest1"
CNF = """\
[mysqld]
innodb_buffer_pool_size = 128M
innodb_flush_log_at_trx_commit = 2
delay_key_write = ALL
key_buffer_size = 32M
"""


@contextmanager
def started(
    folder: Path, server: Path, base: Path, family: str, version: str, engine: str
) -> Iterator[Server]:
    """A server as a session has it."""
    found = environment(str(base), str(server))
    known = known_options({"base": str(base), "server": str(server), "environment": found})
    more = "plugin_load_add = ha_rocksdb\n" if engine == "rocksdb" else ""
    contender = {
        "base": str(base),
        "server": str(server),
        "family": family,
        "version": version,
        "cnf": CNF + more,
    }
    made = Server(contender, str(folder), known, found)
    made.prepare()
    made.start()
    try:
        made.admit()
        yield made
    finally:
        made.kill()
        made.clean()


def write(client: Client, engine: str) -> None:
    """Rows, and updates of them: dirty pages, old versions, memtables, key blocks."""
    client.read_s = 60
    client.run(TABLE.format(engine), "INSERT INTO dyno.sbtest1 (k) VALUES (1)", *[DOUBLE] * 15)
    client.run("UPDATE dyno.sbtest1 SET k = k + 7 WHERE id % 3 = 0")


def settle(server: Server, engine: str) -> tuple[Settling, dict[str, Any]]:
    """As a settle step does it; also the variables while it lasts."""
    host = HostSampler({"server": server.pid}, server.data)
    settling = Settling(server.client, engine, server.data)
    try:
        settling.begin()
        forced = server.client.pairs("SHOW GLOBAL VARIABLES")
        until = time.monotonic() + 60
        while not settling.is_over(host.read()):
            assert time.monotonic() < until, (settling.unpaid, settling.debt)
            time.sleep(1)
    finally:
        assert settling.end() == []
        host.close()
    return settling, forced


def changed(before: dict[str, str], after: dict[str, str]) -> set[str]:
    told = {name for name in before if before[name] != after.get(name)}
    return told - {name for name in told if name.startswith(("gtid", "timestamp", "innodb_buffer_pool_dump"))}


def check_settled(server: Server, engine: str) -> Settling:
    client = server.client
    write(client, engine)
    before = client.pairs("SHOW GLOBAL VARIABLES")
    assert any(
        debt_of(client, engine).get(name, 0)
        for name in ("dirty_pages", "memtable_bytes", "unflushed_key_blocks")
    )
    settling, forced = settle(server, engine)
    debt = debt_of(client, engine)
    assert debt.get("dirty_pages", 0) <= 128
    assert debt.get("history_list", 0) <= 5000
    assert not debt.get("unflushed_key_blocks")
    assert debt.get("memtable_bytes", 0) < 1 << 20
    assert settling.waited_for
    assert (engine == "innodb") == bool(changed(before, forced))
    assert changed(before, client.pairs("SHOW GLOBAL VARIABLES")) == set()
    assert row_bytes(client) == 188
    return settling


@pytest.mark.parametrize("engine", ["innodb", "rocksdb", "myisam"])
def test_mariadb_settles_and_has_its_variables_back(tmp_path: Path, engine: str) -> None:
    with started(tmp_path, Path("/usr/sbin/mariadbd"), Path("/usr"), "MariaDB", "10.11", engine) as server:
        check_settled(server, engine)


@pytest.mark.parametrize(
    ("name", "binary"),
    [
        pytest.param("mysql-5.6", "mysqld", marks=pytest.mark.build("mysql-5.6")),
        pytest.param("mysql-9.7", "mysqld", marks=pytest.mark.build("mysql-9.7")),
    ],
)
def test_mysql_settles_and_has_its_variables_back(
    tmp_path: Path, build_path: Callable[[str], Path], name: str, binary: str
) -> None:
    base = build_path(name)
    server = next(path for path in (base / "bin" / binary, base / binary) if path.exists())
    with started(tmp_path, server, base, "MySQL", name.removeprefix("mysql-"), "innodb") as running:
        check_settled(running, "innodb")
