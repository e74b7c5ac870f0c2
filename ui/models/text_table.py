"""A table of texts as a window shows it; one of its columns may have a share behind each text."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, Qt

from app.core.table import Table
from ui.core.index import Index
from ui.core.plain import with_plain_text

from .heads import LEFT, RIGHT

SHARE = Qt.ItemDataRole.UserRole  # of a cell: float | None

_NOTHING = Table("", (), (), 0)


class TextTableModel(QAbstractTableModel):
    """A table with words on the left and numbers on the right."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._table = _NOTHING
        self._shares: Sequence[float | None] = ()
        self.share_column = -1  # where there is none

    def show(self, table: Table, shares: Sequence[float | None] = (), share_column: int = -1) -> None:
        """Show a table; `shares`: one per line, drawn behind a column."""
        self.beginResetModel()
        self._table, self._shares, self.share_column = table, shares, share_column
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - as Qt has it
        return 0 if parent.isValid() else len(self._table.lines)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._table.heads)

    @with_plain_text
    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        if orientation != Qt.Orientation.Horizontal or section >= len(self._table.heads):
            return None
        match role:
            case Qt.ItemDataRole.DisplayRole | Qt.ItemDataRole.ToolTipRole:
                return self._table.heads[section]
            case Qt.ItemDataRole.TextAlignmentRole:
                return self._side(section)
        return None

    @with_plain_text
    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        match role:
            case Qt.ItemDataRole.DisplayRole | Qt.ItemDataRole.ToolTipRole:
                return self._table.lines[index.row()][index.column()]
            case Qt.ItemDataRole.TextAlignmentRole:
                return self._side(index.column())
            case Qt.ItemDataRole.UserRole if index.column() == self.share_column:
                return self._shares[index.row()]
        return None

    def _side(self, column: int) -> object:
        return LEFT if column < self._table.texts else RIGHT
