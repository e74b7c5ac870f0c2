"""Workloads read the rows that they must and no more, on every build and engine, right after their load."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from app.agent.sampling.counters import ServerCounterSampler, await_last_client, read_status, status_deltas
from app.agent.sampling.figures import totals_of
from app.agent.server.mysql import Client
from app.agent.server.server import Server as AgentServer
from app.agent.steps.same_work import STATUS_ROWS, RowTolerance, beyond, rows_per_event
from app.catalog import Catalog, Workload
from app.engines import KNOWN
from app.protocol.work import rows_per_event_bounds, statements_of
from tests.installed import SERVER, VERSION
from tests.integration.generated import Server, analyse, classic, drive, fill, shipped
from tests.integration.test_settle import started
from tests.running import builds
from tests.unit.protocol.test_work import planned

ROWS = 5000
MORE_ROWS = 20_000  # of which a range is so few that every engine takes the index
SENT = 200  # events of each workload
FEW = 60  # statements of who asks for figures, rows of the statistics of tables
COMMANDS = ("select", "update", "insert", "delete", "begin", "commit")
FIRST = ("read-only", "read-write", "random-points")  # those that met tables without statistics


class Build(NamedTuple):
    """Where its server is, and what it has."""

    name: str
    server: str
    family: str
    version: str
    engines: tuple[str, ...]

    @property
    def base(self) -> Path:
        found = builds.find(self.name) if self.name else Path("/usr")
        assert found is not None
        return found


PLAIN, ARIA = ("innodb", "myisam"), ("innodb", "myisam", "aria")
EVERY = ("innodb", "rocksdb", "myisam", "aria")
INSTALLED = Build("", SERVER, "MariaDB", VERSION, EVERY)
TESTED = [Build("mysql-9.7", "bin/mysqld", "MySQL", "9.7.4", PLAIN)]
OTHERS = [
    Build("mysql-5.5", "bin/mysqld", "MySQL", "5.5.9", PLAIN),
    Build("mysql-5.6", "mysqld", "MySQL", "5.6.24", PLAIN),
    Build("mysql-5.7", "mysqld", "MySQL", "5.7.29", PLAIN),
    Build("mysql-8.0", "bin/mysqld", "MySQL", "8.0.33", PLAIN),
    Build("mariadb-10.2", "bin/mysqld", "MariaDB", "10.2.11", ARIA),
    Build("mariadb-11.4", "bin/mariadbd", "MariaDB", "11.4.5", ARIA),
    Build("mariadb-11.8", "bin/mariadbd", "MariaDB", "11.8.9", EVERY),
]

ALL = [
    pytest.param(each, id=each.name or "installed", marks=[pytest.mark.build(each.name)] if each.name else [])
    for each in (INSTALLED, *TESTED, *OTHERS)
]
BUILDS = [
    pytest.param(INSTALLED, id="installed"),
    *(pytest.param(each, id=each.name, marks=pytest.mark.build(each.name)) for each in TESTED),
    *(
        pytest.param(each, id=each.name, marks=[pytest.mark.full, pytest.mark.build(each.name)])
        for each in OTHERS
    ),
]
BUILDS_IN_FULL = [  # of what takes long
    pytest.param(INSTALLED, id="installed"),
    *(
        pytest.param(each, id=each.name, marks=[pytest.mark.full, pytest.mark.build(each.name)])
        for each in (*TESTED, *OTHERS)
    ),
]


@contextmanager
def running(build: Build, folder: Path) -> Iterator[AgentServer]:
    """Its server. What it may count of tables in the background comes too late for the first steps."""
    plugin = "rocksdb" if "rocksdb" in build.engines else ""
    server = build.base / build.server
    with started(folder, server, build.base, build.family, build.version, plugin) as found:
        found.client.try_run("SET GLOBAL innodb_stats_auto_recalc=0")
        yield found


def on_each_engine(build: Build, folder: Path, clients: int = 4) -> Iterator[tuple[Server, str, int]]:
    """Its server with each engine, and these clients or, where it has no transactions, one."""
    with running(build, folder) as found:
        for engine in build.engines:
            yield Server(Path(found.private)), engine, clients if KNOWN[engine].has_transactions else 1


def position(server: Server) -> Any:
    """In the binary log; () where there is none."""
    version = str(server.query("SELECT VERSION()")[0][0])
    found = server.query("SHOW BINARY LOG STATUS" if version.startswith("9.") else "SHOW MASTER STATUS")
    assert bool(found) == version.startswith(("8.", "9."))  # MySQL from 8.0 on has it on
    return found


@pytest.mark.full
@pytest.mark.parametrize("build", BUILDS)
def test_right_after_the_load_no_more_is_read_than_must_be(build: Build, tmp_path: Path) -> None:
    with running(build, tmp_path) as found:
        server = Server(Path(found.private))
        for engine in build.engines:
            load(server, engine)
            check_analysed(server, engine)
            for name in FIRST:
                assert other_work(server, found.client, engine, Catalog().workload(name)) == []
        check_leaving(found)
        if build.family == "MySQL":  # on MariaDB: test_workloads
            check_every_workload(server, found.client)


def check_every_workload(server: Server, client: Client) -> None:
    """Each of them does on this build what it says it did, as the server counts it."""
    fill(server, "innodb", rows=ROWS)
    for workload in sorted(classic(), key=lambda each: each.changes_rows):
        if workload.kind == "drive":
            before = read_status(client)
            outcome = drive(server, shipped(workload.name, "innodb", rows=ROWS, events=SENT))
            assert outcome.code == 0, (workload.name, outcome.said)
            await_last_client(client)
            check_counts(outcome.total, status_deltas(before, read_status(client)), workload)


def check_counts(total: dict[str, Any], status: dict[str, float], workload: Workload) -> None:
    """Where events were repeated, the server counts what the driver gave up too."""
    sent = total["reads"] + total["writes"] + total["other"]
    assert total["errors"] or sent == SENT * workload.queries_per_event, workload.name
    counted = sum(status.get(f"com_{command}", 0) for command in COMMANDS)
    assert total["errors"] or sent <= counted <= sent + FEW, workload.name
    for done in ("inserted", "updated", "deleted"):  # InnoDB counts without a lock: now and then it loses one
        difference = abs(status.get(f"innodb_rows_{done}", 0) - total["rows"][done])
        assert total["errors"] or difference <= FEW, (workload.name, done)


def check_leaving(server: AgentServer) -> None:
    """What clients did is counted once, also while their connections are taken down, which takes a while."""
    server.client.run("CREATE DATABASE IF NOT EXISTS leaving")
    before = selects(server.client)
    clients = [Client(server.socket) for _ in range(4)]
    for client in clients:
        for number in range(30):
            client.run(f"CREATE TEMPORARY TABLE leaving.t{number} (a INT) ENGINE=InnoDB")
        for _ in range(100):
            client.query("SELECT 1")
    for client in clients:
        client.close()
    await_last_client(server.client)
    assert selects(server.client) - before == 400


def selects(client: Client) -> int:
    return int(client.pairs("SHOW GLOBAL STATUS LIKE 'Com_select'")["com_select"])


def load(server: Server, engine: str) -> None:
    """As badly as it can come in a session: tables closed in between are empty ones for InnoDB."""
    fill(server, engine, with_index=False, rows=ROWS)
    server.query("FLUSH TABLES")
    assert drive(server, shipped("index", engine, rows=ROWS)).code == 0


def check_analysed(server: Server, engine: str) -> None:
    """The server knows how many rows there are; nothing of it is in the binary log."""
    before = position(server)
    tables = analyse(server, engine).tables
    assert [each["estimate"] for each in tables.values()] == [pytest.approx(ROWS, rel=0.2)] * 2
    assert position(server) == before


@pytest.mark.full
@pytest.mark.parametrize("build", ALL)
def test_an_event_does_the_same_work_everywhere(build: Build, tmp_path: Path) -> None:
    """Each workload on each engine of each build, as the product judges it."""
    with running(build, tmp_path) as found:
        server, wrong = Server(Path(found.private)), []
        for engine in build.engines:
            fill(server, engine, rows=MORE_ROWS)
            for workload in sorted(classic(), key=lambda each: each.changes_rows):
                if workload.kind == "drive":
                    wrong += other_work(server, found.client, engine, workload, MORE_ROWS)
        assert wrong == []


def other_work(
    server: Server, client: Client, engine: str, workload: Workload, rows: int = ROWS
) -> list[str]:
    """Where the rows of an event are not those that the workload must read, send, change and sort."""
    counters = ServerCounterSampler(client, engine)
    before = counters.read()
    outcome = drive(server, shipped(workload.name, engine, events=SENT, rows=rows))
    assert outcome.code == 0, outcome.said
    await_last_client(client)
    after = counters.read()
    statements = statements_of(*planned(workload, rows))
    assert statements, workload.name
    bounds = rows_per_event_bounds(statements, counters.counts_calls(after))
    watched = STATUS_ROWS / SENT if counters.counts_calls(after) else 0.0
    errors = 1 + outcome.total["errors"] / SENT
    room = RowTolerance(0.95, 1.05 * errors, watched)  # of the rows few come and go
    found = rows_per_event(totals_of(outcome.total), counters.spent(before, after), outcome.total["events"])
    return [f"{engine}, {workload.name}: {each}" for each in beyond(found, bounds, room).values()]
