"""The one place that knows how the history's queries differ between SQLite and a team's server."""

from __future__ import annotations

import re

SQL_MODE = "STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION,PIPES_AS_CONCAT"
BEGIN = ("SET time_zone = '+00:00'",)  # times are written as UTC

_RESERVED = re.compile(r"\b(repeat|grouping|offset)\b")
_TIME = re.compile(r"strftime\('(?P<form>[^']*)', (?P<column>\w+), 'unixepoch'\)")
_TEXTS = {
    "coalesce(started_at, planned_at)": "began_at",  # a column with an index
    " ESCAPE '\\'": "",  # it is the usual one
    " LIKE ?": " LIKE ? COLLATE utf8mb4_general_ci",  # SQLite does not tell a from A here
    "COLLATE NOCASE": "COLLATE utf8mb4_general_ci",
    "group_concat(tag)": "group_concat(tag ORDER BY tag)",
}


def translated(statement: str) -> str:
    """A statement for SQLite as MariaDB and MySQL read it, with the marks of PyMySQL."""
    for text, other in _TEXTS.items():
        statement = statement.replace(text, other)
    statement = _TIME.sub(_time, statement)
    statement = _RESERVED.sub(r"`\1`", statement)
    return statement.replace("%", "%%").replace("?", "%s")


def _time(found: re.Match[str]) -> str:
    """`%M` is the minute in SQLite and the name of the month in MySQL."""
    form = found["form"].replace("%M", "%i")
    return f"DATE_FORMAT(FROM_UNIXTIME({found['column']}), '{form}')"
