"""A dialog with a list to pick from: what it is about, the list with its filter, the buttons."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QListView,
    QPushButton,
    QTreeView,
    QTreeWidget,
    QWidget,
)

from ui.core.plain import PlainTextLabel

from .actions import action_button
from .filter_line import FilterLine
from .layouts import Part, dialog_buttons, lay_out_dialog
from .message import MessageBar
from .table import tabular

MANY = 10  # rows from which on there is a filter


class ListDialog(QDialog):
    """Its parts; a dialog arranges them with its own."""

    def __init__(self, title: str, about: str, view: QListView | QTreeView, parent: QWidget | None) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.message = MessageBar()
        self.about = PlainTextLabel(about, "muted", wraps=True)
        self._view = view
        self._is_filtered = False
        self.filter = FilterLine("Filter", "filter", "Show only rows that contain these words")
        self.filter.left.connect(view.setFocus)
        model = view.model()
        for each in (self.filter.textChanged, model.rowsInserted, model.rowsRemoved, model.modelReset):
            each.connect(self._show_rows)
        self.buttons = dialog_buttons(self)
        self.finished.connect(self.deleteLater)
        self._show_rows()

    def arrange(self, above: Sequence[Part] = (), below: Sequence[Part] = ()) -> None:
        """Lay out the dialog: what is above the list, the list, what is below it."""
        lay_out_dialog(self, *above, self.filter, (self._view, 1), *below, self.buttons)

    def add_button(self, of: QAction) -> QPushButton:
        button = action_button(of)
        button.setAutoDefault(False)
        self.buttons.addButton(button, QDialogButtonBox.ButtonRole.ActionRole)
        return button

    def _show_rows(self) -> None:
        """Show rows that contain all words of the filter, and those that are ticked."""
        model, words = self._view.model(), self.filter.text().lower().split()
        self.filter.setVisible(model.rowCount() > MANY or bool(words))
        if not words and not self._is_filtered:
            return
        self._is_filtered = bool(words)
        columns = model.columnCount(QModelIndex()) if isinstance(self._view, QTreeView) else 1
        for row in range(model.rowCount()):
            cells = [model.index(row, column) for column in range(columns)]
            state = Qt.CheckState(cells[0].data(Qt.ItemDataRole.CheckStateRole) or 0)
            line = " ".join(str(each.data() or "") for each in cells).lower()
            is_found = state == Qt.CheckState.Checked or all(word in line for word in words)
            _hide_row(self._view, row, not is_found)


class TreeDialog(ListDialog):
    """With a list of several columns that a target is asked for; disabled until it answers."""

    def __init__(
        self, title: str, about: str, name: str, headers: Sequence[str], parent: QWidget | None
    ) -> None:
        self.list = _tree(name, headers)
        super().__init__(title, about, self.list, parent)
        self.said = PlainTextLabel(role="heading", wraps=True)
        self.buttons.setStandardButtons(QDialogButtonBox.StandardButton.Close)
        self.arrange(above=(self.message, self.said, self.about))

    def _await_answer(self) -> None:
        self.message.clear()
        self.list.setEnabled(False)

    def _on_failed(self, error: Exception) -> None:
        self.list.setEnabled(True)
        self.message.show_failure(error)


def _hide_row(view: QListView | QTreeView, row: int, is_hidden: bool) -> None:
    if isinstance(view, QTreeView):
        view.setRowHidden(row, QModelIndex(), is_hidden)
    else:
        view.setRowHidden(row, is_hidden)


def _tree(name: str, headers: Sequence[str]) -> QTreeWidget:
    made = QTreeWidget()
    made.setAccessibleName(name)
    made.setHeaderLabels(list(headers))
    made.setRootIsDecorated(False)
    made.setUniformRowHeights(True)
    made.setFont(tabular(made.font()))
    made.setTabKeyNavigation(False)
    made.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
    made.setStyleSheet("QTreeWidget::item { padding: 4px 2px; }")
    return made
