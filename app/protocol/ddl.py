"""Statements of steps of kind ddl: which there may be, with the algorithm asked for, and how each is undone."""

from __future__ import annotations

import re
from typing import NamedTuple

ALGORITHMS = ("INSTANT", "INPLACE", "COPY")
TABLE = "{table}"
COLUMN, INDEX, REBUILD, OPTIMIZE = "column", "index", "rebuild", "optimize"  # what a statement does
MAX_STATEMENT = 1000
# letters of which no comment, second statement or table of another name can be made
_PLAIN = re.compile(r"[A-Za-z0-9_ ,'()+%{}]+")
_NAME = "([A-Za-z_][A-Za-z0-9_]{0,59})"
_FORMS = tuple(
    (form, re.compile(text.replace("NAME", _NAME), re.IGNORECASE))
    for form, text in (
        (COLUMN, r"ALTER TABLE \{table\} ADD COLUMN NAME [^{}]+"),
        (INDEX, r"ALTER TABLE \{table\} ADD (?:UNIQUE )?(?:INDEX|KEY) NAME ?\([^{}]+\)"),
        (INDEX, r"CREATE (?:UNIQUE )?INDEX NAME ON \{table\} ?\([^{}]+\)"),
        (REBUILD, r"ALTER TABLE \{table\} FORCE()"),
        (OPTIMIZE, r"OPTIMIZE TABLE \{table\}()"),
    )
)
_WHAT = (
    "must add a column or an index to {table}, or rebuild it: ALTER TABLE {table} ADD COLUMN ..., ALTER TABLE"
    " {table} ADD INDEX ..., CREATE INDEX ... ON {table} ..., ALTER TABLE {table} FORCE or OPTIMIZE TABLE"
    " {table}"
)


class Ddl(NamedTuple):
    """A statement on one table of the plan."""

    form: str  # one of the above
    name: str  # of the column or index that it adds
    text: str  # with {table}
    algorithm: str  # one of ALGORITHMS; '': the server chooses

    def on(self, table: str) -> str:
        """The statement for a table, whose name is quoted."""
        asked = "ALGORITHM=" + self.algorithm if self.algorithm else ""
        comma = ", " if self.text[:5].upper() == "ALTER" else " "
        return self.text.replace(TABLE, table) + (comma + asked if asked else "")

    def undone_on(self, table: str) -> str:
        """What takes away what it has added; '' if that is nothing."""
        if self.form in (COLUMN, INDEX):
            return "ALTER TABLE {} DROP {} `{}`".format(table, self.form.upper(), self.name)
        return ""


def read_ddl(statement: str, algorithm: str = "") -> Ddl:
    """A statement of a sequence or plan; raises ValueError with what is wrong."""
    text = " ".join(statement.split())
    if len(text) > MAX_STATEMENT or not _PLAIN.fullmatch(text):
        raise ValueError(_WHAT)
    forms = ((form, rule.fullmatch(text)) for form, rule in _FORMS)
    form, found = next(((form, found) for form, found in forms if found), ("", None))
    if found is None:
        raise ValueError(_WHAT)
    if not _is_one_clause(text):
        raise ValueError("has a comma, parenthesis or quote too much: add one column or index at a time")
    if algorithm not in ("", *ALGORITHMS):
        raise ValueError("the algorithm must be one of {}".format(", ".join(ALGORITHMS)))
    if algorithm and form == OPTIMIZE:
        raise ValueError(
            "OPTIMIZE TABLE takes no algorithm: write ALTER TABLE {table} FORCE, or leave it out"
        )
    return Ddl(form, found.group(1), text, algorithm)


def _is_one_clause(text: str) -> bool:
    """Whether quotes and parentheses are closed, and no comma is outside of them."""
    depth, is_quoted = 0, False
    for letter in text:
        is_quoted ^= letter == "'"
        if is_quoted:
            continue
        depth += (letter == "(") - (letter == ")")
        if depth < 0 or (letter == "," and not depth):
            return False
    return not depth and not is_quoted
