"""The SQL that makes system tables, from the files of a build; on real ones: integration/test_layouts.py."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from app.agent.server.bootstrap import bootstrap, write_system_sql
from app.agent.system.errors import AgentError


def share(base: Path, folder: str, *names: str) -> None:
    (base / folder).mkdir(parents=True)
    for name in names:
        (base / folder / name).write_text(f"-- {name}\n")


def named(sql: str) -> list[str]:
    return [line[3:] for line in sql.splitlines() if line.startswith("-- ")]


@pytest.mark.parametrize(
    ("folder", "names"),
    [
        ("share", ["mysql_system_tables.sql", "mysql_system_tables_data.sql", "mysql_sys_schema.sql"]),
        ("share/mysql-5.5", ["mysql_system_tables.sql"]),
        (
            "share",
            ["mariadb_system_tables.sql", "mariadb_performance_tables.sql", "mariadb_system_tables_data.sql",
             "maria_add_gis_sp_bootstrap.sql", "mariadb_sys_schema.sql"],
        ),
    ],
)  # fmt: skip
def test_the_files_of_a_build_in_the_order_of_its_scripts(
    tmp_path: Path, folder: str, names: list[str]
) -> None:
    share(tmp_path, folder, *reversed(names), "mysql_test_db.sql", "fill_help_tables.sql")
    file = io.BytesIO()
    write_system_sql(str(tmp_path), file)
    sql = file.getvalue().decode()
    assert file.tell() == 0 and named(sql) == names and sql.startswith("create database mysql;\nuse mysql;\n")


def test_a_build_without_them_is_refused(tmp_path: Path) -> None:
    share(tmp_path, "share", "fill_help_tables.sql")
    with pytest.raises(AgentError, match=r"has no mysql_system_tables\.sql or mariadb_"):
        write_system_sql(str(tmp_path), io.BytesIO())


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("echo '2026-11-23 10:00:00 0 [ERROR] no room'; echo Aborting", "no room"),
        ("echo 'ERROR: 1050  Table exists'; echo", "ERROR: 1050  Table exists"),
        ("true", "the error log contains no error"),
    ],
)
def test_a_server_that_makes_no_system_tables_is_told_by_what_it_said(
    tmp_path: Path, said: str, why: str
) -> None:
    server = tmp_path / "mysqld"
    server.write_text(f"#!/bin/sh\n{said}\nexit 1\n")
    server.chmod(0o700)
    with pytest.raises(AgentError, match=f"the server ended with exit code 1: {why}$"):
        bootstrap(str(server), str(tmp_path), str(tmp_path / "my.cnf"), {"initialize-insecure": ""}, {})
