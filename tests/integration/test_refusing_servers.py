"""Servers and proxies that know less than MySQL: what they refuse is found before the load."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.integration.desktop import Desktop
from tests.integration.refusing_server import (
    DDM,
    NO_HINTS,
    TIDB,
    UNPREPARED,
    UNPREPARED_OTHERWISE,
    VITESS,
    Refusing,
    refusing_server,
)
from tests.integration.test_clusters import agent_lines, end_of
from tests.integration.test_existing_servers import (
    ended,
    facts,
    given_password,
    run,
    tables,
    with_account,
)
from tests.team_server import Database

__all__ = ["given_password"]

AS_TEXT, UNANALYSED = "sends all of its statements as text", "the server refuses ANALYZE TABLE"


@pytest.fixture(scope="module")
def plain_server() -> Iterator[Database]:
    with with_account("") as database:
        database.query("ALTER USER measured@localhost REQUIRE NONE")
        yield database


def drive(desktop: Desktop, port: int, *words: str, code: int = 0) -> str:
    """Add what is there, and run a plan on it."""
    desktop.dyno("server", "add", "it", f"mysql://measured@127.0.0.1:{port}/bench", "--no-tls")
    return run(desktop, "@it", *words, code=code)


@pytest.mark.parametrize(
    ("refusing", "texts"),
    [
        pytest.param(TIDB, [], id="tidb"),
        pytest.param(VITESS, [UNANALYSED], id="vitess", marks=pytest.mark.full),
        pytest.param(DDM, [UNANALYSED], id="ddm", marks=pytest.mark.full),
        pytest.param(UNPREPARED, [AS_TEXT], id="unprepared", marks=pytest.mark.full),
        pytest.param(UNPREPARED_OTHERWISE, [AS_TEXT], id="otherwise", marks=pytest.mark.full),
    ],
)
def test_what_a_plan_can_do_without_is_said_and_it_goes_on(
    refusing: Refusing, texts: list[str], desktop: Desktop, plain_server: Database
) -> None:
    log = plain_server.folder / "general.log"
    plain_server.query(f"SET GLOBAL general_log_file = '{log}'", "SET GLOBAL general_log = ON")
    with refusing_server(plain_server.port, refusing) as port:
        drive(desktop, port)
    plain_server.query("SET GLOBAL general_log = OFF")
    assert end_of(desktop).outcome == "completed"
    assert [each.outcome for each in ended(desktop)] == ["completed"] * 4
    found = [text for text in agent_lines(desktop) for each in (AS_TEXT, UNANALYSED) if each in text]
    assert [any(each in text for text in found) for each in texts] == [True] * len(texts) and len(
        found
    ) == len(texts)
    assert all(text.isprintable() for text in found)
    assert ("Execute\t" in log.read_text(errors="replace")) is (AS_TEXT not in texts)
    assert tables(plain_server) == []
    log.unlink()


@pytest.mark.full
def test_who_calls_itself_anew_each_time_is_many(desktop: Desktop, plain_server: Database) -> None:
    """The text and the list of what a proxy says have an end, and nothing of it reaches a terminal."""
    strange = {r"SELECT @@hostname": "SELECT CONCAT(UUID(), CHAR(27), '[31m', REPEAT('x', 999)), 1, 2"}
    with refusing_server(plain_server.port, Refusing(instead=strange)) as port:
        drive(desktop, port, "--threads", "16")
    assert end_of(desktop).outcome == "completed"
    *_, reached = facts(desktop, "servers_reached").values()
    assert len(reached) == 20 and all(len(each) < 200 and each.isprintable() for each in reached)
    (text,) = [each for each in agent_lines(desktop) if "is left out" in each]
    assert text.isprintable() and len(text) < 600


@pytest.mark.full
def test_who_does_not_say_who_it_is_is_one_server(desktop: Desktop, plain_server: Database) -> None:
    unknown = {r"SELECT @@hostname": (1193, "Unknown system variable 'hostname'")}
    with refusing_server(plain_server.port, Refusing(errors=unknown)) as port:
        drive(desktop, port)
    assert end_of(desktop).outcome == "completed" and not facts(desktop, "servers_reached")
    assert all(each.status for each in ended(desktop))


@pytest.mark.parametrize(
    ("refusing", "sequence", "needs"),
    [
        (NO_HINTS, "insert-benchmark-short", "workload insert-benchmark-range needs FORCE INDEX"),
        (TIDB, "orders", "workload orders-load needs stored procedures"),
        (VITESS, "orders", "workload orders-load needs stored procedures"),
    ],
)
def test_what_a_plan_needs_is_refused_by_name_before_its_load(
    refusing: Refusing, sequence: str, needs: str, desktop: Desktop, plain_server: Database
) -> None:
    with refusing_server(plain_server.port, refusing) as port:
        refused = drive(desktop, port, "--sequence", sequence, code=1)
    line = next(each for each in refused.splitlines() if needs in each)
    assert "which the server refuses: 1" in line
    assert desktop.sessions() == [] and tables(plain_server) == []
