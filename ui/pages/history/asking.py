"""Tags and notes: what is asked before the selected sessions get them."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QInputDialog, QWidget

from app.history.lists.browsing import SessionLine, lines, tags
from ui.core.context import Context

from .editing import Editing, count
from .tag_menu import TagMenu, shared_tags


class Asking(QObject):
    """Questions of one page."""

    failed = Signal(object)  # Exception

    def __init__(self, context: Context, editing: Editing, page: QWidget) -> None:
        super().__init__(page)
        self._context, self._editing, self._page = context, editing, page

    def ask_tags(self, sessions: Sequence[str]) -> None:
        self._context.tasks.read(
            self,
            lambda history: (tags(history), lines(history, sessions)),
            self._on_tags_read,
            self.failed.emit,
        )

    def ask_note(self, sessions: Sequence[str]) -> None:
        """Ask for a note for all of them."""
        dialog = QInputDialog(self._page)
        dialog.setWindowTitle("Add note")
        dialog.setLabelText(f"Note on each of {count(len(sessions))}")
        dialog.setOption(QInputDialog.InputDialogOption.UsePlainTextEditForTextInput)
        dialog.textValueSelected.connect(lambda text: self._editing.note(sessions, text))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _on_tags_read(self, answer: tuple[list[str], list[SessionLine]]) -> None:
        known, of = answer
        sessions = [line["id"] for line in of]
        menu = TagMenu(shared_tags(known, (line["tags"] for line in of)), self._page)
        menu.toggled.connect(lambda tag, is_on: self._editing.tag(sessions, tag, is_on))
        menu.popup(QCursor.pos())
