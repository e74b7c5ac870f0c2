"""What tables of the window share: rows and columns for Qt, heads of columns that know what they mean."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from PySide6.QtCore import QAbstractTableModel, QModelIndex, Qt

from ui.core.index import Index
from ui.core.plain import plain_text_cells

LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
ROLE = Qt.ItemDataRole


class FlatModel(QAbstractTableModel):
    """A table without children whose columns have heads; a model says what is in them, by role."""

    def size(self) -> tuple[int, int]:
        """How many rows and columns."""
        raise NotImplementedError

    def head(self, column: int, role: int) -> object:
        raise NotImplementedError

    def cell_data(self, row: int, column: int, role: int) -> object:
        raise NotImplementedError

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - as Qt has it
        return 0 if parent.isValid() else self.size()[0]

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else self.size()[1]

    @plain_text_cells
    def headerData(self, section: int, orientation: Qt.Orientation, role: int = ROLE.DisplayRole) -> object:
        is_known = orientation == Qt.Orientation.Horizontal and 0 <= section < self.size()[1]
        return self.head(section, role) if is_known else None

    @plain_text_cells
    def data(self, index: Index, role: int = ROLE.DisplayRole) -> object:
        return self.cell_data(index.row(), index.column(), role) if index.isValid() else None


class ColumnHeadTexts(Protocol):
    """A column for its head."""

    @property
    def title(self) -> str: ...
    @property
    def about(self) -> str: ...
    @property
    def is_figure(self) -> bool: ...


class HideableColumn(Protocol):
    """A column of a table that does not scroll sideways."""

    @property
    def width(self) -> int: ...
    @property
    def gives_way(self) -> int:
        """The place in which it is left out of a narrow table; 0: it stays."""

    @property
    def is_first_shown(self) -> bool: ...


def initial_columns(known: Sequence[HideableColumn], room: int) -> list[int]:
    """The columns that are shown at first: in a narrow table without those that give way."""
    shown = [at for at, column in enumerate(known) if column.is_first_shown]
    for at in sorted((at for at in shown if known[at].gives_way), key=lambda at: known[at].gives_way):
        if sum(known[each].width for each in shown) > room:
            shown.remove(at)
    return shown


def head_data(column: ColumnHeadTexts, role: int) -> object:
    """The data of a column's head; numbers are right-aligned."""
    match role:
        case Qt.ItemDataRole.DisplayRole:
            return column.title
        case Qt.ItemDataRole.ToolTipRole:
            return column.about or None
        case Qt.ItemDataRole.TextAlignmentRole:
            return RIGHT if column.is_figure else LEFT
    return None
