"""TOML that people write: values checked against rules, every complaint with its file, line and key."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from .errors import InputError
from .nearest import did_you_mean

T = TypeVar("T")
MAX_BYTES = 1 << 20
Path_ = Sequence["str | int"]  # where a value is: ("contender", 1, "engine")

_WORDS = {str: "a text", int: "a whole number", float: "a number", bool: "true or false", dict: "a table"}
_HEADER = re.compile(r"^\s*(\[\[?)\s*([^\]]+?)\s*\]\]?\s*(#.*)?$")


@dataclass(frozen=True)
class ValueRule:
    """A rule for a value."""

    kinds: tuple[type, ...]
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()
    items: ValueRule | None = None  # of a list
    empty: bool = True  # whether a list may be
    needed: bool = False
    longest: int = 0  # characters of a text; 0: as many as one likes

    def problem(self, value: Any) -> str:
        """What is wrong with a value, '' if nothing."""
        if self.items and isinstance(value, list):
            if not value and not self.empty:
                return "must not be empty"
            found = next((text for text in map(self.items.problem, value) if text), "")
            return found or self._twice(value)
        if not isinstance(value, self.kinds) or (isinstance(value, bool) and bool not in self.kinds):
            return f"must be {self.words()}, not {short_value_repr(value)}"
        if self.choices and value not in self.choices:
            return f"must be one of {', '.join(self.choices)}, not {short_value_repr(value)}"
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return self._outside(value)
        return self._text_problem(value) if isinstance(value, str) else ""

    def _twice(self, values: list[Any]) -> str:
        """Whether a list has duplicates; the reader checks lists of tables itself."""
        twice = first_twice([value for value in values if not isinstance(value, dict)])
        return "" if twice is None else f"names {short_value_repr(twice)} twice"

    def _text_problem(self, value: str) -> str:
        if self.longest and len(value) > self.longest:
            return f"must have at most {self.longest} characters, not {len(value)}"
        return "" if value.isprintable() else "must not hold control characters"

    def _outside(self, value: float) -> str:
        if (self.low is None or value >= self.low) and (self.high is None or value <= self.high):
            return ""
        if self.high is None:
            return f"must be at least {self.low:,}, not {short_value_repr(value)}"
        return f"must be between {self.low:,} and {self.high:,}, not {short_value_repr(value)}"

    def words(self) -> str:
        found = [_WORDS[kind] for kind in self.kinds if kind in _WORDS]
        if self.items:
            found.append("a list of which each is " + self.items.words())
        return " or ".join(found)


TEXT = ValueRule((str,))
NEEDED_TEXT = ValueRule((str,), needed=True)
FLAG = ValueRule((bool,))
TABLE = ValueRule((dict,))


def first_twice(values: Sequence[T]) -> T | None:
    """The first duplicate in a list."""
    return next((value for at, value in enumerate(values) if value in values[:at]), None)


def short_value_repr(value: Any) -> str:
    """A value for a message, cut if it is long."""
    try:
        text = repr(value)
    except ValueError:  # an integer with more digits than Python will print
        return "a number too long to print"
    return text if len(text) <= 40 else text[:37] + "..."


@dataclass(frozen=True)
class Document:
    """A TOML text that could be read."""

    label: str  # as messages name it
    text: str
    data: dict[str, Any]

    def error(self, where: Path_, message: str) -> InputError:
        """An InputError that names file, line and key."""
        line = line_of(self.text, where)
        key = next((str(part) for part in reversed(where) if isinstance(part, str)), "")
        place = f"line {line}: " if line else ""
        return InputError(f"{self.label}: {place}{key + ' ' if key else ''}{message}")

    def check(self, table: Mapping[str, Any], rules: Mapping[str, ValueRule], where: Path_ = ()) -> None:
        """Raise InputError for the first key that is unknown, wrong or missing."""
        for key, value in table.items():
            if key not in rules:
                meant = did_you_mean(key, rules)
                raise self.error((*where, key), f"is not known here{meant}; known are {', '.join(rules)}")
            problem = rules[key].problem(value)
            if problem:
                raise self.error((*where, key), problem)
        for key, rule in rules.items():
            if rule.needed and key not in table:
                raise self.error((*where, key), "is missing")


def read_document(text: str, label: str) -> Document:
    """Parse TOML; raises InputError with the line of what is malformed."""
    try:
        return Document(label, text, tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{label}: {_malformed(text, str(error))}") from None
    except RecursionError:
        raise InputError(f"{label}: is nested too deeply to be read") from None
    except ValueError:  # Python reads no integer of more than 4,300 digits
        lines = text.split("\n")
        number = next((at for at, line in enumerate(lines, 1) if re.search(r"\d{4000}", line)), 1)
        raise InputError(f"{label}: line {number}: a number too long to be read") from None


def _malformed(text: str, said: str) -> str:
    """The parser's message with line and key in front; without a line, the last one."""
    message, _, place = said.rpartition(" (at ")
    lines = text.rstrip().split("\n")
    found = re.match(r"line (\d+)", place)
    number = min(int(found[1]), len(lines)) if found else len(lines)
    key = re.match(r"\s*([A-Za-z0-9_.\"-]+)\s*=", lines[number - 1])
    return f"line {number}: {key[1] + ' ' if key else ''}is no TOML: {message or said}"


