"""ANALYZE TABLE between steps, on a real server: what is kept of it, what ends it, what does not."""

from __future__ import annotations

import os
import signal
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pymysql
import pytest

from app.agent.sampling.write_accounting import WriteAccounting
from app.agent.server.mysql import Client
from app.agent.steps.analyse import TableAnalysis
from app.agent.system.control import ControlRequests, StopRequested, request
from app.protocol.plan import Plan
from tests import plans
from tests.integration.generated import ROWS, TABLES, Server, fill, started_server

INDEX = 1  # the step of the duel after which tables are analysed
SOON_S = 5.0


@dataclass
class Session:
    """As much of a session as analysing needs, on a real server with real requests of people."""

    folder: Path
    running: Server
    engine: str = "innodb"
    rows: int = TABLES * ROWS
    events: list[dict[str, Any]] = field(default_factory=list)
    fact: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.plan: Plan = plans.plan()
        self.contender = replace(self.plan.contenders[0], engine=self.engine)
        self.control = ControlRequests(str(self.folder))
        self.write_accounting = WriteAccounting(self.plan)
        self.write_accounting.rows["inserted"] = self.rows
        self.server = self.facts = self.journal = self
        self.socket, self.client = self.running.socket, Client(self.running.socket)
        self.was_killed = False

    def another_client(self, read_s: float | None) -> Client:
        return Client(self.socket, read_s)

    def wait(self, seconds: float) -> None:
        time.sleep(seconds)
        self.control.look(self.journal)  # type: ignore[arg-type]
        if self.control.interrupts == "stopped":
            self.was_killed = True
            raise StopRequested

    def write_analysed(self, step: Any, found: dict[str, Any]) -> None:
        assert step is self.plan.steps[INDEX]
        self.fact = found

    def write(self, kind: Any, **fields: Any) -> None:
        self.events.append({"kind": kind.kind, **fields})

    def log(self, text: str, level: str) -> None:
        self.events.append({"kind": "log", "text": text, "level": level})

    def analyse(self) -> TableAnalysis:
        analysing = TableAnalysis(self, self)  # type: ignore[arg-type]
        try:
            analysing.run(self.plan.steps[INDEX], INDEX)
        finally:
            self.client.close()
        return analysing

    @property
    def said(self) -> list[list[str]]:
        return [each["said"] for each in self.fact["tables"].values()]


@contextmanager
def locked(server: Server, table: str) -> Iterator[None]:
    """ANALYZE TABLE waits for this table."""
    connection = pymysql.connect(unix_socket=server.socket, user="root")
    connection.cursor().execute(f"LOCK TABLES dyno.{table} WRITE")
    yield
    connection.close()


@contextmanager
def requested(session: Session, verb: str, **what: str) -> Iterator[None]:
    """What a person asks for soon after it has begun."""
    timer = threading.Timer(0.5, request, [str(session.folder), verb], what)
    timer.start()
    yield
    timer.join()


@pytest.mark.parametrize("engine", ["innodb", "rocksdb", "myisam", "aria"])
def test_the_estimate_is_read_back_and_set_beside_the_rows(
    server: Server, tmp_path: Path, engine: str
) -> None:
    fill(server, engine)
    server.query("INSERT INTO dyno.sbtest1 (k, c, pad) SELECT k, c, pad FROM dyno.sbtest1")
    session = Session(tmp_path, server, engine, 3 * ROWS)
    assert session.analyse().marks == []
    assert session.fact["rows"] == 3 * ROWS
    assert session.fact["estimate"] == pytest.approx(3 * ROWS, rel=0.2)
    assert [each["estimate"] for each in session.fact["tables"].values()] == [
        pytest.approx(2 * ROWS, rel=0.2),
        pytest.approx(ROWS, rel=0.2),
    ]
    assert session.said[0] == ["status OK"]
    assert (session.fact["problem"], session.fact["seconds"] > 0) == ("", True)
    (mark,) = session.events
    assert (mark["kind"], mark["name"], mark["value"]) == ("mark", "analysed", session.fact["seconds"])


