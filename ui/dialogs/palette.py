"""The command palette: every action of the window in one list, found by its words, its key next to it."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QDialog, QLineEdit, QTreeWidget, QTreeWidgetItem, QWidget

from ui.core.plain import PlainTextLabel, as_tip
from ui.core.theme import SPACE
from ui.widgets.actions import ListedAction
from ui.widgets.layouts import lay_out_dialog

WIDTH, HEIGHT = 90 * SPACE, 60 * SPACE
_MOVES = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)
_FIRST = 0  # the column with the name
_ROLE = Qt.ItemDataRole.UserRole


class CommandPalette(QDialog):
    """The line above has the keyboard; arrows choose in the list, Enter carries out."""

    chosen = Signal(object)  # ListedAction

    def __init__(self, actions: Iterable[ListedAction], parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle("Find an action")
        self.resize(WIDTH, HEIGHT)
        self.line = QLineEdit(placeholderText="words of an action", clearButtonEnabled=True)
        self.line.setAccessibleName("Words of an action")
        self.list = _list()
        self._nothing = PlainTextLabel("No action has these words.", "muted")
        self._items = [_item(each) for each in actions]
        self.list.addTopLevelItems(self._items)
        self.line.textChanged.connect(self._show_found)
        self.list.itemClicked.connect(self._choose)
        lay_out_dialog(self, self.line, (self.list, 1), self._nothing)
        for column in range(self.list.columnCount()):
            self.list.resizeColumnToContents(column)
        self._show_found()
        self.line.setFocus()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Keys that the line does not use: Up and Down choose in the list, Enter carries out."""
        if event.key() in _MOVES:
            QApplication.sendEvent(self.list, QKeyEvent(event))
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._choose(self.list.currentItem())
        else:
            super().keyPressEvent(event)

    def _show_found(self) -> None:
        """Show the actions with all words; those that have them in their name come first."""
        words = self.line.text().lower().split()
        found = [each for each in self._items if all(word in _searched(each) for word in words)]
        for each in self._items:
            each.setHidden(each not in found)
        named = [each for each in found if all(word in each.text(_FIRST).lower() for word in words)]
        for first in [*named, *found][:1]:
            self.list.setCurrentItem(first)
        self._nothing.setVisible(not found)

    def _choose(self, item: QTreeWidgetItem | None) -> None:
        if item is not None and not item.isHidden():
            self.accept()
            self.chosen.emit(item.data(_FIRST, _ROLE))


def _searched(item: QTreeWidgetItem) -> str:
    return " ".join((item.text(0), item.text(1), item.toolTip(_FIRST))).lower()


def _list() -> QTreeWidget:
    made = QTreeWidget()
    made.setAccessibleName("Actions")
    made.setHeaderLabels(["Action", "Menu", "Key"])
    made.setRootIsDecorated(False)
    made.setUniformRowHeights(True)
    made.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the keyboard stays in the line
    return made


def _item(of: ListedAction) -> QTreeWidgetItem:
    item = QTreeWidgetItem([of.name, of.menu, of.key])
    item.setToolTip(_FIRST, as_tip(of.tip))
    item.setData(_FIRST, _ROLE, of)
    return item
