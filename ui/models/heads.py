"""The heads of tables whose columns know their title and what it means."""

from __future__ import annotations

from collections.abc import Sequence
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


class GivesWay(Protocol):
    """A column of a table that does not scroll sideways."""

    @property
    def width(self) -> int: ...
    @property
    def gives_way(self) -> int:
        """The place in which it is left out of a narrow table; 0: it stays."""

    @property
    def is_first_shown(self) -> bool: ...


def first_shown(known: Sequence[GivesWay], room: int) -> list[int]:
    """The columns that are shown at first: in a narrow table without those that give way."""
    shown = [at for at, column in enumerate(known) if column.is_first_shown]
    for at in sorted((at for at in shown if known[at].gives_way), key=lambda at: known[at].gives_way):
        if sum(known[each].width for each in shown) > room:
            shown.remove(at)
    return shown


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
