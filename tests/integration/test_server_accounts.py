"""Accounts of servers that run already: what they need, and by which plugins they log in."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.agent.existing.statements import may_send
from tests.integration.desktop import Desktop
from tests.integration.test_existing_servers import (
    OF_CLIENTS,
    PASSWORD,
    add,
    ended,
    given_password,
    measured_server,
    run,
    tables,
    with_account,
)
from tests.team_server import Database

__all__ = ["given_password", "measured_server"]


@pytest.mark.full
@pytest.mark.parametrize(
    "name", [pytest.param(each, marks=pytest.mark.build(each)) for each in ("mysql-8.0", "mysql-9.7")]
)
def test_an_account_of_one_schema_is_enough(name: str, desktop: Desktop) -> None:
    with with_account(name) as database:
        add(desktop, database)
        for plugin in plugins(database):
            database.query(
                "DROP USER measured@localhost",
                f"CREATE USER measured@localhost IDENTIFIED WITH {plugin} BY '{PASSWORD}' REQUIRE SSL",
                "GRANT ALL ON bench.* TO measured@localhost",
            )
            asked = statements_of(database, desktop, plugin)
            assert [each.outcome for each in ended(desktop)] == ["completed"] * 4
            assert tables(database) == []
            assert [each for each in asked if not may_send(each)] == []


def plugins(database: Database) -> list[str]:
    """Those of MySQL, as far as this version still has them."""
    there = {row[0] for row in database.query("SELECT plugin_name FROM information_schema.plugins")}
    assert "caching_sha2_password" in there
    return [each for each in ("caching_sha2_password", "sha256_password") if each in there]


def statements_of(database: Database, desktop: Desktop, plugin: str) -> list[str]:
    """What Dyno itself sends in a plan."""
    log = database.folder / f"{plugin}.log"
    database.query(f"SET GLOBAL general_log_file = '{log}'", "SET GLOBAL general_log = ON")
    run(desktop, "@prod")
    database.query("SET GLOBAL general_log = OFF")
    lines = [line.partition("Query\t")[2] for line in log.read_text(errors="replace").splitlines()]
    return [each for each in lines if each and not each.upper().startswith(OF_CLIENTS)]


def test_an_account_of_ed25519_is_refused_before_anything_starts(
    desktop: Desktop, measured_server: Database, tmp_path: Path
) -> None:
    database = measured_server
    add(desktop, database)
    database.query(
        "INSTALL SONAME 'auth_ed25519'",
        f"ALTER USER measured@localhost IDENTIFIED VIA ed25519 USING PASSWORD('{PASSWORD}')",
    )
    try:
        for words in (("server", "show", "prod"), ("run", "@prod", "--sequence", "tiny")):
            line = desktop.refused(*words, code=1)
            assert "this account logs in by ed25519, which Dyno cannot" in line and PASSWORD not in line
        assert desktop.sessions() == []
    finally:
        database.query(f"ALTER USER measured@localhost IDENTIFIED BY '{PASSWORD}'")
