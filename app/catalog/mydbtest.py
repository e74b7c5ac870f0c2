"""Converts mydbtest files to custom SQL, and adds the tables that they expect.

Who and where (`user`), and what is only printed (`name`, `log`, `show`), is neither used nor kept; nor are
comments. The tables follow from the statements: each column from the variable that is put into it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from app.core.errors import InputError
from app.core.toml_text import read_text

from .custom_sql import (
    MAX_SQL,
    ParsedCustomSql,
    custom_sql_problems,
    parse_custom_sql,
)
from .listing import Catalog
from .own_sql import OwnSql, write_sql
from .sql_text import Scanner, SqlTemplate, SqlToken, words_of
from .sql_variables import SqlDeclaredNumber, SqlDrawnVariable

KEY = "dyno_id"  # of the tables that are added: their own columns may hold one value twice
CLASSIC = "sbtest"  # tables of this name are those of the workload `load`
_LONGEST_VARCHAR, _LONGEST_KEY = 16_000, 255
_PLAIN = {"intlist": "int", "float": "double", "date": "date", "timestamp": "datetime"}
# words between a column and what it is compared with
_BETWEEN = ("and", "or", "not", "in", "like", "between")
_BEFORE = ("set", "where", "values", "limit", "offset", "by", "is", "null", "select", "from")  # no column


@dataclass(frozen=True)
class ConvertedTestFile:
    """The converted text of a file, and notes, one line each."""

    text: str
    notes: tuple[str, ...]


@dataclass
class _Table:
    """A table, as far as the statements show it."""

    name: str
    columns: dict[str, str] = field(default_factory=dict)  # name -> type
    keys: list[str] = field(default_factory=list)  # columns that rows are looked for by
    has_key: bool = True  # of its own: not where values are given by their places alone


def is_mydbtest(file: Path) -> bool:
    """Whether a file begins as those of mydbtest, and our own, do."""
    try:
        if not file.is_file():  # a pipe would be waited for
            return False
        with file.open("rb") as opened:
            beginning = opened.read(4096).decode("utf-8", "replace")
    except OSError:
        return False  # the reader says why
    return Scanner(beginning).peek().lower() in ("option", "declare", "begin")


def mydbtest_to_sql(text: str, label: str) -> ConvertedTestFile:
    """The same as custom SQL; raises InputError with the first line that Dyno cannot run."""
    if not custom_sql_problems(text, "drive") and not custom_sql_problems(text, "load"):
        return ConvertedTestFile(text, ())  # it is a whole one already
    found = parse_custom_sql(text, "drive", of_mydbtest=True)
    for problem in found.problems:
        raise InputError(f"{label}: line {problem.line}: {problem.text}")
    if found.tables or found.fill:  # custom SQL of ours
        return ConvertedTestFile(_rendered(found, [each.text for each in found.tables], list(found.fill)), ())
    tables, fills = _tables_of(found, label)
    created = [_created(table) for table in tables]
    return ConvertedTestFile(_rendered(found, created, fills), tuple(_notes(found, tables)))


def _notes(found: ParsedCustomSql, tables: list[_Table]) -> Iterator[str]:
    if tables:
        names = ", ".join(table.name for table in tables)
        yield f"added tables that fit the statements: {names}; change them if yours differ"
    if "loop" in found.options:
        yield f"loop {found.options['loop']:,} counts for all threads together"
    taken = {bind.name for each in found.drive for bind in each.binds}
    for variable in found.variables:
        if variable.name not in taken:
            yield f"{variable.name} is declared but not used"


def read_custom_sql(file: Path) -> tuple[OwnSql, tuple[str, ...]]:
    """Custom SQL from a file of either format, named like the file, and notes on it."""
    taken = mydbtest_to_sql(read_text(file, MAX_SQL), str(file))
    name = re.sub(r"[^a-z0-9_-]+", "-", file.stem.lower()).strip("-")
    return OwnSql(name, f"The statements of {file.name}", "latency", taken.text), taken.notes


def import_mydbtest_file(
    catalog: Catalog, file: Path, name: str = "", title: str = "", figure: str = "latency", over: bool = False
) -> tuple[str, tuple[str, ...]]:
    """Make a person's own workloads and sequence from a file; returns their name, and notes."""
    found, notes = read_custom_sql(file)
    found = replace(found, name=name or found.name, title=title or found.title, figure=figure)
    write_sql(catalog, found, over)
    return found.name, notes


