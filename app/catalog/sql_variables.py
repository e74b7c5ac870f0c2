"""The declared variables of custom SQL: their types and numbers, and what is wrong with them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

from .sql_text import Scanner

PARTS = ("option", "declare", "tables", "fill", "begin")  # of a file: a declaration ends before them
MOST_CHARACTERS = 65_535  # of a text
EXACT = 2**53  # beyond it the Lua of the load generator has no whole numbers
ZLIB_LEAST, ZLIB_MOST = 0.02, 0.75  # what zlib leaves of a text: random letters are not compressed further
TYPES_OF_INTO = ("int", "float", "char")  # types of what a SELECT ... INTO keeps
LAWS = ("zipf", "latest")
EXPONENT, EXPONENT_MOST = 0.99, 5.0  # of Zipf's law: as YCSB has it

NAME = re.compile(r"[A-Za-z_]\w{0,63}")
_ALIASES = {"sequence": "seq", "double": "float"}
_WHOLE = re.compile(r"-?\d{1,18}|(rows)([+-]\d{1,15})?")
_REAL = re.compile(r"-?\d{1,15}(\.\d{1,15})?")


class SqlDeclaredNumber(NamedTuple):
    """A number of a declaration; `rows+1` is one more than the rows that the plan says."""

    value: float
    of_rows: bool = False


@dataclass(frozen=True)
class SqlDrawnVariable:
    """A variable of the statements: drawn anew in each loop, or kept from a SELECT ... INTO."""

    name: str
    kind: str  # int seq intlist float char date timestamp
    numbers: tuple[SqlDeclaredNumber, ...]  # the bounds; of an intlist its members; none: it is kept
    zlib: float | None = None  # of a char: what zlib leaves of it; None: random letters throughout
    line: int = 0
    law: str = ""  # of an int: zipf or latest; others are all equally likely
    exponent: float = 0.0  # of the law
    newest_of: str = ""  # of latest: the seq whose inserted numbers it draws; they have no upper bound


def read_variable(name: str, line: int, scanner: Scanner) -> SqlDrawnVariable:
    """The declaration that begins with a name; raises ValueError with what is wrong with it."""
    if not NAME.fullmatch(name):
        raise ValueError("the name of a variable may have up to 64 letters, digits and underscores")
    said = scanner.word_of_line().lower()
    kind = _ALIASES.get(said, said)
    if kind == "intlist":
        return SqlDrawnVariable(name, kind, _members(name, scanner.list_of_line()), line=line)
    if kind not in _BOUNDS:
        known = ", ".join(["intlist", *_BOUNDS])
        raise ValueError(f"{name} needs one of the types {known}")
    if kind in TYPES_OF_INTO and scanner.peek_of_line().lower() in ("", *PARTS):
        return SqlDrawnVariable(name, kind, (), line=line)
    if newest := _newest(name, kind, line, scanner):
        return newest
    low, high = (_bound(name, kind, scanner.word_of_line()) for _ in range(2))
    if low.of_rows == high.of_rows and low.value > high.value:
        raise ValueError(f"{name}: the first number is larger than the second")
    zlib = _zlib(name, scanner) if kind == "char" else None
    law, exponent = _law(name, kind, scanner)
    return SqlDrawnVariable(name, kind, (low, high), zlib, line, law, exponent)


def _members(name: str, words: list[str]) -> tuple[SqlDeclaredNumber, ...]:
    if not words or not all(re.fullmatch(r"-?\d{1,15}", each) for each in words):
        raise ValueError(f"{name} needs whole numbers separated by commas: {name} intlist 1,2,3")
    if len(words) > 1000:
        raise ValueError(f"{name} has {len(words):,} members, at most 1,000 are allowed")
    return tuple(SqlDeclaredNumber(int(each)) for each in words)


# the least and the most that the bounds of a type may be
_BOUNDS: dict[str, tuple[float, float]] = {
    "int": (-EXACT, EXACT),
    "seq": (-EXACT, EXACT),
    "float": (-1e15, 1e15),
    "char": (0, MOST_CHARACTERS),
    "date": (-365_000, 365_000),
    "timestamp": (-365_000, 365_000),
}


def _bound(name: str, kind: str, word: str) -> SqlDeclaredNumber:
    least, most = _BOUNDS[kind]
    pattern = _REAL if kind == "float" else _WHOLE
    found = pattern.fullmatch(word)
    if not found:
        raise ValueError(f"{name} needs two numbers: {name} {kind} {'1 32' if kind == 'char' else '1 100'}")
    if pattern is _WHOLE and found[1]:
        if kind not in ("int", "seq"):
            raise ValueError(f"{name}: rows works only with int and seq")
        return SqlDeclaredNumber(int(found[2] or 0), of_rows=True)
    number = float(word) if kind == "float" else int(word)
    if not least <= number <= most:
        raise ValueError(f"{name}: must be between {least:,.0f} and {most:,.0f}, not {word}")
    return SqlDeclaredNumber(number)


def _zlib(name: str, scanner: Scanner) -> float | None:
    if scanner.peek_of_line().lower() != "zlib":
        return None
    scanner.word()
    word = scanner.word_of_line()
    if not _REAL.fullmatch(word) or not ZLIB_LEAST <= float(word) <= ZLIB_MOST:
        raise ValueError(f"{name}: zlib needs a share from {ZLIB_LEAST} to {ZLIB_MOST}")
    return float(word)


def _newest(name: str, kind: str, line: int, scanner: Scanner) -> SqlDrawnVariable | None:
    """`id int 1 added latest`: what a seq has inserted so far."""
    before = scanner.at
    low, seq, law = (scanner.word_of_line() for _ in range(3))
    is_newest = (
        kind == "int" and NAME.fullmatch(seq) and not _WHOLE.fullmatch(seq) and law.lower() == "latest"
    )
    scanner.at = before
    if not is_newest:
        return None
    number = _bound(name, kind, low)
    scanner.word_of_line()
    scanner.word_of_line()
    _, exponent = _law(name, kind, scanner)
    return SqlDrawnVariable(name, kind, (number,), None, line, "latest", exponent, seq)


def _law(name: str, kind: str, scanner: Scanner) -> tuple[str, float]:
    """What follows the bounds: zipf or latest, and its exponent."""
    law, before = scanner.peek_of_line().lower(), scanner.at
    if law not in LAWS:
        return "", 0.0
    scanner.word()
    word = scanner.peek_of_line()
    if word.lower() in ("intlist", *_ALIASES, *_BOUNDS):  # it is the name of the next variable
        scanner.at = before
        return "", 0.0
    if kind != "int":
        raise ValueError(f"{name}: {law} works only with int")
    if not word[:1].isdigit():
        return law, EXPONENT
    scanner.word()
    if not _REAL.fullmatch(word) or not 0 < float(word) <= EXPONENT_MOST:
        raise ValueError(f"{name}: the exponent of {law} must be above 0, at most {EXPONENT_MOST:g}")
    return law, float(word)
