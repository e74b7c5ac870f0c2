"""Tags and notes: what is asked before the selected sessions get them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QInputDialog, QLineEdit, QWidget, QWidgetAction

from app.core.harmless import harmless
from app.history.lists.browsing import SessionLine, read_session_lines, tags
from ui.core.context import WindowContext
from ui.widgets.layouts import open_disposable_dialog

from .editing import SessionEditController, session_count_text
from .facets import TickMenu


class HistoryQuestions(QObject):
    """Questions of one page."""

    failed = Signal(object)  # Exception

    def __init__(self, context: WindowContext, editing: SessionEditController, page: QWidget) -> None:
        super().__init__(page)
        self._context, self._editing, self._page = context, editing, page

    def ask_tags(self, sessions: Sequence[str]) -> None:
        self._context.tasks.read(
            self,
            lambda history: (tags(history), read_session_lines(history, sessions)),
            self._on_tags_read,
            self.failed.emit,
        )

    def ask_note(self, sessions: Sequence[str]) -> None:
        """Ask for a note for all of them."""
        dialog = QInputDialog(self._page)
        dialog.setWindowTitle("Add note")
        dialog.setLabelText(f"Note on each of {session_count_text(len(sessions))}")
        dialog.setOption(QInputDialog.InputDialogOption.UsePlainTextEditForTextInput)
        dialog.textValueSelected.connect(lambda text: self._editing.note(sessions, text))
        open_disposable_dialog(dialog)

    def _on_tags_read(self, answer: tuple[list[str], list[SessionLine]]) -> None:
        known, of = answer
        sessions = [line["id"] for line in of]
        menu = TagMenu(tag_choices(known, (line["tags"] for line in of)), self._page)
        menu.toggled.connect(lambda tag, is_on: self._editing.tag(sessions, tag, is_on))
        menu.popup(QCursor.pos())


# tags for all selected sessions: those there are to tick, and a line for a new one


class TagMenu(TickMenu):
    """Deletes itself when it closes."""

    toggled = Signal(str, bool)  # tag, whether all selected are to have it

    def __init__(self, tags: Mapping[str, bool], parent: QWidget) -> None:
        super().__init__(parent)
        self._line = QLineEdit(placeholderText="New tag")
        self._line.setAccessibleName("New tag")
        self._line.returnPressed.connect(self._on_entered)
        line = QWidgetAction(self)
        line.setDefaultWidget(self._line)
        self.addAction(line)
        for tag, is_on in sorted(tags.items()):
            action = self.addAction(harmless(tag).replace("&", "&&"))
            action.setCheckable(True)
            action.setChecked(is_on)
            action.toggled.connect(lambda is_on, tag=tag: self.toggled.emit(tag, is_on))
        self.aboutToHide.connect(self.deleteLater)
        self.setActiveAction(line)
        self._line.setFocus()

    def _on_entered(self) -> None:
        tag = self._line.text().strip()
        if tag:
            self.toggled.emit(tag, True)
        self.close()


def tag_choices(all_tags: Iterable[str], of_each: Iterable[Iterable[str]]) -> dict[str, bool]:
    """All tags; those that each session has are ticked."""
    sets = [set(tags) for tags in of_each]
    shared = set.intersection(*sets) if sets else set()
    return {tag: tag in shared for tag in {*all_tags, *set().union(*sets)}}