def test_an_estimate_that_is_far_off_is_written_down_and_marks_the_steps_behind(
    server: Server, tmp_path: Path
) -> None:
    fill(server, "innodb")
    session = Session(tmp_path, server, rows=3 * TABLES * ROWS)
    analysing = session.analyse()
    assert analysing.marks == ["bad-statistics"]
    (log,) = [each for each in session.events if each["kind"] == "log"]
    assert "ANALYZE TABLE after index: the server estimates " in log["text"]
    assert log["text"].endswith(" rows instead of 18,000")
    session.write_accounting.rows["deleted"] = 2 * TABLES * ROWS
    analysing.run(session.plan.steps[INDEX], INDEX)
    session.client.close()
    assert analysing.marks == []


def test_an_engine_that_cannot_is_judged_by_its_estimate(server: Server, tmp_path: Path) -> None:
    server.query("DROP DATABASE IF EXISTS dyno", "CREATE DATABASE dyno")
    server.query("CREATE TABLE dyno.sbtest1 (id INT) ENGINE=MEMORY", "INSERT dyno.sbtest1 VALUES (1)")
    session = Session(tmp_path, server, rows=1)
    analysing = session.analyse()
    assert (analysing.marks, session.fact["problem"], session.fact["estimate"]) == ([], "", 1)
    assert session.fact["tables"]["sbtest1"]["said"] == [
        "note The storage engine for the table doesn't support analyze"
    ]
    session.write_accounting.rows["inserted"] = 1000
    analysing.run(session.plan.steps[INDEX], INDEX)
    session.client.close()
    assert analysing.marks == ["bad-statistics"]


def test_a_statement_that_the_server_refuses_is_quoted(server: Server, tmp_path: Path) -> None:
    fill(server, "myisam", with_index=False)
    (server.folder / "data/dyno/sbtest1.MYI").write_bytes(b"no index")
    server.query("FLUSH TABLES")
    session = Session(tmp_path, server, "myisam")
    assert session.analyse().marks == ["bad-statistics"]
    assert session.fact["problem"].startswith("sbtest1: ")
    assert "ncorrect" in session.fact["problem"] or "rror" in session.fact["problem"]
    assert session.fact["tables"]["sbtest2"]["estimate"] == ROWS


@pytest.mark.parametrize(("verb", "what"), [("skip", {}), ("stop", {"what": "step"})])
def test_a_request_ends_it_and_the_session_goes_on(
    server: Server, tmp_path: Path, verb: str, what: dict[str, str]
) -> None:
    fill(server, "innodb")
    session, began = Session(tmp_path, server), time.monotonic()
    with locked(server, "sbtest1"), requested(session, verb, **what):
        assert session.analyse().marks == ["bad-statistics"]
    assert time.monotonic() - began < SOON_S
    assert "nterrupted" in session.said[0][0]
    assert session.said[1] == ["skipped by a person"]
    assert not [row for row in server.query("SHOW PROCESSLIST") if "ANALYZE" in str(row[7])]


def test_a_stop_of_the_session_does_not_wait_for_it(server: Server, tmp_path: Path) -> None:
    fill(server, "innodb")
    session, began = Session(tmp_path, server), time.monotonic()
    with locked(server, "sbtest1"), requested(session, "stop"), pytest.raises(StopRequested):
        session.analyse()
    assert time.monotonic() - began < SOON_S
    assert session.was_killed and not session.fact


def test_a_server_that_dies_meanwhile_leaves_the_rest_to_the_session(tmp_path: Path) -> None:
    with started_server() as running:
        fill(running, "innodb")
        session = Session(tmp_path, running)
        pid = int((running.folder / "data" / f"{socket.gethostname()}.pid").read_text())
        with locked(running, "sbtest1"):
            timer = threading.Timer(0.5, os.kill, [pid, signal.SIGKILL])
            timer.start()
            assert session.analyse().marks == ["bad-statistics"]
    assert "Lost connection" in session.said[0][0]
    assert session.fact["estimate"] is None


def test_a_skip_of_the_step_before_does_not_skip_it(server: Server, tmp_path: Path) -> None:
    fill(server, "innodb")
    session = Session(tmp_path, server)
    request(str(tmp_path), "skip")
    session.wait(0)
    assert session.control.interrupts == "skipped"
    assert session.analyse().marks == []