# tables


def _tables_of(found: ParsedCustomSql, label: str) -> tuple[list[_Table], list[SqlTemplate]]:
    """The tables to add, and for each the first insert into it."""
    kinds = {each.name: each for each in found.variables}
    tables: dict[str, _Table] = {}
    fills: dict[str, SqlTemplate] = {}
    for statement in found.drive:
        name = _table_name(statement)
        if name.lower().startswith(CLASSIC):
            continue
        table = tables.setdefault(name, _Table(name))
        if statement.verb == "insert":
            fills.setdefault(name, statement)
            _add_inserted(table, statement, kinds, label)
        else:
            _add_looked_for(table, statement, kinds)
    for name in tables.keys() - fills.keys():
        raise InputError(
            f"{label}: no statement inserts into {name}, so its columns are unknown: add a section tables"
        )
    return list(tables.values()), list(fills.values())


def _table_name(statement: SqlTemplate) -> str:
    words = words_of(statement.text)
    after = {"insert": "into", "update": "update", "delete": "from", "select": "from"}[statement.verb]
    at = next((at for at, token in enumerate(words) if token.text.lower() == after), -1)
    name = words[at + 1].text.strip("`") if 0 <= at < len(words) - 1 else ""
    return name if name.isidentifier() else ""


def _add_inserted(
    table: _Table, statement: SqlTemplate, kinds: dict[str, SqlDrawnVariable], label: str
) -> None:
    """The columns of `INSERT INTO t (a, b) VALUES (...)`, `... SET a = ...` or `... VALUES (...)`."""
    tokens = words_of(statement.text)
    words = [token.text.lower() for token in tokens]
    at = words.index("into") + 2
    if "set" in words[at : at + 1]:
        pairs = [(group[0].text, group[2:]) for group in _groups(tokens[at + 1 :]) if len(group) > 2]
    elif "values" in words[at:]:
        start = at + words[at:].index("values")
        values = _groups(_within(tokens[start + 1 :]))
        names = [group[0].text for group in _groups(_within(tokens[at:start]))] if start > at else []
        table.has_key = table.has_key and bool(names)
        pairs = list(zip(names or [f"c{i}" for i in range(1, len(values) + 1)], values, strict=False))
    else:
        raise InputError(
            f"{label}: line {statement.line}: the columns of {table.name} are not clear from this"
        )
    binds = iter(statement.binds)
    for name, value in pairs:
        taken = [next(binds) for token in value if token.text == "?"]
        kind = _type_of(kinds[taken[0].name]) if taken else _type_of_constant(value)
        table.columns.setdefault(name.strip("`"), kind)


def _add_looked_for(table: _Table, statement: SqlTemplate, kinds: dict[str, SqlDrawnVariable]) -> None:
    """The columns that a variable is put into or compared with; rows are looked for behind WHERE."""
    binds = iter(statement.binds)
    column, is_behind = "", False
    for token in words_of(statement.text):
        word = token.text.lower()
        is_behind = is_behind or word == "where"
        if token.kind == "word" or token.text.startswith("`"):
            if word not in _BETWEEN:
                column = "" if word in _BEFORE else token.text.strip("`")
        elif token.text == "?":
            kind = _type_of(kinds[next(binds).name])
            if column:
                table.columns.setdefault(column, kind)
                if is_behind and column not in table.keys:
                    table.keys.append(column)


