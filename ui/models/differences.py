"""The table of what the columns of a comparison do not have in common."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject
from PySide6.QtGui import QFont

from app.comparison.differences.differences import DifferenceEntry
from app.comparison.texts.differences_text import shown_values
from app.core.units import bytes_text
from ui.core.theme import Theme

from .heads import ROLE, FlatModel

_SIZE = 1 << 20  # a number from here on may be one of bytes


class DifferencesModel(FlatModel):
    """Differences under headings of groups; a row is a heading text or an entry."""

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._names: list[str] = []
        self._rows: list[DifferenceEntry | str] = []

    def show(self, names: Sequence[str], found: Sequence[DifferenceEntry]) -> None:
        self.beginResetModel()
        self._names, self._rows = list(names), []
        for entry in found:
            if not self._rows or entry["group"] != self._group():
                self._rows.append(entry["group"])
            self._rows.append(entry)
        self.endResetModel()

    def _group(self) -> str:
        last = self._rows[-1]
        return last if isinstance(last, str) else last["group"]

    @property
    def headings(self) -> list[int]:
        return [at for at, row in enumerate(self._rows) if isinstance(row, str)]

    def size(self) -> tuple[int, int]:
        return len(self._rows), 1 + len(self._names)

    def head(self, column: int, role: int) -> object:
        name = self._names[column - 1] if column else "what"
        return name if role in (ROLE.DisplayRole, ROLE.ToolTipRole) else None

    def cell_data(self, row: int, column: int, role: int) -> object:
        entry = self._rows[row]
        if isinstance(entry, str):
            return self._heading_data(entry, column, role)
        value = entry["values"][column - 1] if column else entry["name"]
        match role:
            case ROLE.DisplayRole:
                shown = shown_values(entry)[column - 1] if column else value
                return "-" if shown is None else shown
            case ROLE.ToolTipRole:
                return _tip(value)
            case ROLE.ForegroundRole:
                return self._theme.colour("muted") if value is None else None
        return None

    def _heading_data(self, text: str, column: int, role: int) -> object:
        if role == ROLE.DisplayRole and column == 0:
            return text
        if role == ROLE.FontRole:
            font = QFont()
            font.setBold(True)
            return font
        return self._theme.colour("window") if role == ROLE.BackgroundRole else None


def _tip(value: str | None) -> str:
    """The full value; a size also in people's units."""
    if value is None:
        return "not available"
    return f"{value} = {bytes_text(int(value))}" if value.isdigit() and int(value) >= _SIZE else value
