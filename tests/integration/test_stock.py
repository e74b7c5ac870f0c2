"""The preset `stock` on real servers: memory aside, the variables in force are those of the build."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from app.protocol.events import Fact
from tests.installed import MARIADB
from tests.integration.desktop import Desktop
from tests.plans import write

NEW = {
    "performance_schema": "ON",
    "character_set_server": "utf8mb4",
    "log_bin": "ON",
    "sync_binlog": "1",
    "innodb_flush_log_at_trx_commit": "1",
}
# what a server makes of the size of its cache
OF_THE_CACHE = ("innodb_buffer_pool", "key_buffer", "aria_pagecache", "rocksdb_block_cache")
EACH_TIME = {
    "server_uuid", "server_uid", "gtid_executed", "timestamp", "pseudo_thread_id", "rand_seed1", "rand_seed2",
}  # fmt: skip


def variables(desktop: Desktop, build: str, engine: str, *presets: str) -> list[dict[str, str]]:
    """The variables in force in a session of each preset."""
    desktop.dyno("run", *desktop.plan(*(f"{build}:{engine}:{preset}" for preset in presets), steps="load"))
    found = {}
    for entry in desktop.sessions():
        assert entry["state"] == "completed"
        contender = entry["contender"]
        if (contender["build"], contender["engine"]) == (build, engine):
            (fact,) = (
                each
                for each in desktop.events(entry["id"])
                if isinstance(each, Fact) and each.name == "variables"
            )
            found[contender["preset"]] = fact.value
    return [found[preset] for preset in presets]


def check(desktop: Desktop, build: str, engine: str, own: str, expected: dict[str, str]) -> None:
    """`own`: the lines of a preset that sets nothing, but that it loads the engine."""
    write(desktop.home / f"presets/{engine}/nothing.cnf", f"[mysqld]\n{own}\n")
    stock, bare = variables(desktop, build, engine, "stock", "nothing")
    found = {name for name in stock if stock[name] != bare.get(name)} - EACH_TIME
    differing = {name for name in found if "/" not in stock[name]}  # paths of the session
    assert {name for name in differing if not name.startswith(OF_THE_CACHE)} == set()
    assert any(name.startswith(OF_THE_CACHE) for name in differing)
    assert {name: stock[name] for name in expected} == expected


@pytest.mark.full
@pytest.mark.build("mysql-9.7")
def test_mysql_9_7_is_as_it_comes(desktop: Desktop, build_path: Callable[[str], Path]) -> None:
    desktop.dyno("target", "edit", "local", "--search-path", str(build_path("mysql-9.7")))
    check(desktop, "mysql-9.7.4", "innodb", "", NEW)


ROCKSDB = pytest.param("rocksdb", "plugin_load_add=ha_rocksdb", marks=pytest.mark.full)


@pytest.mark.full
@pytest.mark.parametrize(("engine", "own"), [("innodb", ""), ROCKSDB])
def test_mariadb_is_as_it_comes(desktop: Desktop, engine: str, own: str) -> None:
    expected = {"log_bin": "OFF", "performance_schema": "OFF", "innodb_flush_log_at_trx_commit": "1"}
    flushed = {"rocksdb_flush_log_at_trx_commit": "1"} if own else {}
    check(desktop, MARIADB, engine, own, {**expected, **flushed})


@pytest.mark.full
@pytest.mark.build("mysql-5.6", "mysql-9.7")
@pytest.mark.parametrize("engine", ["innodb", "myisam"])
def test_other_engines_and_builds_are_as_they_come(
    desktop: Desktop, build_path: Callable[[str], Path], engine: str
) -> None:
    bases = [str(build_path(name)) for name in ("mysql-5.6", "mysql-9.7")]
    desktop.dyno("target", "edit", "local", *(word for base in bases for word in ("--search-path", base)))
    check(desktop, "mysql-5.6.24", engine, "", {"log_bin": "OFF", "innodb_flush_log_at_trx_commit": "1"})
    check(desktop, "mysql-9.7.4", engine, "", NEW)


@pytest.mark.full
@pytest.mark.parametrize("engine", ["myisam", "aria"])
def test_other_engines_of_mariadb_are_as_they_come(desktop: Desktop, engine: str) -> None:
    check(desktop, MARIADB, engine, "", {"log_bin": "OFF"})
