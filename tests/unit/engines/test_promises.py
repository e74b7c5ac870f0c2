"""What an engine and its settings promise of commits that were answered."""

from __future__ import annotations

import pytest

from app.engines import engine_of

SYNCED = {"log_bin": "ON", "sync_binlog": "1"}
FLUSH = "innodb_flush_log_at_trx_commit"
OF_ROCKS = "rocksdb_flush_log_at_trx_commit"


@pytest.mark.parametrize(
    ("engine", "variables", "kill", "power_cut"),
    [
        ("innodb", {FLUSH: "1"}, True, True),
        ("innodb", {FLUSH: "3"}, True, True),
        ("innodb", {FLUSH: "2"}, True, False),
        ("innodb", {FLUSH: "0"}, False, False),
        ("innodb", {}, True, True),  # its default
        ("innodb", {FLUSH: "1", **SYNCED}, True, True),
        ("innodb", {FLUSH: "1", **SYNCED, "sync_binlog": "0"}, True, False),
        ("innodb", {FLUSH: "1", "innodb_flush_method": "nosync"}, True, False),
        ("rocksdb", {OF_ROCKS: "1"}, True, True),
        ("rocksdb", {OF_ROCKS: "1", "rocksdb_write_disable_wal": "ON"}, False, False),
        ("rocksdb", {OF_ROCKS: "2"}, False, False),
        ("rocksdb", {OF_ROCKS: "0"}, False, False),
        ("aria", {}, False, False),
        ("myisam", {}, False, False),
        ("memory", {}, None, None),
    ],
)
def test_what_a_kill_and_a_power_cut_leave(
    engine: str, variables: dict[str, str], kill: bool | None, power_cut: bool | None
) -> None:
    found = engine_of(engine)
    assert found.keeps_commits("kill", variables) is kill
    assert found.keeps_commits("power-cut", variables) is power_cut


@pytest.mark.parametrize("operation", ["restart", "ddl", "backup"])
@pytest.mark.parametrize("engine", ["innodb", "rocksdb", "aria", "myisam"])
def test_a_server_that_ends_by_itself_keeps_all(engine: str, operation: str) -> None:
    relaxed = {FLUSH: "0", OF_ROCKS: "0"}
    assert engine_of(engine).keeps_commits(operation, relaxed) is True
