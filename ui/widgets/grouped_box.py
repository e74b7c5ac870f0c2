"""A box to choose from under headings, with a sentence below each name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import (
    QComboBox,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from app.core.harmless import harmless
from ui.core.index import Index
from ui.core.plain import as_shown, as_tip
from ui.core.theme import SPACE, Theme

WIDTH = 560  # pixels of the list: a sentence takes two or three lines
_ABOUT = Qt.ItemDataRole.UserRole + 1
_INDENT = 2 * SPACE
_ROOM = WIDTH - 2 * _INDENT - 2 * SPACE  # of a sentence
_WRAPPED = Qt.TextFlag.TextWordWrap.value


@dataclass(frozen=True)
class GroupedComboEntry:
    """An entry to choose."""

    text: str
    data: str
    about: str


class GroupedComboBox(QComboBox):
    """A combo box with headings, which arrow keys and first letters skip."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._items = QStandardItemModel(self)
        self.setModel(self._items)
        self.view().setItemDelegate(_EntryDelegate(theme, self))
        self.view().setMinimumWidth(WIDTH)
        self.setMaxVisibleItems(30)

    def show_groups(self, groups: Sequence[tuple[str, Sequence[GroupedComboEntry]]]) -> None:
        """Show groups; nothing is selected then."""
        self._items.clear()
        for heading, entries in groups:
            self._items.appendRow(_heading(heading))
            for entry in entries:
                self._items.appendRow(_item(entry, heading))
        self.setCurrentIndex(-1)


def _heading(text: str) -> QStandardItem:
    item = QStandardItem(harmless(text))
    item.setFlags(Qt.ItemFlag.NoItemFlags)
    return item


def _item(entry: GroupedComboEntry, heading: str) -> QStandardItem:
    item = QStandardItem(harmless(entry.text))
    item.setData(entry.data, Qt.ItemDataRole.UserRole)
    item.setData(as_shown(entry.about), _ABOUT)
    item.setData(as_tip(entry.about), Qt.ItemDataRole.ToolTipRole)
    item.setData(f"{entry.text}, {heading}: {entry.about}", Qt.ItemDataRole.AccessibleTextRole)
    return item


class _EntryDelegate(QStyledItemDelegate):
    """Paints headings bold, names below them, sentences muted."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        metrics = QFontMetrics(option.font)
        about = index.data(_ABOUT)
        height = metrics.height() + SPACE
        if about:
            room = QRect(0, 0, _ROOM, 10_000)
            height += metrics.boundingRect(room, _WRAPPED, about).height()
        return QSize(WIDTH, height)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        painter.save()
        is_chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        painter.fillRect(option.rect, self._theme.colour("selected" if is_chosen else "base"))
        if index.data(Qt.ItemDataRole.UserRole) is None:
            self._paint_heading(painter, option, index)
        else:
            self._paint_entry(painter, option, index)
        painter.restore()

    def _paint_heading(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        font = QFont(option.font)
        font.setBold(True)
        painter.setFont(font)
        painter.setPen(self._theme.colour("text"))
        place = option.rect.adjusted(SPACE, 0, -SPACE, 0)
        painter.drawText(place, Qt.AlignmentFlag.AlignVCenter, index.data())

    def _paint_entry(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        place = option.rect.adjusted(_INDENT, SPACE // 2, -_INDENT, 0)
        painter.setFont(option.font)
        painter.setPen(self._theme.colour("text"))
        painter.drawText(place, 0, index.data())
        is_chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        painter.setPen(self._theme.colour("text" if is_chosen else "muted"))
        place.setTop(place.top() + QFontMetrics(option.font).height())
        place.setWidth(_ROOM)
        painter.drawText(place, _WRAPPED, index.data(_ABOUT))
