"""Every statement that Dyno itself may send to a server that is not its own.

They read, or they change what Dyno has made in its schema: its marker, tables of a check and of the
canary, its own tables at the end. Nothing global is set, flushed, reset or killed. What workloads send is in
their files.
"""

from __future__ import annotations

import re
from typing import Pattern

MARKER = "dyno_marker"  # the table that says who uses the schema
TRIED = "rehearsed"  # the table of a check, and the procedure of another one
CANARY = "dyno_canary"  # the table of the canary
# asked through some of the connections of clients: which of the servers behind an address answers
WHICH = "SELECT @@hostname, @@port, @@server_id"

_NAME = r"`[^`]{1,64}`"
_READS = (
    r"SELECT\b(?!.*\bINTO\s+(OUT|DUMP)FILE\b).*",
    r"(SHOW|EXPLAIN)\s.*",
    # of the connection alone
    r"SET\s+SESSION\s.*",
    r"START TRANSACTION.*|COMMIT|ROLLBACK",
    r"UPDATE performance_schema\.threads SET instrumented='(YES|NO)' WHERE processlist_id=CONNECTION_ID\(\)",
)
_CHANGES = (
    # in the schema of the plan: the statistics of its tables, and what Dyno has made there
    r"ANALYZE TABLE \w+",
    rf"CREATE TABLE ({MARKER}|{TRIED}|{CANARY}) .*",
    rf"CREATE PROCEDURE {TRIED}\(\) SELECT 1",
    rf"(INSERT INTO|UPDATE|DELETE FROM) ({MARKER}|{CANARY})\b.*",
    rf"DROP TABLE (IF EXISTS )?({MARKER}|{TRIED}|{_NAME})",
    rf"DROP PROCEDURE (IF EXISTS )?{_NAME}",
)


def _pattern(*allowed: str) -> Pattern[str]:
    return re.compile("(?:{})".format("|".join(allowed)), re.IGNORECASE | re.DOTALL)


_OF_REPLICA, _ANY = _pattern(*_READS), _pattern(*_READS, *_CHANGES)
# what one server of several counts, holds or does
_OF_ONE = _pattern(
    r"SHOW\s+((GLOBAL|SESSION)\s+)?STATUS\b",
    r"SHOW\s+ENGINE\s",
    r".*\b(performance_schema\.|data_length|processlist"
    r"|innodb_metrics|innodb_trx|rocksdb_cfstats|rocksdb_compaction_stats)",
)


def may_send(sql: str, to_replica: bool = False) -> bool:
    """Whether the statement is one of those, and one alone; a replica is sent none that changes tables."""
    text, allowed = sql.strip(), _OF_REPLICA if to_replica else _ANY
    return ";" not in text and allowed.fullmatch(text) is not None


def is_of_one_server(sql: str) -> bool:
    """Whether its answer is about the server that gives it, and not about what all of a cluster hold."""
    return _OF_ONE.match(sql.strip()) is not None
