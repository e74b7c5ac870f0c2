"""A table of texts as a window shows it; one of its columns may have a share behind each text."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject

from app.core.table import Table

from .heads import LEFT, RIGHT, ROLE, FlatModel

SHARE = ROLE.UserRole  # of a cell: float | None

_NOTHING = Table("", (), (), 0)


class TextTableModel(FlatModel):
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

    def size(self) -> tuple[int, int]:
        return len(self._table.lines), len(self._table.heads)

    def head(self, column: int, role: int) -> object:
        return self._data(self._table.heads, column, role)

    def cell_data(self, row: int, column: int, role: int) -> object:
        if role == SHARE and column == self.share_column:
            return self._shares[row]
        return self._data(self._table.lines[row], column, role)

    def _data(self, texts: Sequence[str], column: int, role: int) -> object:
        if role in (ROLE.DisplayRole, ROLE.ToolTipRole):
            return texts[column]
        return self._side(column) if role == ROLE.TextAlignmentRole else None

    def _side(self, column: int) -> object:
        return LEFT if column < self._table.texts else RIGHT
