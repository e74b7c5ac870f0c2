"""Every statement that Dyno itself may send to a server that is not its own.

They read, or they change what Dyno has made in its schema: its marker, tables of a check and of the
canary, its own tables at the end. Nothing global is set, flushed, reset or killed. What workloads send is in
their files.
"""

from __future__ import annotations

import re

MARKER = "dyno_marker"  # the table that says who uses the schema
TRIED = "rehearsed"  # the table of a check
CANARY = "dyno_canary"  # the table of the canary

_NAME = r"`[^`]{1,64}`"
_ALLOWED = (
    r"SELECT\b(?!.*\bINTO\s+(OUT|DUMP)FILE\b).*",
    r"(SHOW|EXPLAIN)\s.*",
    # of the connection alone
    r"SET\s+SESSION\s.*",
    r"START TRANSACTION.*|COMMIT|ROLLBACK",
    r"UPDATE performance_schema\.threads SET instrumented='(YES|NO)' WHERE processlist_id=CONNECTION_ID\(\)",
    # in the schema of the plan: the statistics of its tables, and what Dyno has made there
    r"ANALYZE NO_WRITE_TO_BINLOG TABLE \w+",
    rf"CREATE TABLE ({MARKER}|{TRIED}|{CANARY}) .*",
    rf"(INSERT INTO|UPDATE|DELETE FROM) ({MARKER}|{CANARY})\b.*",
    rf"DROP TABLE (IF EXISTS )?({MARKER}|{TRIED}|{_NAME})",
    rf"DROP PROCEDURE (IF EXISTS )?{_NAME}",
)
_PATTERN = re.compile("(?:{})".format("|".join(_ALLOWED)), re.IGNORECASE | re.DOTALL)


def may_send(sql: str) -> bool:
    """Whether the statement is one of those, and one alone."""
    text = sql.strip()
    return ";" not in text and _PATTERN.fullmatch(text) is not None
