"""Which statements may go to a server that runs already, and which are about one server of several."""

from __future__ import annotations

import pytest

from app.agent.existing.statements import WHICH, is_of_one_server, may_send
from app.engines.server import ANALYSE, ANALYSE_ALL
from app.engines.waits import DIGESTS, MONITOR, SUMMARY


@pytest.mark.parametrize(
    ("sql", "is_allowed"),
    [
        (WHICH, True),
        (ANALYSE_ALL.format("sbtest1"), True),
        (ANALYSE.format("sbtest1"), False),
        ("CREATE PROCEDURE rehearsed() SELECT 1", True),
        ("CREATE PROCEDURE rehearsed() DELETE FROM t", False),
        ("CREATE PROCEDURE other() SELECT 1", False),
        ("KILL QUERY 7", False),
        ("SET GLOBAL wsrep_on=OFF", False),
    ],
)
def test_what_may_be_sent(sql: str, is_allowed: bool) -> None:
    assert may_send(sql) is is_allowed


@pytest.mark.parametrize(
    ("sql", "is_of_one"),
    [
        ("SHOW GLOBAL STATUS", True),
        ("show global status WHERE Variable_name IN ('questions')", True),
        ("SHOW SESSION STATUS LIKE 'Rows_read'", True),
        (MONITOR, True),
        (SUMMARY, True),
        (DIGESTS, True),
        ("SELECT SUM(data_length) FROM information_schema.tables", True),
        ("SELECT 1", False),
        ("SHOW GLOBAL VARIABLES LIKE 'performance_schema'", False),
        ("SHOW ENGINES", False),
        ("SELECT COUNT(*) AS n FROM sbtest1", False),
        ("SELECT * FROM information_schema.ROCKSDB_CF_OPTIONS", False),
    ],
)
def test_what_is_about_one_server(sql: str, is_of_one: bool) -> None:
    assert is_of_one_server(sql) is is_of_one
