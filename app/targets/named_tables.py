"""A file of a person with a table for each entry: each mistake has its line, others cannot read it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, Field, asdict, fields
from pathlib import Path
from typing import Any, Generic, TypeVar

from app.core.errors import InputError
from app.core.private import write_private
from app.core.toml_text import read_document

T = TypeVar("T")  # a dataclass whose field `name` is that of its table

_TYPES: dict[str, type] = {"int": int, "bool": bool, "float": float, "list[str]": list}
_WORDS = {int: "a number", float: "a number with a point", bool: "true or false", list: "a list of texts"}


class NamedTables(Generic[T]):
    """The tables of a file; `check` raises InputError for a wrong entry."""

    def __init__(self, path: Path, kind: Callable[..., T], check: Callable[[T], T]) -> None:
        self.path = path
        self._kind = kind
        self._check = check
        its: Iterable[Field[Any]] = fields(kind)  # type: ignore[arg-type]
        self._fields = {each.name: each for each in its if each.name != "name"}

    def read(self) -> dict[str, T]:
        """All entries by name; {} if there is no file."""
        try:
            text = self.path.read_text(encoding="utf-8")
        except FileNotFoundError:
            return {}
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"{self.path} cannot be read: {error}") from None
        tables = read_document(text, str(self.path)).data
        return {name: self._entry(name, table, text) for name, table in tables.items()}

    def write(self, entries: Mapping[str, T]) -> None:
        """Store these entries in place of all others."""
        import tomli_w

        tables = {name: self._table(entry) for name, entry in sorted(entries.items())}
        write_private(self.path, tomli_w.dumps(tables).encode())

    def check_fields(self, names: Iterable[str], what: str) -> None:
        """Raise InputError for a name that is no field of such an entry."""
        unknown = sorted(set(names) - self._fields.keys())
        if unknown:
            raise InputError(f"{what} has no {', '.join(unknown)}: choose from {', '.join(self._fields)}")

    def _entry(self, name: str, table: Any, text: str) -> T:
        try:
            return self._read_table(name, table)
        except _WrongKeyError as error:
            line = _line_of(text, name, error.key)
            raise InputError(f"{self.path}, line {line}: {error}") from None
        except InputError as error:
            raise InputError(f"{self.path}, line {_line_of(text, name)}: {error}") from None

    def _read_table(self, name: str, table: Any) -> T:
        if not isinstance(table, dict):
            raise _WrongKeyError(f"{name} is not a table: write [{name}] and the values below it", name)
        for key, value in table.items():
            self._check_value(name, key, value)
        return self._check(self._kind(name=name, **table))

    def _check_value(self, name: str, key: str, value: Any) -> None:
        if key not in self._fields:
            known = ", ".join(self._fields)
            raise _WrongKeyError(f"[{name}] has the unknown key {key}: choose one of {known}", key)
        kind = _TYPES.get(str(self._fields[key].type), str)
        if type(value) is not kind or (
            isinstance(value, list) and not all(isinstance(each, str) for each in value)
        ):
            raise _WrongKeyError(f"{key} of [{name}] must be {_WORDS.get(kind, 'a text')}", key)

    def _table(self, entry: T) -> dict[str, Any]:
        """The fields that are not as usual."""
        values = asdict(entry)  # type: ignore[call-overload]
        return {key: values[key] for key, each in self._fields.items() if values[key] != _usual(each)}


class _WrongKeyError(Exception):
    def __init__(self, text: str, key: str) -> None:
        super().__init__(text)
        self.key = key


def _usual(each: Field[Any]) -> object:
    return each.default if each.default_factory is MISSING else each.default_factory()


def _line_of(text: str, name: str, key: str = "") -> int:
    """The line of a key, or of its table, from 1; 1 if not found."""
    lines = text.splitlines()
    header = re.compile(rf"\s*\[\s*[\"']?{re.escape(name)}[\"']?\s*\]")
    start = next((number for number, line in enumerate(lines) if header.match(line)), 0)
    wanted = re.compile(rf"\s*[\"']?{re.escape(key)}[\"']?\s*=") if key else header
    return next((n + 1 for n, line in enumerate(lines) if n >= start and wanted.match(line)), start + 1)
