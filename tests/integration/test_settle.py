"""Settling on real servers: what is waited for, what is forced and put back, what is kept of it."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from app.agent.sampling.host import HostSampler
from app.agent.sampling.write_accounting import fixed_row_width
from app.agent.server.debt import debt_of
from app.agent.server.mysql import Client
from app.agent.server.options import known_options
from app.agent.server.server import Server, start_ticks
from app.agent.steps.settle_step import Settling
from app.agent.survey.builds import environment
from app.protocol.answers import Build
from app.protocol.events import Fact, ProgressEvent, StepEnded
from app.protocol.step_parts import SettleAfterRun
from tests.installed import MARIADB, SERIES, SERVER
from tests.integration.desktop import Desktop, own_marks
from tests.integration.on_target import begun, on_target
from tests.plans import write as write_file
from tests.sequences import INDEX, LOAD, SETTLED, own_sequence
from tests.waiting import wait_until

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
    known = known_options(Build("x", str(base), str(server), environment=found))
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
    assert (engine == "innodb") == bool(changed(before, forced))
    assert changed(before, client.pairs("SHOW GLOBAL VARIABLES")) == set()
    assert fixed_row_width(client) == 188
    return settling


@pytest.mark.parametrize("engine", ["innodb", "myisam"])
def test_mariadb_settles_and_has_its_variables_back(tmp_path: Path, engine: str) -> None:
    with started(tmp_path, Path(SERVER), Path("/usr"), "MariaDB", SERIES, engine) as server:
        check_settled(server, engine)


@pytest.mark.parametrize(
    ("name", "binary"),
    [
        pytest.param("mysql-5.6", "mysqld", marks=[pytest.mark.build("mysql-5.6"), pytest.mark.full]),
        pytest.param("mysql-8.0", "mysqld", marks=[pytest.mark.build("mysql-8.0"), pytest.mark.full]),
        pytest.param("mysql-9.7", "mysqld", marks=[pytest.mark.build("mysql-9.7"), pytest.mark.full]),
    ],
)
def test_mysql_settles_and_has_its_variables_back(
    tmp_path: Path, build_path: Callable[[str], Path], name: str, binary: str
) -> None:
    base = build_path(name)
    server = next(path for path in (base / "bin" / binary, base / binary) if path.exists())
    with started(tmp_path, server, base, "MySQL", name.removeprefix("mysql-"), "innodb") as running:
        check_settled(running, "innodb")


# whole sessions

WRITES = own_sequence(  # two settle steps, of the load and of writes, and reads with debt and without
    "writes", LOAD, INDEX, 'name = "early"\nworkload = "point-query"', 'kind = "settle"',
    'workload = "update-index"\nsettle_after = true', 'workload = "scan"', rows=90000, warmup=1,
)  # fmt: skip
HEAD = """\
# title: For a test
# purpose: redo that nobody waits for
# durability: none
# source: a test

