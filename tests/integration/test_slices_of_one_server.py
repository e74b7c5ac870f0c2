"""Two schemas of one server that runs already: slices where steps only read, and why none that write."""

from __future__ import annotations

import re
import time
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest

from app.agent.existing.reach import reach_server
from app.agent.server.mysql import certificate_of
from app.protocol.answers import ServerAddress
from app.protocol.events import Fact, LogEvent, StepEnded
from tests.integration.delaying_relay import delaying_relay
from tests.integration.desktop import Desktop
from tests.integration.test_existing_servers import (
    ALL,
    HOST,
    PASSWORD,
    add,
    given_password,
    tables,
    with_account,
)
from tests.sequences import INDEX, LOAD, own_sequence
from tests.team_server import Database

__all__ = ["given_password"]  # of each test here

READS = own_sequence("reads", LOAD, INDEX, 'workload = "point-query"\nrate = 200', seconds=3)
READ = 2
SLICE_S, TURNS, ROWS = 0.25, 12, 20_000
LINE = re.compile(r"\s(\d+) (?:(Connect)\t\S+ on (\w+)|(Execute)\tSELECT c)")


class Flushed(NamedTuple):
    writing: int  # pages, while one writes
    reading: int  # while the other one reads


@pytest.mark.parametrize(
    "name",
    [ALL[0], *(pytest.param(*each.values, marks=[*each.marks, pytest.mark.full]) for each in ALL[1:])],
)
def test_in_slices_each_schema_has_the_queries_that_the_server_logs(name: str, desktop: Desktop) -> None:
    (desktop.home / "sequences" / "reads.toml").write_text(READS)
    with with_account(name) as database:
        add(desktop, database)
        add(desktop, database, "other", "second")
        log = database.folder / "general.log"
        database.query(f"SET GLOBAL general_log_file = '{log}'", "SET GLOBAL general_log = ON")
        words = ("--sequence", "reads", "--order", "slices", "--repeats", "1", "--allow-busy")
        desktop.dyno("run", "@prod", "@other", *words, limit_s=300)
        assert tables(database) == tables(database, "second") == []
        logged = executed_by_schema(log)
    assert len(desktop.sessions()) == 2
    for each in desktop.sessions():
        check_session(desktop, each["id"], logged)


def check_session(desktop: Desktop, session: str, logged: Counter[str]) -> None:
    """Its queries are those of its schema alone; what the server counts for both is missing."""
    events = desktop.events(session)
    (schema,) = [e.value["schema"] for e in events if isinstance(e, Fact) and e.name == "existing_server"]
    (done,) = [each for each in events if isinstance(each, StepEnded) and each.step == READ]
    assert done.outcome == "completed" and done.in_force["slices"] > 3
    assert done.totals is not None and done.totals.queries == logged[schema]
    assert done.totals.queries == pytest.approx(200 * done.seconds, rel=0.2)
    found = {each.when: each.value for each in events if isinstance(each, Fact) and each.name == "existing"}
    assert all(each["others_statements"] is None for each in found.values())
    said = [e.text for e in events if isinstance(e, LogEvent) and "take turns on one server" in e.text]
    assert len(said) == 1


def executed_by_schema(log: Path) -> Counter[str]:
    """Prepared statements by the schema of their connection, as the general log has them."""
    schemas, found = dict[str, str](), Counter[str]()
    for thread, begins, schema, _ in LINE.findall(log.read_text(errors="replace")):
        if begins:
            schemas[thread] = schema
        else:
            found[schemas[thread]] += 1
    return found


def test_one_server_by_two_addresses_calls_itself_the_same() -> None:
    with with_account("") as database, delaying_relay(database.port, 0.0) as other:
        ((host, number),) = database.query("SELECT @@hostname, @@server_id")
        for port in (database.port, other):
            pin = certificate_of(HOST, port).split()[0]
            found = reach_server(ServerAddress(HOST, port, "bench", "measured", pin, password=PASSWORD))
            assert found.called == f"{host}:{database.port} with server_id {number}"


@pytest.mark.full
def test_what_one_writes_is_flushed_while_another_reads() -> None:
    """The reason why those that share a server take no turns within steps that write."""
    with with_account("") as database:
        database.query(
            "SET GLOBAL innodb_max_dirty_pages_pct = 0",  # what is written is soon to be flushed
            "CREATE TABLE theirs.t (id INT PRIMARY KEY, v INT, pad CHAR(200) NOT NULL)",
            f"INSERT INTO theirs.t SELECT seq, 0, '' FROM seq_1_to_{ROWS}",
        )
        turns = [Flushed(writes(database), reads(database)) for _ in range(TURNS)]
    in_writing, in_reading = (sum(each) for each in zip(*turns, strict=True))
    assert in_reading > 0.1 * (in_writing + in_reading), (in_writing, in_reading)


def writes(database: Database) -> int:
    return flushed_by(database, "UPDATE theirs.t SET v = v + 1 WHERE id % 7 = 0")


def reads(database: Database) -> int:
    return flushed_by(database, "SELECT SUM(v) FROM theirs.t WHERE id < 100")


def flushed_by(database: Database, statement: str) -> int:
    """Pages that the server flushes in a slice of these statements."""
    before, until = pages_flushed(database), time.monotonic() + SLICE_S
    while time.monotonic() < until:
        database.query(statement)
    return pages_flushed(database) - before


def pages_flushed(database: Database) -> int:
    return int(database.query("SHOW GLOBAL STATUS LIKE 'Innodb_buffer_pool_pages_flushed'")[0][1])
