"""What error logs say of a server that did not come up: recorded lines."""

from __future__ import annotations

import pytest

from app.agent.server.error_log import NO_ERROR, first_error, last_error, plain

# innodb_flush_method=SOMEHOW, innodb_page_size=5K, rocksdb_default_cf_options=compression=kNope
MYSQL_5_5 = """\
261122  1:01:47 InnoDB: The InnoDB memory heap is disabled
261122  1:01:47 InnoDB: Unrecognized value SOMEHOW for innodb_flush_method
261122  1:01:47 [ERROR] Plugin 'InnoDB' init function returned error.
261122  1:01:47 [ERROR] Plugin 'InnoDB' registration as a STORAGE ENGINE failed.
261122  1:01:47 [ERROR] Unknown/unsupported storage engine: InnoDB
261122  1:01:47 [ERROR] Aborting
"""
MYSQL_9_7 = """\
2026-11-22T01:03:41.551808Z 0 [System] [MY-015150] [Server] Server version with update: '9.7.4.0-2'
2026-11-22T01:03:41.558798Z 0 [ERROR] [MY-010872] [InnoDB] InnoDB: Invalid page size=5120.
2026-11-22T01:03:41.558829Z 0 [ERROR] [MY-010202] [Server] Plugin 'InnoDB' init function returned error.
2026-11-22T01:03:41.558852Z 0 [ERROR] [MY-013236] [Server] The designated data directory /d/ is unusable.
2026-11-22T01:03:41.558858Z 0 [ERROR] [MY-010119] [Server] Aborting
"""
MARIADB_10_2 = """\
2026-11-22  1:01:48 140141436520256 [Note] InnoDB: Using Linux native AIO
2026-11-22  1:01:48 140141436520256 [ERROR] InnoDB: Unrecognized value SOMEHOW for innodb_flush_method
2026-11-22  1:01:48 140141436520256 [ERROR] Unknown/unsupported storage engine: InnoDB
"""
ROCKSDB = """\
Invalid default column family config: compression=kNope
2026-11-22  1:03:42 0 [ERROR] RocksDB: Failed to initialize CF options map.
2026-11-22  1:03:42 0 [ERROR] Plugin 'ROCKSDB' registration as a STORAGE ENGINE failed.
"""
MYSQL_5_7 = """\
2026-11-22T00:54:17.424022Z 0 [ERROR] Can't find error-message file '/b/share/errmsg.sys'. Check it.
2026-11-22T00:54:17.434214Z 0 [Note] Binlog end
"""
SYSTEM_TABLES = """\
2026-11-27 19:01:08 0 [Note] Plugin 'wsrep-provider' is disabled.
ERROR: 1267  Illegal mix of collations
2026-11-27 19:01:08 0 [ERROR] Aborting
"""
PRELOADED = "ERROR: ld.so: object '/a.so' from LD_PRELOAD cannot be preloaded: ignored.\n"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (MYSQL_9_7.splitlines()[1], "InnoDB: Invalid page size=5120."),
        (MYSQL_5_5.splitlines()[1], "InnoDB: Unrecognized value SOMEHOW for innodb_flush_method"),
        (MARIADB_10_2.splitlines()[0], "InnoDB: Using Linux native AIO"),
        (
            "2026-11-21 11:40:53 11871 [ERROR] /b/mysqld: Error while setting value",
            "Error while setting value",
        ),
        ("2026-11-21 11:40:52 0 [ERROR] Buffered error: /usr/sbin/mariadbd: Error", "Error"),
        ("261122  0:52:35 [Warning] /b/bin/mysqld: unknown variable 'x=0'", "unknown variable 'x=0'"),
        ("mysqld: Can't get stat of '/x'", "mysqld: Can't get stat of '/x'"),
    ],
)
def test_a_line_is_told_without_time_and_brackets(line: str, expected: str) -> None:
    assert plain(line) == expected


@pytest.mark.parametrize(
    ("log", "told"),
    [
        (
            MYSQL_5_5,
            "InnoDB: Unrecognized value SOMEHOW for innodb_flush_method; "
            "Plugin 'InnoDB' init function returned error.",
        ),
        (MYSQL_9_7, "InnoDB: Invalid page size=5120."),
        (MARIADB_10_2, "InnoDB: Unrecognized value SOMEHOW for innodb_flush_method"),
        (
            ROCKSDB,
            "Invalid default column family config: compression=kNope; "
            "RocksDB: Failed to initialize CF options map.",
        ),
        (MYSQL_5_7, NO_ERROR),
        (SYSTEM_TABLES, "ERROR: 1267  Illegal mix of collations"),
        (PRELOADED + SYSTEM_TABLES, "ERROR: 1267  Illegal mix of collations"),
        (PRELOADED, NO_ERROR),
    ],
)
def test_the_first_error_is_the_cause(log: str, told: str) -> None:
    assert first_error(log.splitlines()) == told


def test_the_last_error_is_what_a_server_said_before_it_went() -> None:
    assert last_error(MYSQL_5_5.splitlines()) == "Unknown/unsupported storage engine: InnoDB"
    assert last_error([]) == NO_ERROR
