"""The table of what the columns of a comparison do not have in common."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, Qt
from PySide6.QtGui import QFont

from app.comparison.differences.differences import DifferenceEntry
from app.comparison.texts.differences_text import shown_values
from app.core.units import bytes_text
from ui.core.index import Index
from ui.core.plain import with_plain_text
from ui.core.theme import Theme

_SIZE = 1 << 20  # a number from here on may be one of bytes


class DifferencesModel(QAbstractTableModel):
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

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - as Qt has it
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else 1 + len(self._names)

    @with_plain_text
    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        if orientation != Qt.Orientation.Horizontal or section > len(self._names):
            return None
        name = self._names[section - 1] if section else "what"
        return name if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole) else None

    @with_plain_text
    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        row = self._rows[index.row()]
        if isinstance(row, str):
            return self._heading_data(row, index.column(), role)
        value = row["values"][index.column() - 1] if index.column() else row["name"]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                shown = shown_values(row)[index.column() - 1] if index.column() else value
                return "-" if shown is None else shown
            case Qt.ItemDataRole.ToolTipRole:
                return _tip(value)
            case Qt.ItemDataRole.ForegroundRole:
                return self._theme.colour("muted") if value is None else None
        return None

    def _heading_data(self, text: str, column: int, role: int) -> object:
        if role == Qt.ItemDataRole.DisplayRole and column == 0:
            return text
        if role == Qt.ItemDataRole.FontRole:
            font = QFont()
            font.setBold(True)
            return font
        return self._theme.colour("window") if role == Qt.ItemDataRole.BackgroundRole else None


def _tip(value: str | None) -> str:
    """The full value; a size also in people's units."""
    if value is None:
        return "not available"
    return f"{value} = {bytes_text(int(value))}" if value.isdigit() and int(value) >= _SIZE else value