def read_text(path: Path, most: int = MAX_BYTES) -> str:
    """A UTF-8 file of bounded size; raises InputError with what is wrong with it."""
    try:
        if path.exists() and not path.is_file():  # a pipe would be waited for
            raise InputError(f"{path}: is no file")
        with path.open("rb") as file:
            raw = file.read(most + 1)
        if len(raw) > most:
            raise InputError(f"{path}: larger than {most // 1024} KiB")
        return raw.decode("utf-8").replace("\r\n", "\n")
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise InputError(f"{path}: is not UTF-8 text") from None


def line_of(text: str, where: Path_) -> int:
    """The line of a key, else of its table; 0 where neither is found."""
    headers = [part for part in where if isinstance(part, str)]
    counts = [part for part in where if isinstance(part, int)]
    lines = text.split("\n")
    for depth in range(len(headers), 0, -1):
        start = _table_start(lines, headers[: depth - 1], counts)
        found = _key_line(lines, start, headers[depth - 1])
        if found:
            return found
        if depth == len(headers) and _table_start(lines, headers, counts) > 0:
            return _table_start(lines, headers, counts)
    return max(_table_start(lines, headers[:-1], counts), 0) if headers else 0


def _table_start(lines: Sequence[str], names: Sequence[str], counts: Sequence[int]) -> int:
    """The line of a table's header, or of the n-th one in a list of tables; 0 for the top."""
    start, end = 0, len(lines)
    for depth in range(1, len(names) + 1):
        found = [at for at in range(start + 1, end + 1) if _header(lines[at - 1]) == list(names[:depth])]
        wanted = counts[depth - 1] if depth <= len(counts) else 0
        if wanted < len(found):
            start, *following = found[wanted:]
            end = following[0] - 1 if following else end
        elif depth == len(names):
            return -1
    return start


def _header(line: str) -> list[str]:
    """The names in the header of a table; none in any other line."""
    header = _HEADER.match(line)
    return [part.strip().strip("\"'") for part in header[2].split(".")] if header else []


def _key_line(lines: Sequence[str], start: int, key: str) -> int:
    """The line of `key =` in the table whose header is line `start`."""
    if start < 0:
        return 0
    wanted = re.compile(rf"""(?:^|[{{,])\s*["']?{re.escape(key)}["']?\s*[.=]""")
    for number in range(start + 1, len(lines) + 1):
        if _HEADER.match(lines[number - 1]):
            break
        if wanted.search(lines[number - 1]):
            return number
    return 0
