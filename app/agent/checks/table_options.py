"""Checks the table options of a contender in the rehearsal, with an empty table."""

from __future__ import annotations

import re
from typing import Iterator, Sequence, Tuple

from app.agent.server.compression import compression_in_force
from app.agent.server.mysql import Client, QueryError
from app.engines import engine_of
from app.engines.server import table_formats
from app.protocol.plan import Contender
from app.protocol.sysbench import without_family

_CREATE = (
    "CREATE TABLE dyno.rehearsed (id INT NOT NULL{}, PRIMARY KEY (id){}) ENGINE={} DEFAULT CHARSET=latin1 {}"
)
_FORMS = ("", " AUTO_INCREMENT")  # some engines take a key only of such a column
_ROW_FORMAT = re.compile(r"\bROW_FORMAT\s*=?\s*(\w+)", re.IGNORECASE)


def try_table_options(client: Client, contender: Contender) -> Tuple[str, str]:
    """Why its tables would differ from the table options ('' if not), and their compression."""
    options, family = without_family(contender.table_options)
    comment = " COMMENT 'cfname={}'".format(family) if family else ""
    for statement in engine_of(contender.engine).before_create:
        client.try_run(statement)
    try:
        _create(client, [_CREATE.format(form, comment, contender.engine, options) for form in _FORMS])
        said = client.query("SHOW WARNINGS")
        warnings = [str(row["message"]).rstrip(".") for row in said if row["level"] != "Note"]
        in_force = compression_in_force(client, contender.engine)
        wrong = [*warnings, *_other_than_asked(client, options, family, in_force)]
    except QueryError as error:
        return str(error).partition(" for CREATE TABLE")[0], ""
    finally:
        client.try_run("DROP TABLE IF EXISTS dyno.rehearsed")
    return "; ".join(wrong), in_force


def _create(client: Client, statements: Sequence[str]) -> None:
    """Run the first statement that the server accepts; without one, raise the error of the first."""
    try:
        client.run(statements[0])
    except QueryError:
        if not client.try_run(*statements[1:]):
            raise


def _other_than_asked(client: Client, options: str, family: str, in_force: str) -> Iterator[str]:
    asked = _ROW_FORMAT.search(options)
    formats = [each["row_format"] for each in table_formats(client.query) if each["name"] == "rehearsed"]
    if asked and asked.group(1).lower() not in ("default", *(each.lower() for each in formats)):
        yield "the contender sets ROW_FORMAT={}, the table has {}".format(asked.group(1), ", ".join(formats))
    if family and "column family {}".format(family) not in in_force:
        yield "the keys are not in the column family {} that the contender sets".format(family)
