"""Who uses the schema of a server that runs already: the marker, and what is dropped, on real servers."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from app.agent.existing.schema import SILENT_S, Heartbeat, OwnedSchema
from app.agent.existing.statements import may_send
from app.agent.server.mysql import READ_S, Client
from app.agent.system.errors import AgentError
from tests.integration.test_existing_servers import build_of
from tests.team_server import Database, started
from tests.waiting import wait_until

TEXTS = ["CREATE TABLE sbtest%u (id INT)", "CREATE PROCEDURE %s", "new_order .. common"]
LONG = (pytest.mark.full,)
BUILDS = [
    pytest.param("", id="installed"),
    *(
        pytest.param(name, marks=[pytest.mark.build(name), *marks])
        for name, marks in (("mysql-9.7", ()), ("mysql-5.6-full", LONG), ("mysql-8.0", LONG))
    ),
]


@pytest.fixture(scope="module", params=BUILDS)
def schema_server(request: pytest.FixtureRequest) -> Iterator[Database]:
    with started(build_of(request.param)) as found:
        yield found


@pytest.fixture
def emptied(schema_server: Database) -> Database:
    schema_server.query("DROP DATABASE IF EXISTS dyno", "CREATE DATABASE dyno")
    return schema_server


def owned(database: Database, who: str = "one") -> OwnedSchema:
    return OwnedSchema(client(database), who, TEXTS)


def client(database: Database) -> Client:
    return Client(str(database.folder / "s"), READ_S, may_send)


def tables(database: Database) -> list[str]:
    return sorted(str(row[0]) for row in database.query("USE dyno", "SHOW TABLES"))


def test_what_was_made_goes_with_the_marker_and_nothing_else(emptied: Database) -> None:
    schema = owned(emptied)
    schema.take()
    emptied.query("USE dyno", "CREATE TABLE sbtest1 (id INT)", "CREATE TABLE theirs (id INT)")
    emptied.query(
        "USE dyno", "CREATE PROCEDURE new_order() SELECT 1", "CREATE VIEW sbtest2 AS SELECT 1 AS one"
    )
    schema.note_made()
    assert schema.give_back() == ["sbtest2", "theirs"]
    assert tables(emptied) == ["sbtest2", "theirs"]
    assert not emptied.query(
        "SELECT routine_name FROM information_schema.routines WHERE routine_schema = 'dyno'"
    )


@pytest.mark.parametrize(
    ("made", "named"),
    [
        ("CREATE TABLE orders (id INT)", "table orders"),
        ("CREATE VIEW seen AS SELECT 1 AS one", "view seen"),
        ("CREATE FUNCTION f() RETURNS INT DETERMINISTIC RETURN 1", "function f"),
        ("CREATE EVENT e ON SCHEDULE EVERY 1 YEAR DO SELECT 1", "event e"),
    ],
)
def test_a_schema_that_is_not_empty_is_refused(emptied: Database, made: str, named: str) -> None:
    emptied.query("USE dyno", made)
    assert named in owned(emptied).problem() and "name an empty schema" in owned(emptied).problem()
    with pytest.raises(AgentError, match=named):
        owned(emptied).take()
    assert "dyno_marker" not in tables(emptied)


def test_the_second_is_refused_by_the_name_of_the_first(emptied: Database) -> None:
    owned(emptied, "nuc process 7, plan nightly").take()
    with pytest.raises(
        AgentError, match=f"in use by nuc process 7, plan nightly: .* silent for {SILENT_S} s"
    ):
        owned(emptied, "two").take()


def test_one_of_many_that_come_at_once_gets_it(emptied: Database) -> None:
    taken: list[str] = []

    def try_it(name: str) -> None:
        try:
            owned(emptied, name).take()
        except AgentError:
            return
        taken.append(name)

    threads = [threading.Thread(target=try_it, args=(f"number {at}",)) for at in range(8)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert len(taken) == 1


def test_an_owner_that_fell_silent_is_followed_and_its_tables_go(emptied: Database) -> None:
    lost = owned(emptied, "lost")
    lost.take()
    emptied.query("USE dyno", "CREATE TABLE sbtest1 (id INT)")
    lost.note_made()
    emptied.query("USE dyno", "CREATE TABLE sbtest2 (id INT)")  # its load was killed before it was noted
    emptied.query("UPDATE dyno.dyno_marker SET at = at - INTERVAL 61 SECOND")
    follower = owned(emptied, "next")
    assert [each.text for each in follower.take()] == ["table sbtest1"]
    assert tables(emptied) == ["dyno_marker", "sbtest2"]
    assert follower.give_back() == [] and tables(emptied) == []


def test_a_table_of_somebody_else_beside_the_marker_is_never_dropped(emptied: Database) -> None:
    owned(emptied, "lost").take()
    emptied.query("USE dyno", "CREATE TABLE customers (id INT)")
    emptied.query("UPDATE dyno.dyno_marker SET at = at - INTERVAL 61 SECOND")
    with pytest.raises(AgentError, match="table customers"):
        owned(emptied, "next").take()
    assert "customers" in tables(emptied)


def test_a_marker_that_names_what_dyno_never_makes_drops_nothing(emptied: Database) -> None:
    owned(emptied, "lost").take()
    emptied.query("USE dyno", "CREATE VIEW seen AS SELECT 1 AS one")
    emptied.query("USE dyno", "INSERT INTO dyno_marker VALUES ('view', 'seen', '', NOW())")
    emptied.query("UPDATE dyno.dyno_marker SET at = at - INTERVAL 61 SECOND")
    assert owned(emptied, "next").take() == []
    assert "seen" in tables(emptied)


def test_a_heart_beats_until_the_end(emptied: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.agent.existing.schema.BEAT_S", 0.1)
    schema = owned(emptied)
    schema.take()
    emptied.query("UPDATE dyno.dyno_marker SET at = at - INTERVAL 50 SECOND")
    beating = Heartbeat(schema, client(emptied))
    beating.start()
    old = "SELECT COUNT(*) FROM dyno.dyno_marker WHERE at < UTC_TIMESTAMP() - INTERVAL 20 SECOND"
    wait_until(lambda: emptied.query(old) == [(0,)], "the marker is fresh", 10)
    beating.end()
    assert not beating.is_alive()


def test_foreign_keys_do_not_keep_tables(emptied: Database) -> None:
    schema = owned(emptied)
    schema.take()
    emptied.query("USE dyno", "CREATE TABLE sbtest1 (id INT PRIMARY KEY) ENGINE=InnoDB")
    refers = "FOREIGN KEY (id) REFERENCES sbtest1 (id)"
    emptied.query("USE dyno", f"CREATE TABLE sbtest2 (id INT, {refers}) ENGINE=InnoDB")
    assert schema.give_back() == [] and tables(emptied) == []
