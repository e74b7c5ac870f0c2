"""What the threads of a server waited for in a step, by name, and its statements by digest."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from .reading import Count, Name, Number

PRESET, BY_NAME = "preset", "waits"
INSTRUMENTS = (PRESET, BY_NAME)  # of the Performance Schema: those of the preset, or all waits
MOST_WAITS, MOST_STATEMENTS, MOST_LOCKS = 30, 20, 20
LONGEST = 300  # characters of a statement


class _Sparse:
    def to_json(self) -> dict[str, Any]:
        """As it is written: without unknown values and empty lists."""
        return {name: value for name, value in vars(self).items() if value not in (None, "", [], {})}


@dataclass(frozen=True)
class Wait(_Sparse):
    """All waits of one name; each thread that waits adds its time."""

    name: Name
    kind: Name
    count: Count = 0
    ms: Number | None = None  # None: the server counts them only
    per_query_us: Number | None = None


@dataclass(frozen=True)
class LockPair(_Sparse):
    """A statement that waited for the lock of another one; of a deadlock, the two of it."""

    kind: Name  # row lock, deadlock
    waiting: Name
    holding: Name = ""  # '' while its transaction executes no statement
    seen: Count = 0  # looks that found it; of deadlocks, how many were seen
    table: Name = ""
    index: Name = ""
    longest_s: Number | None = None


@dataclass(frozen=True)
class Waits(_Sparse):
    """Over the measured seconds of a step."""

    by_name: bool = False  # whether the Performance Schema was on
    kinds: dict[Name, Number] = field(default_factory=dict)  # ms of each kind that the server measures
    events: list[Wait] = field(default_factory=list)  # the longest first, at most MOST_WAITS
    locks: list[LockPair] = field(default_factory=list)
    files: dict[Name, Number] = field(default_factory=dict)  # bytes, by kind of file and way


@dataclass(frozen=True)
class StatementDigest(_Sparse):
    """All statements of one digest; None: the server does not count it."""

    text: Name
    calls: Count
    ms: Number
    rows_examined: Count | None = None
    rows_sent: Count | None = None
    rows_affected: Count | None = None
    rows_sorted: Count | None = None
    no_index: Count | None = None  # calls that used no index


_TOKEN = re.compile(
    r"'(?:[^'\\]|\\.|'')*'?|\"(?:[^\"\\]|\\.)*\"?|`[^`]*`|/\*.*?\*/|\.\.\.|\d+(?:\.\d+)?(?![\w$])|[\w$@]+|<=>|[<>!:]=|<>|\S"
)
_LIST = re.compile(r"\(\?(?:, (?:\?|\.\.\.))+\)")  # of values
_ROWS = re.compile(r"(\((?:\.\.\.|\?)\))(?:, \((?:\.\.\.|\?)\))+")
_NO_FUNCTIONS = {
    "AND",
    "BY",
    "FROM",
    "IN",
    "INTO",
    "NOT",
    "ON",
    "OR",
    "SELECT",
    "SET",
    "USING",
    "VALUES",
    "WHERE",
}


def plain_statement(text: str) -> str:
    """A statement as every server is made to say it: in one line, ? in place of values, no quotes of names."""
    parts: list[str] = []
    before = ""
    for token in _TOKEN.findall(" ".join(text.split())):
        if token.startswith("/*") or (token.upper() == "EXECUTE" and not parts):
            continue
        said = "?" if token[0] in "'\"0123456789" else token.strip("`")
        is_call = said == "(" and before[:1].isalpha() and before.upper() not in _NO_FUNCTIONS
        is_tight = not parts or said in (",", ")", ".", ";") or before in ("(", ".") or is_call
        parts.append(said if is_tight else " " + said)
        before = said
    return _ROWS.sub(r"\1", _LIST.sub("(...)", "".join(parts)))
