"""The heads of tables whose columns know their title and what it means."""

from __future__ import annotations

from typing import Protocol

from PySide6.QtCore import Qt

LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class Headed(Protocol):
    """A column for its head."""

    @property
    def title(self) -> str: ...
    @property
    def about(self) -> str: ...
    @property
    def is_figure(self) -> bool: ...


def head_data(column: Headed, role: int) -> object:
    """The data of a column's head; numbers are right-aligned."""
    match role:
        case Qt.ItemDataRole.DisplayRole:
            return column.title
        case Qt.ItemDataRole.ToolTipRole:
            return column.about or None
        case Qt.ItemDataRole.TextAlignmentRole:
            return RIGHT if column.is_figure else LEFT
    return None
