"""What error logs say of a server that did not come up: recorded lines."""

from __future__ import annotations

import pytest

from app.agent.server.error_log import NO_ERROR, bare_log_line, first_error, last_error

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
# killed by SIGSEGV; the dump behind it has 20 to 50 lines
DUMP = """\
Most likely, you have hit a bug, but this error can also be caused by malfunctioning hardware.
Thread pointer: 0x0
The manual page at http://dev.mysql.com/doc/mysql/en/crashing.html contains
information that should help you find out what is causing the crash.
"""
CRASHED = [
    ("261128  9:26:16 - mysqld got signal 11 ;", "mysqld got signal 11"),  # 5.5.9
    ("09:26:22 UTC - mysqld got signal 11 ;", "mysqld got signal 11"),  # 5.6.24, 5.7.29
    ("2026-11-28T09:26:48Z UTC - mysqld got signal 11 ;", "mysqld got signal 11"),  # 8.0.33, 9.7.4
    ("261128  9:27:07 [ERROR] mysqld got signal 11 ;", "mysqld got signal 11"),  # MariaDB 10.2.11
    ("261128  9:27:40 [ERROR] /b/bin/mariadbd got signal 11 ;", "mariadbd got signal 11"),  # 11.4.5, 11.8.9
]
# the next start of MySQL 8.0.33 copies the dump into its own lines
AFTER_IT = """\
2026-11-28T09:23:17.000000Z 0 [System] [MY-013951] [Server] 2026-11-28T09:23:17Z UTC - mysqld got signal 11 ;
2026-11-28T09:23:17.000001Z 0 [System] [MY-013951] [Server] Thread pointer: 0x0
2026-11-28T09:23:17.569977Z 0 [System] [MY-010116] [Server] /b/mysqld (mysqld 8.0.33) starting as process 590
"""
# as MySQL 8.0 writes it
ASSERTION = """\
2026-11-28T09:26:47.000000Z 9 [ERROR] [MY-013183] [InnoDB] Assertion failure: btr0pcur.cc:335:block
InnoDB: We intentionally generate a memory trap.
InnoDB: about forcing recovery.
"""
# of MySQL 5.6 after a power cut that tore its binary log, and took files that were never synced
TORN = """\
2026-11-30 10:14:29 16075 [ERROR] Error in Log_event::read_log_event(): 'Event too small'
2026-11-30 10:14:30 16075 [ERROR] Fatal error: Can't open and lock privilege tables: Incorrect file format
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
    assert bare_log_line(line) == expected


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
        (TORN, "Fatal error: Can't open and lock privilege tables: Incorrect file format"),
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


@pytest.mark.parametrize(("line", "told"), CRASHED)
def test_a_crash_is_named_by_its_signal(line: str, told: str) -> None:
    crashed = [line, *DUMP.splitlines() * 20]
    assert last_error(crashed) == first_error(crashed) == told
    long_ago = [*MYSQL_9_7.splitlines(), *[MYSQL_9_7.splitlines()[0]] * 20]
    assert last_error([*long_ago, *crashed]) == told


def test_a_crash_before_the_latest_start_is_no_cause() -> None:
    again = [*AFTER_IT.splitlines(), *MYSQL_9_7.splitlines()]
    assert first_error(again) == "InnoDB: Invalid page size=5120."
    assert last_error(AFTER_IT.splitlines()) == NO_ERROR


def test_what_made_a_server_crash_comes_before_the_signal() -> None:
    crashed = f"{ASSERTION}{CRASHED[2][0]}\n{DUMP}".splitlines()
    assert last_error(crashed) == "Assertion failure: btr0pcur.cc:335:block; mysqld got signal 11"
    assert first_error(crashed) == "Assertion failure: btr0pcur.cc:335:block"
