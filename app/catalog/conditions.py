"""The conditions of a load: statements that return rows only where its tables are inconsistent."""

from __future__ import annotations

import re
from typing import Any

from app.core.toml_text import NEEDED_TEXT, Document, ValueRule
from app.protocol.conditions import Condition

from .sql_text import Scanner, read_statement

MOST = 20
LONGEST_SQL = 4000
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,19}")
_RULES = {
    "name": NEEDED_TEXT,
    "title": ValueRule((str,), needed=True, longest=100),
    "sql": ValueRule((str,), needed=True, longest=LONGEST_SQL),
}


def conditions_of(document: Document) -> tuple[Condition, ...]:
    """Its conditions; raises InputError with file, line and key of what is wrong."""
    tables = document.data.get("condition", [])
    if tables and document.data["kind"] != "load":
        raise document.error(("condition",), f"is of a load, not of kind {document.data['kind']}")
    if len(tables) > MOST:
        raise document.error(("condition",), f"is there {len(tables)} times, {MOST} at most")
    found = tuple(_condition(document, at, table) for at, table in enumerate(tables))
    for at, each in enumerate(found):
        if each.name in [other.name for other in found[:at]]:
            raise document.error(
                ("condition", at, "name"), f"{each.name!r} is the name of an earlier condition too"
            )
    return found


def _condition(document: Document, at: int, table: dict[str, Any]) -> Condition:
    where = ("condition", at)
    sql = table.get("sql")
    in_one_line = {"sql": sql.replace("\n", " ")} if isinstance(sql, str) else {}
    document.check({**table, **in_one_line}, _RULES, where)
    if not _NAME.fullmatch(table["name"]):
        wanted = "has up to 20 lower-case letters, digits and dashes"
        raise document.error((*where, "name"), f"{wanted}, not {table['name']!r}")
    return Condition(table["name"], table["title"], _statement(document, (*where, "sql"), table["sql"]))


def _statement(document: Document, where: tuple[str | int, ...], sql: str) -> str:
    """The statement in one line: a SELECT that names no files and no schemas of the server."""
    text = sql.rstrip().rstrip(";")
    scanner = Scanner(f"{text}\n;")
    statement, problems = read_statement(scanner, "begin")
    if problems:
        raise document.error(where, problems[0][1])
    if statement is None or statement.verb != "select" or scanner.peek():
        raise document.error(where, "must be one SELECT")
    if statement.binds or statement.into:
        raise document.error(where, "takes no variables")
    return statement.text