[mysqld]
innodb_buffer_pool_size = 256M
innodb_flush_log_at_trx_commit = 2
"""
QUICK = {
    "innodb": HEAD,
    "rocksdb": HEAD + "plugin_load_add = ha_rocksdb\nrocksdb_flush_log_at_trx_commit = 2\n",
}
SLOW = HEAD + "innodb_io_capacity = 100\ninnodb_io_capacity_max = 100\n"
SETTLE, AFTER, AGAIN = 2, 3, 4  # steps of SLOWLY
SLOWLY = own_sequence(
    "slowly",
    LOAD,
    SETTLED,
    'workload = "point-query"',
    'kind = "settle"',
    rows=60000,
    threads=[1],
    seconds=60,
)


@pytest.mark.disk
@pytest.mark.full
@pytest.mark.parametrize("engine", ["innodb", "rocksdb"])
def test_what_settling_cost_is_kept_with_the_steps_that_caused_it(desktop: Desktop, engine: str) -> None:
    write_file(desktop.home / "sequences/writes.toml", WRITES)
    write_file(desktop.home / f"presets/{engine}/quick.cnf", QUICK[engine])
    words = ["--sequence", "writes", "--contender", f"{MARIADB}:{engine}:quick"]
    desktop.dyno("run", "--target", "local", *words)
    shown = desktop.json("session", "show", "last")
    steps = {step["name"]: step for step in shown["steps"]}
    assert {step["name"] for step in shown["steps"] if step["settled"]} == {"load", "update-index"}
    load, writes = steps["load"]["settled"], steps["update-index"]["settled"]
    assert load["steps"] == ["load", "index"]
    assert (load["rows"], load["row_bytes"]) == (180000, 188)
    assert load["seconds"] == pytest.approx(steps["settle"]["value"])
    assert 0.5 < load["write_amplification"] < 50
    assert 1 < load["space_amplification"] < 5
    assert load["run_written_bytes"] == pytest.approx(load["write_amplification"] * 180000 * 188, rel=0.01)
    assert writes["steps"] == ["update-index threads=2"]
    events = [e for e in desktop.events(shown["id"]) if isinstance(e, StepEnded)]
    rows = steps["update-index"]["queries"]
    assert rows < writes["rows"]  # the second of its warm-up wrote rows too
    assert ("indebted" in steps["early"]["marks"]) == (engine == "innodb")
    guessed = {"no-statistics"} if engine == "rocksdb" else set()  # of rows that lie in memory it guesses
    assert set(own_marks(steps["scan"]["marks"])) <= guessed
    assert not events[3].debt.get("memtable_bytes", 0) > 1 << 20
    check_scan(desktop, shown)
    text = desktop.dyno("session", "show", "last").stdout
    assert "load, index: settled in" in text
    assert "write amplification" in text
    compared = ("compare", shown["id"], "--measure", "write_amplification", "--format", "csv")
    assert f"{load['write_amplification']:g}" in desktop.dyno(*compared).stdout


def check_scan(desktop: Desktop, shown: dict[str, Any]) -> None:
    (verdict_legend,) = shown["explains"]
    assert verdict_legend["step"] == "scan threads=2"
    assert verdict_legend["statement"] == "SELECT * FROM sbtest1 WHERE LENGTH(c) < 0"
    assert verdict_legend["rows"][0]["type"] == "ALL"
    found = desktop.json("session", "series", shown["id"], "scan", "--series", "qps")
    assert set(found["values"]) <= {None}


def begin_slowly(desktop: Desktop) -> None:
    """Until a settle step is in the middle of its work."""
    write_file(desktop.home / "presets/innodb/slow.cnf", SLOW)
    write_file(desktop.home / "sequences/slowly.toml", SLOWLY)
    desktop.begin("run", "--target", "local", "--sequence", "slowly", "--contender", f"{MARIADB}:innodb:slow")
    wait_until(begun(desktop, SETTLE), "the settle step is at work", 180)


def limit_of(desktop: Desktop) -> float:
    """The share of dirty pages that the server under test allows, asked of it."""
    (record,) = desktop.target.glob("sessions/*/server.pid")
    client = Client(record.read_text().split()[2] + "/s")
    found = client.pairs("SHOW GLOBAL VARIABLES LIKE 'innodb_max_dirty_pages_pct'")
    client.close()
    return float(found["innodb_max_dirty_pages_pct"])


@pytest.mark.full
def test_skipped_or_stopped_it_leaves_no_variable_changed(desktop: Desktop) -> None:
    begin_slowly(desktop)
    assert limit_of(desktop) == 0
    wait_until(
        lambda: any(isinstance(e, ProgressEvent) and "dirty pages" in e.text for e in on_target(desktop)),
        "text",
    )
    desktop.dyno("skip", "--target", "local")
    wait_until(begun(desktop, AFTER), "the next step is at work", 180)
    assert limit_of(desktop) == 90
    desktop.dyno("skip", "--target", "local")
    wait_until(begun(desktop, AGAIN), "it settles again", 180)
    assert limit_of(desktop) == 0
    server = desktop.server_pid()
    desktop.dyno("stop", "--session", "--target", "local")
    wait_until(lambda: not desktop.agent_pid(), "the agent has ended", 180)
    assert start_ticks(server) == "?"
    ended = {e.step: e for e in on_target(desktop) if isinstance(e, StepEnded)}
    assert [ended[step].outcome for step in (SETTLE, AFTER, AGAIN)] == ["skipped", "skipped", "stopped"]
    assert not isinstance(ended[SETTLE].settled, SettleAfterRun)


@pytest.mark.full
def test_what_a_killed_agent_has_set_is_no_setting_of_the_next_server(desktop: Desktop) -> None:
    begin_slowly(desktop)
    assert limit_of(desktop) == 0
    os.kill(desktop.agent_pid(), signal.SIGKILL)
    desktop.dyno("run", *desktop.plan(f"{MARIADB}:innodb:slow", seconds=1))
    (session,) = [entry["id"] for entry in desktop.sessions() if entry["state"] == "completed"]
    facts = {e.name: e.value for e in desktop.events(session) if isinstance(e, Fact)}
    assert float(facts["variables"]["innodb_max_dirty_pages_pct"]) == 90
