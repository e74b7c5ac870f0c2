"""A small mariadbd and sysbench with the Lua of the workloads, as the tests of the workloads need them."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pymysql
import pytest

from app.agent.server.bootstrap import bootstrap
from app.agent.server.mysql import Client
from app.agent.steps.analyse import AnalyseTables
from app.catalog import Catalog, Workload
from app.engines import engine_of
from app.protocol.plan import START
from app.protocol.sysbench import STARTED
from tests.installed import KNOWN, SERVER

WORKLOADS = Path(__file__).parents[2] / "workloads"
ENGINES = ("innodb", "rocksdb", "myisam")
TABLES, ROWS = 2, 3000
KEPT = (1213, 1020, 1205)  # errors that the workloads go on after


@dataclass
class Server:
    """A running server and the folder that holds its socket and logs."""

    folder: Path
    pid: int = 0

    @property
    def socket(self) -> str:
        return str(self.folder / "s")

    def query(self, *statements: str) -> list[tuple[Any, ...]]:
        """Send statements over a connection of their own; the rows of the last one."""
        with pymysql.connect(unix_socket=self.socket, user="root", autocommit=True) as connection:
            cursor = connection.cursor()
            for statement in statements:
                cursor.execute(statement)
            return list(cursor.fetchall())

    def counters(self, *names: str) -> dict[str, int]:
        found = {str(name).lower(): value for name, value in self.query("SHOW GLOBAL STATUS")}
        return {name: int(found[name]) for name in names}

    def stop(self, seconds: float) -> float:
        """Stop it for so long; returns how long it was stopped."""
        os.kill(self.pid, signal.SIGSTOP)
        stopped = time.monotonic()
        time.sleep(seconds)
        os.kill(self.pid, signal.SIGCONT)
        return time.monotonic() - stopped

    def count_rows(self, tables: int = TABLES) -> int:
        return sum(self.query(f"SELECT COUNT(*) FROM dyno.sbtest{i}")[0][0] for i in range(1, tables + 1))


@contextmanager
def started_server() -> Iterator[Server]:
    """A private mariadbd with InnoDB, RocksDB and MyISAM; its path is short, as a socket's must be."""
    folder = Path(tempfile.mkdtemp(prefix="dyno-w-"))
    my_cnf = folder / "my.cnf"
    my_cnf.write_text(f"[mysqld]\ndatadir={folder / 'data'}\n" + "user=root\n" * (os.geteuid() == 0))
    (folder / "data").mkdir()
    bootstrap(SERVER, "/usr", str(my_cnf), KNOWN, {})
    server = Server(folder)
    process = subprocess.Popen([SERVER, f"--defaults-file={my_cnf}", *_settings(server)])
    try:
        _await_ready(server, process)
        server.pid = process.pid
        yield server
    finally:
        process.terminate()
        process.wait(30)
        shutil.rmtree(folder)


def _settings(server: Server) -> list[str]:
    return [
        f"--socket={server.socket}",
        f"--log-error={server.folder / 'error.log'}",
        f"--general-log-file={server.folder / 'general.log'}",
        "--skip-networking",
        "--plugin-load-add=ha_rocksdb",
        "--innodb-buffer-pool-size=64M",
        "--innodb-flush-log-at-trx-commit=2",
        "--rocksdb-flush-log-at-trx-commit=2",
        "--rocksdb-block-cache-size=32M",
    ]


