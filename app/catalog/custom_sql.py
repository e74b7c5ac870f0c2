"""Custom SQL: what a `.sql` file of a workload says, in the spirit of mydbtest, and what is wrong with it.

A file has up to five parts: `option`, `declare`, `tables` and `fill` (for a load), `begin ... end` (what is
driven). It is data: nothing in it becomes Lua, and only SELECT, INSERT, UPDATE and DELETE on tables of its
own are sent. What cannot be honoured is a problem with its line, never left out in silence.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from app.engines import KNOWN
from app.protocol.sysbench import MOST_KINDS

from .event_kinds import WANTED, is_kind
from .sql_text import Scanner, SqlBindPlace, SqlTemplate, read_statement
from .sql_variables import NAME, PARTS, SqlDrawnVariable, read_variable

MAX_SQL = 64 * 1024
MOST = 100  # variables, and statements of a part
FILL_RATE = 20_000  # loops a second, for estimates: measured with rows of 800 bytes on two cores
FILL_COMMIT = 1000  # rows of a transaction while tables are filled

OPTIONS = ("tran", "commit", "rollback", "loop", "time")
FOREIGN = ("user", "name", "log", "show", "wait")  # of mydbtest: who, where, and what is printed

_WANTED = {
    "tran": "on or off",
    "time": "a time like 90, 5m or 1h",
    "rollback": "a share of the transactions from 1 % to 100 %, without decimals",
}
_TIME = re.compile(r"(?P<a>[smhd])?(?P<n>\d{1,9})(?P<b>[smhd])?")
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


class CustomSqlProblem(NamedTuple):
    """Something that Dyno cannot run, and its line."""

    line: int
    text: str


@dataclass(frozen=True)
class SqlBlock:
    """The statements of a loop; each loop draws one of several blocks by weight."""

    weight: int
    statements: tuple[SqlTemplate, ...]
    name: str = ""  # as the file says it


@dataclass(frozen=True)
class ParsedCustomSql:
    """A parsed file, with everything that is wrong with it."""

    options: dict[str, int] = field(default_factory=dict)
    variables: tuple[SqlDrawnVariable, ...] = ()
    tables: tuple[SqlTemplate, ...] = ()
    fill: tuple[SqlTemplate, ...] = ()
    drive: tuple[SqlTemplate, ...] = ()
    problems: tuple[CustomSqlProblem, ...] = ()
    blocks: tuple[SqlBlock, ...] = ()  # the statements of `drive`

    @property
    def kinds(self) -> tuple[str, ...]:
        """The names of its blocks, of which each loop is one; () where there is only one."""
        names = tuple(each.name or f"block-{at}" for at, each in enumerate(self.blocks, 1))
        return names if len(names) > 1 else ()

    @property
    def is_transaction(self) -> bool:
        """Whether all statements of a loop are one transaction."""
        return bool(self.options.get("tran"))

    def statements(self, kind: str) -> tuple[SqlTemplate, ...]:
        """The statements of a loop that fills, or that is driven."""
        return self.fill if kind == "load" else self.drive

    def blocks_of(self, kind: str) -> tuple[SqlBlock, ...]:
        """What a loop that fills, or that is driven, draws from."""
        return (SqlBlock(1, self.fill),) if kind == "load" else self.blocks


def custom_sql_problems(text: str, kind: str = "") -> list[CustomSqlProblem]:
    """What is wrong with a text, line by line; kind: load or drive, if known."""
    return list(parse_custom_sql(text, kind).problems)


def parse_custom_sql(text: str, kind: str = "", of_mydbtest: bool = False) -> ParsedCustomSql:
    """Read a file; what is wrong with it is in its problems."""
    reader = _Reader(text, of_mydbtest)
    reader.read()
    found = reader.found()
    problems = [*reader.problems, *_unbound(found)]
    if not reader.problems:  # what is wrong may be what is missed
        problems += _missing(found, kind, text.rstrip().count("\n") + 1)
    return replace(found, problems=tuple(sorted(set(problems))))


def sql_workload_fields(found: ParsedCustomSql, kind: str) -> dict[str, Any]:
    """The keys of a workload that its SQL decides."""
    statements = found.statements(kind)
    verbs = {statement.verb for statement in statements}
    blocks = found.blocks_of(kind)
    is_one = all(len(each.statements) == 1 for each in blocks) and not found.is_transaction
    control = 2 if found.is_transaction else 0
    return {
        "writes": bool(verbs - {"select"}),
        "changes_rows": bool(verbs & {"insert", "delete"}),
        "removes_rows": "delete" in verbs and "insert" not in verbs,
        "queries_per_event": max(1, round(_mean_statements(blocks))) + control,
        "latency_per": _event(found, kind, is_one),
        "needs": () if kind == "load" else ("tables",),
        "events": found.options.get("loop"),
        "seconds": found.options.get("time"),
        "tables": len(found.tables) if kind == "load" else 0,
        "kinds": () if kind == "load" else found.kinds,
        "row_bytes": dict.fromkeys(KNOWN, _row_bytes(found)) if kind == "load" else {},
        "rows_per_second": dict.fromkeys(KNOWN, FILL_RATE) if kind == "load" else {},
    }


def _mean_statements(blocks: tuple[SqlBlock, ...]) -> float:
    """How many a loop sends, by the weights."""
    sent = sum(each.weight * len(each.statements) for each in blocks)
    return sent / sum(each.weight for each in blocks)


def _row_bytes(found: ParsedCustomSql) -> float:
    """Approximate bytes of a row, for estimates: its texts and numbers, and the row itself."""
    widths = {each.name: _width(each) for each in found.variables}
    texts = sum(widths[bind.name] for each in found.fill for bind in each.binds)
    return 30 + texts / max(1, len(found.fill))


def _event(found: ParsedCustomSql, kind: str, is_one: bool) -> str:
    if kind == "load":
        return "insert"
    return "query" if is_one else "transaction" if found.is_transaction else "loop"


def _width(variable: SqlDrawnVariable) -> float:
    if variable.kind == "char":
        return sum(each.value for each in variable.numbers) / 2
    return 8


class _Reader:
    """Goes through the parts of a file once, and notes what is wrong."""

    def __init__(self, text: str, of_mydbtest: bool) -> None:
        self._scanner = Scanner(text)
        self._of_mydbtest = of_mydbtest
        self._options: dict[str, int] = {}
        self._lines: dict[str, int] = {}  # of the options
        self._variables: dict[str, SqlDrawnVariable] = {}
        self._statements: dict[str, list[SqlTemplate]] = {"tables": [], "fill": [], "begin": []}
        self._blocks: list[SqlBlock] = []
        self._unweighted: list[int] = []  # the lines of blocks without a weight
        self.problems: list[CustomSqlProblem] = []

    def found(self) -> ParsedCustomSql:
        tables, fill, drive = (tuple(each) for each in self._statements.values())
        variables = tuple(self._variables.values())
        return ParsedCustomSql(self._options, variables, tables, fill, drive, blocks=tuple(self._blocks))

    def read(self) -> None:
        seen: set[str] = set()
        while word := self._scanner.word():
            part, line = word.lower(), self._scanner.line
            if part in seen and part != "begin":
                self._note(line, f"the section {part} is in this file twice")
            seen.add(part)
            if part == "option":
                self._read_options()
            elif part == "declare":
                self._read_variables()
            elif part == "begin":
                self._read_block()
            elif part in self._statements:
                self._read_statements(part)
            else:
                self._note(line, f"expected one of {', '.join(PARTS)}")
                self._scanner.skip_line()

    def _note(self, line: int, text: str) -> None:
        self.problems.append(CustomSqlProblem(line, text))

    # options

    def _read_options(self) -> None:
        while (word := self._scanner.peek()) and word.lower() not in PARTS:
            key = self._scanner.word().lower()
            line = self._scanner.line
            value = self._scanner.word_of_line()
            if key == "rollback" and self._scanner.peek_of_line() == "%":
                value += self._scanner.word()
            if key in OPTIONS:
                self._set_option(key, value.lower(), line)
            elif key in FOREIGN:
                self._read_foreign(key, value, line)
            else:
                shown = f"unknown option {key}" if NAME.fullmatch(key) else "unknown option"
                self._note(line, f"{shown}: choose one of {', '.join(OPTIONS)}")
                self._scanner.skip_line()
        if "commit" in self._options and not self._options.get("tran"):
            self._note(self._lines["commit"], "commit needs tran on: without it each statement commits")
        if "rollback" in self._options and not self._options.get("tran"):
            self._note(self._lines["rollback"], "rollback needs tran on: without it each statement commits")

    def _set_option(self, key: str, value: str, line: int) -> None:
        number = _option_value(key, value)
        if number is None:
            wanted = _WANTED.get(key, "a whole number")
            self._note(line, f"{key} must be {wanted}")
            return
        if key in self._options:
            self._note(line, f"{key} is set twice")
        self._options[key] = number
        if {"loop", "time"} <= self._options.keys():
            self._note(line, "loop and time both end a step: leave one out")
        self._lines[key] = line

    def _read_foreign(self, key: str, value: str, line: int) -> None:
        """Ignore mydbtest's user and host; a pause between loops is an error."""
        if key == "wait" and value != "0":
            self._note(line, "wait: Dyno does not pause between loops; set a rate in the plan")
        elif not self._of_mydbtest:
            self._note(line, f"{key} is an option of mydbtest: remove it, or import the file")

    # variables

    def _read_variables(self) -> None:
        while (word := self._scanner.peek()) and word.lower() not in PARTS:
            name = self._scanner.word()
            line = self._scanner.line
            try:
                variable = read_variable(name, line, self._scanner)
            except ValueError as error:
                self._note(line, str(error))
                self._scanner.skip_line()
                continue
            if name in self._variables:
                self._note(line, f"{name} is declared twice")
            self._variables[name] = variable
            if len(self._variables) == MOST + 1:
                self._note(line, f"more than {MOST} variables")

    # statements

    def _read_block(self) -> None:
        line, before, known = self._scanner.line, len(self._statements["begin"]), len(self.problems)
        weight = self._read_weight(line)
        name = self._read_name(line)
        self._read_statements("begin")
        statements = tuple(self._statements["begin"][before:])
        self._blocks.append(SqlBlock(weight, statements, name))
        self._check_names(line)
        if not statements and line not in self._unweighted and len(self.problems) == known:
            self._note(line, "a block with a weight needs a statement")
        for each in self._unweighted if len(self._blocks) > 1 else ():
            self._note(each, "begin is in this file twice: give each a weight, begin weight 3")

    def _read_weight(self, line: int) -> int:
        if self._scanner.peek().lower() != "weight":
            self._unweighted.append(line)
            return 1
        self._scanner.word()
        word = self._scanner.word_of_line()
        if re.fullmatch(r"[1-9]\d{0,5}", word):
            return int(word)
        self._note(self._scanner.line, "weight must be a whole number from 1 to 999,999: begin weight 3")
        return 1

    def _read_name(self, line: int) -> str:
        if self._scanner.peek_of_line().lower() != "as":
            return ""
        self._scanner.word()
        name = self._scanner.word_of_line()
        if is_kind(name):
            return name
        self._note(line, f"as needs a name of {WANTED}: begin weight 3 as payment")
        return ""

    def _check_names(self, line: int) -> None:
        """Note a block too many, or one with the name of another."""
        names = [each.name or f"block-{at}" for at, each in enumerate(self._blocks, 1)]
        if names[-1] in names[:-1]:
            self._note(line, f"{names[-1]} is the name of an earlier block too")
        if len(names) == MOST_KINDS + 1:
            self._note(line, f"more than {MOST_KINDS} blocks")

    def _read_statements(self, part: str) -> None:
        line, statements, known = self._scanner.line, self._statements[part], len(self.problems)
        while word := self._scanner.peek():
            if word.lower().rstrip(";") == "end":
                self._scanner.word()
                self._scanner.skip_semicolon()
                return
            if part != "begin" and word.lower() in PARTS:
                return
            statement, problems = read_statement(self._scanner, part)
            self.problems += [CustomSqlProblem(*each) for each in problems]
            if statement:
                statements.append(statement)
            if len(statements) == MOST + 1:
                self._note(self._scanner.line, f"more than {MOST} statements")
        if part == "begin" and len(self.problems) == known:  # else what is wrong took the end with it
            self._note(line, "begin is not closed by end")


