"""A code editor that completes the name at the beginning of a line."""

from __future__ import annotations

import re
from collections.abc import Iterable

from PySide6.QtCore import QStringListModel, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QCompleter, QLineEdit, QListView, QWidget

from ui.core.theme import SPACE, Theme

from .code_editor import CodeEditor

_NAME = re.compile(r"\s*(?:loose[-_])?([a-z][\w-]{2,})", re.IGNORECASE)
_OF_POPUP = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Escape, Qt.Key.Key_Tab, Qt.Key.Key_Backtab)


class CompletingEditor(CodeEditor):
    """An editor that completes names once it gets some."""

    def __init__(self, theme: Theme, name: str, parent: QWidget | None = None) -> None:
        super().__init__(theme, name, parent)
        self.completer = _completer((), self)
        self.completer.setWidget(self)
        self.names = QListView()
        self.completer.setPopup(self.names)
        self.completer.activated.connect(self._take)

    def complete_with(self, names: Iterable[str]) -> None:
        self.completer.setModel(QStringListModel(sorted(names), self.completer))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self.names.isVisible() and event.key() in _OF_POPUP:
            event.ignore()  # the list takes it
            return
        super().keyPressEvent(event)
        if event.text() and not self.isReadOnly():
            self._offer()

    def _offer(self) -> None:
        """Offer names that contain the typed text."""
        prefix = self._typed()
        self.completer.setCompletionPrefix(prefix.replace("-", "_"))
        found = self.completer.completionCount()
        if not prefix or not found or (found == 1 and self.completer.currentCompletion() == prefix):
            self.names.hide()
            return
        place = self.cursorRect().translated(self.viewport().pos())
        bar = self.names.verticalScrollBar().sizeHint().width()
        place.setWidth(self.names.sizeHintForColumn(0) + bar + 2 * SPACE)
        self.completer.complete(place)

    def _typed(self) -> str:
        """The name before the cursor; '' elsewhere."""
        cursor = self.textCursor()
        found = _NAME.fullmatch(cursor.block().text()[: cursor.positionInBlock()])
        return found[1] if found else ""

    def _take(self, name: str) -> None:
        cursor = self.textCursor()
        cursor.movePosition(cursor.MoveOperation.Left, cursor.MoveMode.KeepAnchor, len(self._typed()))
        cursor.insertText(name)
        self.setTextCursor(cursor)


def complete_field(field: QLineEdit, names: Iterable[str]) -> None:
    """Complete a line edit by names that contain the typed text."""
    field.setCompleter(_completer(sorted(names), field))


def _completer(names: Iterable[str], parent: QWidget) -> QCompleter:
    made = QCompleter(list(names), parent)
    made.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
    made.setFilterMode(Qt.MatchFlag.MatchContains)
    return made
