"""A dialog with a list of what is stored on a target: heading, description, list, actions."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QPushButton, QTreeWidget, QVBoxLayout, QWidget

from app.remote.target import Target
from ui.core.context import Context
from ui.core.plain import Label
from ui.core.theme import SPACE
from ui.widgets.actions import action_button
from ui.widgets.message import Message
from ui.widgets.table import tabular


class KeptDialog(QDialog):
    """A dialog whose list is disabled while it asks the target."""

    def __init__(
        self, context: Context, target: Target, headers: Sequence[str], about: str, parent: QWidget | None
    ):
        super().__init__(parent)
        self._context, self._target = context, target
        self.message = Message()
        self.said = Label(f"Asking {target.name}…")
        self.said.setProperty("role", "heading")
        self.said.setWordWrap(True)
        self.list = _make_list(headers)
        self._buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        self._buttons.rejected.connect(self.reject)
        self._build_layout(about)

    def add_button(self, of: QAction) -> QPushButton:
        button = action_button(of)
        button.setAutoDefault(False)
        self._buttons.addButton(button, QDialogButtonBox.ButtonRole.ActionRole)
        return button

    def _build_layout(self, text: str) -> None:
        about = Label(text)
        about.setWordWrap(True)
        about.setProperty("role", "muted")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(2 * SPACE, 2 * SPACE, 2 * SPACE, 2 * SPACE)
        layout.setSpacing(SPACE)
        for widget in (self.message, self.said, about, self.list, self._buttons):
            layout.addWidget(widget)

    def _await_answer(self) -> None:
        self.message.clear()
        self.list.setEnabled(False)

    def _on_failed(self, error: Exception) -> None:
        self.list.setEnabled(True)
        self.message.show_failure(error)


def _make_list(headers: Sequence[str]) -> QTreeWidget:
    made = QTreeWidget()
    made.setHeaderLabels(list(headers))
    made.setRootIsDecorated(False)
    made.setUniformRowHeights(True)
    made.setFont(tabular(made.font()))
    made.setTabKeyNavigation(False)
    made.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
    made.setStyleSheet("QTreeWidget::item { padding: 4px 2px; }")
    return made
