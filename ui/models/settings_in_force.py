"""The settings in force in a session: my.cnf, variables, other facts; filtered by a text."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, Qt

from ui.core.index import Index
from ui.core.plain import with_plain_text

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


class SettingModel(QAbstractTableModel):
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

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - as Qt has it
        return 0 if parent.isValid() else len(self._shown)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(_TITLES)

    @with_plain_text
    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        is_title = orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole
        return _TITLES[section] if is_title and 0 <= section < len(_TITLES) else None

    @with_plain_text
    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid() or role not in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return None
        text = self._shown[index.row()][index.column()]
        return text if role == Qt.ItemDataRole.ToolTipRole else text.partition("\n")[0]


def _has(setting: Setting, words: Sequence[str]) -> bool:
    text = " ".join(setting).casefold()
    return all(word in text for word in words)
