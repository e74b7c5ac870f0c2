"""The settings in force in a session: my.cnf, variables, other facts; filtered by a text."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from PySide6.QtCore import QObject

from .heads import ROLE, FlatModel

_TITLES = ("Where", "Name", "Value")


class Setting(NamedTuple):
    where: str
    name: str
    value: str


def settings_of(cnf: str, facts: Mapping[str, object]) -> list[Setting]:
    """The settings as lines, without the engine's long status texts."""
    found = [Setting("my.cnf", *_option(line)) for line in cnf.splitlines() if line.strip()]
    for where, value in facts.items():
        if where != "my_cnf" and not where.startswith("engine_status"):
            found += [Setting(where.replace("_", " "), *pair) for pair in _pairs(value)]
    return found


def _option(line: str) -> tuple[str, str]:
    name, _, value = line.partition("=")
    return name.strip(), value.strip()


def _pairs(value: object, name: str = "") -> Iterator[tuple[str, str]]:
    """Names and values: nested objects as dotted names, lists of objects line by line."""
    if isinstance(value, Mapping):
        for key, each in value.items():
            yield from _pairs(each, f"{name}.{key}" if name else str(key))
    elif isinstance(value, list) and value and all(isinstance(each, Mapping) for each in value):
        for each in value:
            *names, last = (str(part) for part in each.values())
            yield ".".join(filter(None, (name, *names))), last
    else:
        yield name, value if isinstance(value, str) else json.dumps(value)


class SettingModel(FlatModel):
    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._all: Sequence[Setting] = ()
        self._shown: Sequence[Setting] = ()
        self._text = ""

    def show(self, settings: Sequence[Setting]) -> None:
        self._all = settings
        self.filter(self._text)

    def filter(self, text: str) -> None:
        """Filter by words, each of which must occur in a text of a line."""
        self._text = text
        words = text.casefold().split()
        self.beginResetModel()
        self._shown = [each for each in self._all if _has(each, words)] if words else self._all
        self.endResetModel()

    def size(self) -> tuple[int, int]:
        return len(self._shown), len(_TITLES)

    def head(self, column: int, role: int) -> object:
        return _TITLES[column] if role == ROLE.DisplayRole else None

    def cell_data(self, row: int, column: int, role: int) -> object:
        text = self._shown[row][column]
        if role == ROLE.ToolTipRole:
            return text
        return text.partition("\n")[0] if role == ROLE.DisplayRole else None


def _has(setting: Setting, words: Sequence[str]) -> bool:
    text = " ".join(setting).casefold()
    return all(word in text for word in words)
