"""Statements of a step of kind ddl: what may be sent, and what undoes it."""

from __future__ import annotations

import pytest

from app.protocol.ddl import read_ddl

TABLE = "`dyno`.`sbtest1`"


@pytest.mark.parametrize(
    ("statement", "algorithm", "sent", "undone"),
    [
        (
            "ALTER TABLE {table} ADD COLUMN more DECIMAL(5, 2) NOT NULL DEFAULT 0",
            "INSTANT",
            f"ALTER TABLE {TABLE} ADD COLUMN more DECIMAL(5, 2) NOT NULL DEFAULT 0, ALGORITHM=INSTANT",
            f"ALTER TABLE {TABLE} DROP COLUMN `more`",
        ),
        (
            "alter table {table}\n  add unique index more (k, id)",
            "",
            f"alter table {TABLE} add unique index more (k, id)",
            f"ALTER TABLE {TABLE} DROP INDEX `more`",
        ),
        (
            "CREATE INDEX more ON {table}(c(10))",
            "INPLACE",
            f"CREATE INDEX more ON {TABLE}(c(10)) ALGORITHM=INPLACE",
            f"ALTER TABLE {TABLE} DROP INDEX `more`",
        ),
        ("ALTER TABLE {table} FORCE", "COPY", f"ALTER TABLE {TABLE} FORCE, ALGORITHM=COPY", ""),
        ("OPTIMIZE TABLE {table}", "", f"OPTIMIZE TABLE {TABLE}", ""),
    ],
)
def test_what_is_sent_and_what_undoes_it(statement: str, algorithm: str, sent: str, undone: str) -> None:
    ddl = read_ddl(statement, algorithm)
    assert (ddl.on(TABLE), ddl.undone_on(TABLE)) == (sent, undone)


@pytest.mark.parametrize(
    "statement",
    [
        "",
        "DROP TABLE {table}",
        "ALTER TABLE mysql.user ADD COLUMN a INT",
        "ALTER TABLE {table} DROP COLUMN k",
        "ALTER TABLE {table} RENAME TO other",
        "ALTER TABLE {table} ENGINE=MEMORY",
        "ALTER TABLE {table} ADD COLUMN a INT; DROP TABLE {table}",
        "ALTER TABLE {table} ADD COLUMN a INT /* */",
        "ALTER TABLE {table} ADD COLUMN a INT -- more",
        "ALTER TABLE {table} ADD COLUMN `a` INT",
        "ALTER TABLE {table} ADD COLUMN a INT REFERENCES mysql.user(user)",
        "CREATE INDEX a ON {table} ({table})",
        "OPTIMIZE TABLE {table}, mysql.user",
        "ALTER TABLE {table} ADD COLUMN a " + "INT " * 1000,
        "ALTER TABLE {table} ADD COLUMN a INT\0",
    ],
)
def test_other_statements_are_refused(statement: str) -> None:
    with pytest.raises(ValueError, match="must add a column or an index to"):
        read_ddl(statement)


@pytest.mark.parametrize(
    "rest",
    ["INT, DROP COLUMN k", "INT, ALGORITHM%COPY", "CHAR(5", "INT)", "CHAR(9) DEFAULT 'x"],
)
def test_one_clause_at_a_time(rest: str) -> None:
    with pytest.raises(ValueError, match="one column or index at a time"):
        read_ddl("ALTER TABLE {table} ADD COLUMN a " + rest)


def test_algorithms_that_there_are() -> None:
    with pytest.raises(ValueError, match="must be one of INSTANT, INPLACE, COPY"):
        read_ddl("ALTER TABLE {table} FORCE", "QUICK")
    with pytest.raises(ValueError, match="OPTIMIZE TABLE takes no algorithm"):
        read_ddl("OPTIMIZE TABLE {table}", "COPY")