def _within(tokens: list[SqlToken]) -> list[SqlToken]:
    """What is between the first bracket and the one that closes it."""
    depth, found = 0, []
    for token in tokens:
        if token.text == ")":
            depth -= 1
            if depth == 0:
                break
        if depth:
            found.append(token)
        depth += token.text == "("
    return found


def _groups(tokens: list[SqlToken]) -> list[list[SqlToken]]:
    """Tokens split at the commas outside brackets."""
    groups: list[list[SqlToken]] = [[]]
    depth = 0
    for token in tokens:
        depth += {"(": 1, ")": -1}.get(token.text, 0)
        if token.text == "," and depth == 0:
            groups.append([])
        else:
            groups[-1].append(token)
    return [group for group in groups if group]


def _type_of(variable: SqlDrawnVariable) -> str:
    if not variable.numbers:
        return {"int": "bigint", "float": "double"}.get(variable.kind, "text")
    if variable.kind == "char":
        longest = max(1, round(variable.numbers[1].value))
        return f"varchar({longest})" if longest <= _LONGEST_VARCHAR else "text"
    if variable.kind in _PLAIN:
        return _PLAIN[variable.kind]
    low, high = (variable.numbers[0].value, variable.numbers[-1].value)
    return "int" if variable.kind == "int" and low >= -(2**31) and high < 2**31 else "bigint"


def _type_of_constant(value: list[SqlToken]) -> str:
    return "bigint" if all(token.kind == "number" for token in value) else "varchar(255)"


def _created(table: _Table) -> str:
    columns = [f"{name} {kind}" for name, kind in table.columns.items()]
    if table.has_key:
        columns = [f"{KEY} bigint not null auto_increment", *columns, f"primary key ({KEY})"]
    columns += [f"key ({name}{_beginning(table.columns[name])})" for name in table.keys]
    return f"create table {table.name} ({', '.join(columns)})"


def _beginning(kind: str) -> str:
    """The column for an index: of a long text only its beginning."""
    is_long = kind == "text" or (kind.startswith("varchar") and int(kind[8:-1]) > _LONGEST_KEY)
    return f"({_LONGEST_KEY})" if is_long else ""


# as text


def _rendered(found: ParsedCustomSql, tables: list[str], fills: list[SqlTemplate]) -> str:
    """The file as custom SQL, with only the parts that count."""
    options = [f"{key} {_option(key, value)}" for key, value in found.options.items()]
    parts = {
        "option": options,
        "declare": [_declared(each) for each in found.variables],
        "tables": [f"{each};" for each in tables],
        "fill": [f"{each.written};" for each in fills],
    }
    lines = [line for part, held in parts.items() if held for line in (part, *(f"  {each}" for each in held))]
    for block in found.blocks:
        weight = f" weight {block.weight}" if len(found.blocks) > 1 else ""
        weight += f" as {block.name}" if block.name else ""
        lines += [f"begin{weight}", *(f"  {each.written};" for each in block.statements), "end"]
    return "\n".join([*lines, ""])


def _option(key: str, value: int) -> str:
    if key == "tran":
        return "on" if value else "off"
    return f"{value} %" if key == "rollback" else str(value)


def _declared(variable: SqlDrawnVariable) -> str:
    numbers = [_number(number) for number in variable.numbers]
    numbers += [variable.newest_of] if variable.newest_of else []
    if variable.kind == "intlist":
        return f"{variable.name} intlist {','.join(numbers)}"
    zlib = f" zlib {variable.zlib:g}" if variable.zlib is not None else ""
    law = f" {variable.law} {variable.exponent:g}" if variable.law else ""
    return " ".join([variable.name, variable.kind, *numbers]) + zlib + law


def _number(number: SqlDeclaredNumber) -> str:
    if number.of_rows:
        return f"rows{number.value:+.0f}" if number.value else "rows"
    return f"{number.value:.15g}" if isinstance(number.value, float) else str(number.value)
