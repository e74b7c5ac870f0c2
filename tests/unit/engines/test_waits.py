"""What kind of wait a name is, deadlocks from the text of the monitor, and statements without values."""

from __future__ import annotations

import pytest

from app.engines import KNOWN
from app.engines.waits import KINDS, latest_deadlock, wait_event_kind
from app.protocol.waits import plain_statement

MONITOR = """\
=====================================
------------------------
LATEST DETECTED DEADLOCK
------------------------
2026-11-24 15:00:01 0x7f
*** (1) TRANSACTION:
TRANSACTION 1841, ACTIVE 0 sec starting index read
MySQL thread id 9, OS thread handle 1, query id 61 localhost root Updating
UPDATE sbtest1 SET k = 5
 WHERE id = 2
*** WAITING FOR THIS LOCK TO BE GRANTED:
RECORD LOCKS space id 5 page no 3 n bits 8 index PRIMARY of table `dyno`.`sbtest1`
*** (2) TRANSACTION:
TRANSACTION 1842, ACTIVE 0 sec starting index read
MariaDB thread id 10, OS thread handle 2, query id 62 localhost root Updating
DELETE FROM sbtest1 WHERE id = 1
*** WE ROLL BACK TRANSACTION (2)
------------
TRANSACTIONS
------------
Trx id counter 1843
"""


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("wait/io/file/innodb/innodb_data_file", "file_io"),
        ("wait/io/file/innodb/innodb_log_file", "log_io"),
        ("wait/io/file/sql/binlog", "log_io"),
        ("wait/synch/mutex/sql/Query_cache::structure_guard_mutex", "mutex"),
        ("wait/synch/sxlock/innodb/index_tree_rw_lock", "rwlock"),
        ("wait/synch/cond/sql/MDL_context::COND_wait_status", "metadata_lock"),
        ("wait/lock/table/sql/handler", "table_lock"),
        ("wait/io/socket/sql/client_connection", "network"),
        ("wait/synch/cond/sql/Query_cache::COND_cache_status_changed", "condition"),
        ("wait/io/table/sql/handler", ""),
        ("wait/synch/cond/mysys/COND_timer", ""),
        ("wait/synch/cond/sql/Item_func_sleep::cond", ""),
        ("wait/synch/cond/aria/SERVICE_THREAD_CONTROL::COND_control", ""),
        ("idle", ""),
    ],
)
def test_the_kind_of_a_name(name: str, kind: str) -> None:
    assert wait_event_kind(name) == kind
    assert kind == "" or kind in KINDS


def test_waits_of_status_variables_have_known_kinds_and_names_of_their_own() -> None:
    waits = [each for engine in KNOWN.values() for each in engine.status_waits]
    assert {each.kind for each in waits} <= KINDS.keys()
    assert len({each.name for each in waits}) == len(waits)


def test_the_statements_of_the_latest_deadlock() -> None:
    at, sides = latest_deadlock(MONITOR)
    assert at.startswith("2026-11-24 15:00:01")
    assert [plain_statement(each) for each in sides] == [
        "UPDATE sbtest1 SET k = ? WHERE id = ?",
        "DELETE FROM sbtest1 WHERE id = ?",
    ]
    assert latest_deadlock(MONITOR.replace("LATEST DETECTED DEADLOCK", "FOREIGN KEY ERROR")) == ("", ())


@pytest.mark.parametrize(
    "texts",
    [
        {  # a digest of MySQL 9.7, what clients of MariaDB prepare, a digest of MariaDB
            "EXECUTE SELECT `c` FROM `sbtest1` WHERE `id` = ?",
            "SELECT c FROM sbtest1 WHERE id=?",
            "SELECT `c` FROM `sbtest1` WHERE ID = ? ",
        },
        {"EXECUTE UPDATE `t` SET `k` = `k` + ? WHERE `id` = ?", "UPDATE t SET k=k+1 WHERE id=7"},
        {
            "SELECT SUM ( `k` ) FROM `t` WHERE `id` BETWEEN ? AND ?",
            "SELECT SUM(k) FROM t WHERE id BETWEEN ? AND ?",
        },
        {"SELECT `c` FROM `t` WHERE `id` IN (...) ", "SELECT c FROM t WHERE id IN (?,?,?)"},
        {
            "INSERT INTO `t` ( `id` , `pad` ) VALUES (...) /* , ... */",
            "INSERT INTO t (id, pad) VALUES (1, 'it\\'s'), (2, 'x')",
        },
        {"SELECT * FROM `dyno` . `t` WHERE `a` >= ?", "SELECT * FROM dyno.t\n WHERE a>=2.5"},
    ],
)
def test_a_statement_has_one_text_whichever_server_says_it(texts: set[str]) -> None:
    assert len({plain_statement(text).lower() for text in texts}) == 1


def test_a_statement_without_its_values() -> None:
    assert (
        plain_statement("INSERT INTO sbtest1\n VALUES (1, 'it\\'s', 2.5)")
        == "INSERT INTO sbtest1 VALUES (...)"
    )
    assert plain_statement("SELECT c FROM t WHERE c = 'cut off by the serv") == "SELECT c FROM t WHERE c = ?"
    assert plain_statement("UPDATE t SET k=k+1 WHERE id=?") == "UPDATE t SET k = k + ? WHERE id = ?"