def _option_value(key: str, value: str) -> int | None:
    if key == "tran":
        return {"on": 1, "yes": 1, "off": 0, "no": 0}.get(value)
    if key == "time":
        found = _TIME.fullmatch(value)
        if not found or (found["a"] and found["b"]) or int(found["n"]) == 0:
            return None
        return int(found["n"]) * _SECONDS[found["a"] or found["b"] or "s"]
    if key == "rollback":
        return int(value[:-1]) if re.fullmatch(r"([1-9]\d?|100)%", value) else None
    return int(value) if re.fullmatch(r"[1-9]\d{0,11}", value) else None


def _missing(found: ParsedCustomSql, kind: str, last: int) -> Iterable[CustomSqlProblem]:
    """Missing parts of a file; they are shown at its last line."""
    if kind == "load" and not (found.tables and found.fill):
        yield CustomSqlProblem(last, "a load needs tables (CREATE TABLE ...;) and fill (INSERT ...;)")
    if kind == "drive" and not found.drive:
        yield CustomSqlProblem(last, "no statements to run: add begin, statements, end")
    if not kind and not (found.tables or found.fill or found.drive):
        yield CustomSqlProblem(last, "the file contains no statement")


def _unbound(found: ParsedCustomSql) -> Iterable[CustomSqlProblem]:
    """Variables without a value, and numbers added to text."""
    known = {each.name: each for each in found.variables}
    for variable in known.values():
        if problem := _newest_problem(variable, found):
            yield CustomSqlProblem(variable.line, problem)
    for block in (found.fill, *(each.statements for each in found.blocks)):
        kept: set[str] = set()
        for statement in block:
            for bind in statement.binds:
                if problem := _bind_problem(bind, known.get(bind.name), kept):
                    yield CustomSqlProblem(bind.line, problem)
            for name in statement.into:
                if problem := _into_problem(name, known.get(name)):
                    yield CustomSqlProblem(statement.line, problem)
            kept |= set(statement.into)


