"""Workloads of custom SQL of a person's own: the SQL, what makes workloads of it, a sequence for them.

`NAME.sql` is what a person writes. `NAME.toml` drives it; where it fills tables of its own, `NAME-load.toml`
loads them. The sequence NAME is made once, and a person's to change from then on.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.core.errors import InputError
from app.core.toml_text import read_document

from .custom_sql import CustomSqlProblem, ParsedCustomSql, parse_custom_sql
from .listing import Catalog
from .own import write_sequence, written

FIGURES = ("rate", "latency")  # what may be measured of it
BEGINNING = """\
# What is drawn anew in each loop, the tables with what fills them, and the statements of a loop.
declare
  id    int 1 rows
  next  seq 1 2000000000
  name  char 1 32
tables
  create table people (id int not null primary key, name varchar(32));
fill
  insert into people values (:next, :name);
begin
  select name from people where id = :id;
end
"""
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,50}")


@dataclass(frozen=True)
class OwnSql:
    """A workload of custom SQL as a person writes it."""

    name: str = ""
    title: str = ""
    figure: str = "rate"  # one of FIGURES
    text: str = BEGINNING
    shipped: bool = False  # read-only


def sql_problems(text: str) -> list[CustomSqlProblem]:
    """What makes a text impossible to run, line by line."""
    return sorted(
        {
            *parse_custom_sql(text, "drive").problems,
            *(parse_custom_sql(text, "load").problems if _fills(text) else ()),
        }
    )


def _fills(text: str) -> bool:
    found = parse_custom_sql(text)
    return bool(found.tables or found.fill)


def sql_workloads(catalog: Catalog) -> list[OwnSql]:
    """The workloads of custom SQL that can be read: a person's own, then the shipped ones."""
    found = [each for each in catalog.workloads()[0] if each.sql and each.kind == "drive"]
    return [
        OwnSql(each.name, each.title, each.figure, catalog.sql_of(each), each.shipped)
        for each in sorted(found, key=lambda each: each.shipped)
    ]


def write_sql(catalog: Catalog, sql: OwnSql, over: bool = False) -> None:
    """Write all of its files; replace existing ones only on request."""
    if not _NAME.fullmatch(sql.name):
        raise InputError("the name of a workload may have up to 51 lower-case letters, digits and dashes")
    if not sql.title.strip():
        raise InputError(f"write a title that says what {sql.name} measures")
    for line, text in sql_problems(sql.text):
        raise InputError(f"line {line}: {text}")
    found = parse_custom_sql(sql.text, "drive")
    drive, load = (catalog.own_workload_path(f"{sql.name}{end}") for end in ("", "-load"))
    sequence = catalog.own_sequence_path(sql.name)
    if not over and (there := next((each for each in (drive, load, sequence) if each.exists()), None)):
        raise InputError(f"{there} exists already: choose another name")
    written(drive.with_suffix(".sql"), sql.text)
    written(drive, _driving(drive, sql))
    if found.fill:
        written(load, _loading(sql))
    else:
        load.unlink(missing_ok=True)
    if not sequence.exists():
        write_sequence(catalog, sql.name, _sequence(sql, found))


def _driving(path: Path, sql: OwnSql) -> str:
    """The TOML of the driven workload; keeps other keys of an existing file."""
    import tomli_w

    before = {"group": "custom-sql"}
    if path.exists():
        before = read_document(path.read_text(encoding="utf-8"), str(path)).data
    said = {"name": sql.name, "title": sql.title.strip(), "kind": "drive", "figure": sql.figure}
    return tomli_w.dumps({**before, **said, "sql": f"{sql.name}.sql"})


def _loading(sql: OwnSql) -> str:
    import tomli_w

    said = {"name": f"{sql.name}-load", "title": f"Filling the tables of {sql.name}", "kind": "load"}
    return tomli_w.dumps({**said, "group": "load", "sql": f"{sql.name}.sql", "unit": "rows/s"})


def _sequence(sql: OwnSql, found: ParsedCustomSql) -> str:
    """A sequence: load its own or the classic tables, settle, then run the statements."""
    import tomli_w

    loads: list[dict[str, Any]] = [{"workload": f"{sql.name}-load"}]
    if not found.fill:
        loads = [{"workload": "load"}, {"workload": "index"}]
    loads[-1]["settle_after"] = True
    steps = [*loads, {"workload": sql.name}]
    return tomli_w.dumps({"name": sql.name, "title": sql.title.strip(), "rows": 100_000, "step": steps})