def _await_ready(server: Server, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 120  # on a busy machine
    while not _answers(server):
        assert process.poll() is None, (server.folder / "error.log").read_text()
        assert time.monotonic() < deadline, "mariadbd does not answer"
        time.sleep(0.05)


def _answers(server: Server) -> bool:
    """Its socket is there a moment before it listens."""
    with socket.socket(socket.AF_UNIX) as tried:
        return tried.connect_ex(server.socket) == 0


@dataclass(frozen=True)
class Work:
    """One process of sysbench: what it is asked to do."""

    lua: str
    engine: str = "innodb"
    threads: int = 2
    seconds: int = 0
    warmup: int = 0
    events: int = 0
    seed: int = 1
    tables: int = TABLES
    rows: int = ROWS
    ignored: tuple[int, ...] = KEPT
    options: Mapping[str, Any] = field(default_factory=dict)
    folder: Path = WORKLOADS

    def command(self, socket: str, fd: int) -> list[str]:
        line = ["sysbench", "--db-driver=mysql", f"--mysql-socket={socket}", "--mysql-user=root"]
        line += ["--mysql-db=dyno", f"--mysql-ignore-errors={','.join(map(str, self.ignored)) or 'none'}"]
        line += [f"--threads={self.threads}", f"--events={self.events}", "--report-interval=1"]
        line += [f"--time={self.warmup + self.seconds}"]
        line += [f"--report-checkpoints={self.warmup}"] if self.warmup else []
        line += [
            f"--rand-seed={self.seed}",
            "--histogram=on",
            "--percentile=95",
            "--verbosity=1",
            str(WORKLOADS / START),
        ]
        line += [f"--tables={self.tables}", f"--table-size={self.rows}", f"--engine={self.engine}"]
        line += [f"--{name.replace('_', '-')}={_word(value)}" for name, value in self.options.items()]
        return [*line, f"--report-fd={fd}", "run"]


def _word(value: Any) -> str:
    return {True: "on", False: "off"}[value] if isinstance(value, bool) else str(value)


@dataclass(frozen=True)
class Outcome:
    """What a process of sysbench wrote, and how it ended."""

    code: int
    lines: list[dict[str, Any]]
    said: str

    @property
    def total(self) -> dict[str, Any]:
        assert self.lines and self.lines[-1]["type"] == "total", self.said
        return self.lines[-1]

    def of(self, kind: str) -> list[dict[str, Any]]:
        return [line for line in self.lines if line["type"] == kind]


def start(server: Server, work: Work, **more: Any) -> tuple[subprocess.Popen[str], int]:
    """The process, and the end of the pipe that its lines come out of."""
    reader, writer = os.pipe()
    process = subprocess.Popen(
        work.command(server.socket, writer),
        cwd=work.folder,
        env={**os.environ, "LUA_PATH": f"{WORKLOADS}/?.lua;;", STARTED: work.lua},
        pass_fds=(writer,),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        **more,
    )
    os.close(writer)
    return process, reader


def drive(server: Server, work: Work) -> Outcome:
    """Carry it out to its end."""
    process, reader = start(server, work)
    with process, open(reader) as pipe:
        lines = [json.loads(line) for line in pipe]
        said, _ = process.communicate(timeout=60)
    return Outcome(process.returncode, lines, said)


def completed(server: Server, work: Work) -> Outcome:
    """Carry out what ends well."""
    outcome = drive(server, work)
    assert outcome.code == 0, outcome.said
    return outcome


def percentile(buckets: list[list[float]], percent: int) -> float:
    """The upper bound of the bucket in which so many of a hundred have been reached."""
    wanted, seen = sum(count for _, count in buckets) * percent / 100, 0.0
    for upper, count in buckets:
        seen += count
        if seen >= wanted:
            return upper
    raise AssertionError(buckets)


def p99_of_stop(stop_s: float, events: int, rate: float) -> float:
    """The p99 in ms of even arrivals: of those due in a stop, one waits less than the one before it."""
    return (stop_s - events * 0.01 / rate) * 1000


def shipped(name: str, engine: str, **more: Any) -> Work:
    """A shipped workload as its TOML describes it."""
    workload = Catalog().workload(name)
    ignored = (*workload.ignore_errors, *workload.ignore_errors_by_engine.get(engine, []))
    more["options"] = {**workload.options, **more.get("options", {})}
    more.setdefault("seed", 1 + sum(name.encode()))  # one seed for two steps: both write the same texts
    return Work(workload.lua, engine, ignored=ignored, **more)


def classic() -> list[Workload]:
    """The workloads of tables like sbtest1; custom SQL and full-text search have tables of their own."""
    found = [each for each in Catalog().workloads()[0] if "tables" in (each.makes, *each.needs)]
    return [each for each in found if not each.sql]


def fill(server: Server, engine: str, with_index: bool = True, **more: Any) -> Outcome:
    """A fresh database with the tables in it; the outcome of the load."""
    outcome = loaded_anew(server, "load", engine, **more)
    if with_index:
        more.pop("options", None)
        completed(server, shipped("index", engine, **more))
        analyse(server, engine)
    return outcome


def loaded_anew(server: Server, name: str, engine: str, **more: Any) -> Outcome:
    """A fresh database that this load has filled."""
    server.query("DROP DATABASE IF EXISTS dyno", "CREATE DATABASE dyno")
    return completed(server, shipped(name, engine, **more))


def violated(server: Server, load: str) -> list[str]:
    """The names of the conditions of a load that do not hold."""
    conditions = Catalog().workload(load).condition
    assert conditions
    return [each.name for each in conditions if server.query("USE dyno", each.sql)]


def analyse(server: Server, engine: str) -> AnalyseTables:
    """Have the tables analysed as a session does; without it whole tables may be read for a few rows."""
    work = AnalyseTables(Client(server.socket, None), engine_of(engine).before_analyse)
    work.start()
    work.join()
    assert not work.problem, work.problem
    return work


def logged(server: Server, work: Work) -> tuple[Outcome, str]:
    """A workload carried out, and the statements as they came to the server."""
    log = server.folder / "general.log"
    server.query("SET GLOBAL general_log = 1")
    outcome = drive(server, work)
    server.query("SET GLOBAL general_log = 0")
    text = log.read_text(errors="replace")
    log.unlink()
    server.query("FLUSH GENERAL LOGS")
    assert outcome.code == 0, outcome.said
    return outcome, text


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with started_server() as running:
        yield running


@pytest.fixture(scope="module")
def tables(server: Server) -> Server:
    """With the tables of InnoDB."""
    fill(server, "innodb")
    return server


@pytest.fixture(scope="module", params=[*ENGINES, pytest.param("aria", marks=pytest.mark.full)])
def filled(server: Server, request: pytest.FixtureRequest) -> str:
    """The engine of the tables that are there."""
    fill(server, request.param)
    return str(request.param)