def _newest_problem(variable: SqlDrawnVariable, found: ParsedCustomSql) -> str:
    seq = variable.newest_of
    if seq and not any(each.name == seq and each.kind == "seq" for each in found.variables):
        return f"{variable.name}: {seq} is not declared as a seq"
    inserts = [b.name for each in found.drive if each.verb == "insert" for b in each.binds if not b.offset]
    if seq and seq not in inserts:
        return f"{variable.name}: no INSERT between begin and end takes :{seq}, so nothing is latest"
    if seq and any(bind.name == variable.name for each in found.fill for bind in each.binds):
        return f"{variable.name}: fill cannot take what begin inserts"
    return ""


def _bind_problem(bind: SqlBindPlace, variable: SqlDrawnVariable | None, kept: set[str]) -> str:
    name = bind.name
    if not variable:
        return f":{name} is not declared"
    if not variable.numbers and name not in kept:
        return f":{name} has no value here: declare it with its numbers, or SELECT ... INTO :{name} before"
    if bind.offset and variable.kind == "char":
        return f":{name} is text: a number cannot be added to it"
    return ""


def _into_problem(name: str, variable: SqlDrawnVariable | None) -> str:
    if not variable:
        return f":{name} is not declared: write {name} int, {name} float or {name} char in declare"
    if variable.numbers:
        return f":{name} is drawn in each loop: declare another one, without numbers, for INTO"
    return ""
