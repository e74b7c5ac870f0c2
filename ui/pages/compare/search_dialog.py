"""A search that measures plan after plan for an answer: its fields, what it does now, what it has found."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QComboBox, QDialog, QDialogButtonBox, QFormLayout, QWidget

from app.comparison.cells.labels import row_label
from app.core.harmless import harmless
from app.protocol.plan import UNCOMPARED
from ui.core.context import WindowContext
from ui.core.plain import PlainTextLabel
from ui.models.text_table import TextTableModel
from ui.widgets.layouts import dialog_buttons, lay_out_dialog
from ui.widgets.message import MessageBar
from ui.widgets.table import LineSelectTable

from .explainer import SearchRunner

if TYPE_CHECKING:
    from app.comparison.cells.cell import Column, Comparison
    from app.core.table import Table
    from app.history.store.history import History

    from .explainer import MeasuredSearch


class MeasuringDialog(QDialog):
    """For a step of a comparison. Its heirs add fields, what is searched for, and show what is known."""

    def __init__(self, context: WindowContext, comparison: Comparison, table: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._context, self._comparison = context, comparison
        self.searcher = SearchRunner(context, self)
        self.steps, self.message = QComboBox(), MessageBar()
        self.now, self.words = (PlainTextLabel(wraps=True, selectable=True) for _ in range(2))
        self._model, self.table = TextTableModel(self), LineSelectTable(table)
        self.table.setModel(self._model)
        self._fields: Sequence[QWidget] = (self.steps,)  # that are disabled while it measures

    def lay_out(self, title: str, size: QSize, about: str, form: QFormLayout) -> None:
        """Called once the fields are there."""
        self.setWindowTitle(title)
        self.resize(size)
        above = (PlainTextLabel(about, "muted", wraps=True), form, self.message)
        lay_out_dialog(self, *above, (self.table, 1), self.words, self.now, self._make_buttons())
        self.measure.setDefault(True)  # once it is in the dialog: else Close gets Return
        self._connect()
        self._show_doing("")

    def list_steps(self, chosen: str) -> None:
        for label in [
            row_label(row) for row in self._comparison.rows if row.kind not in UNCOMPARED or row.is_operation
        ]:
            self.steps.addItem(harmless(label), label)
        self.steps.setCurrentIndex(max(self.steps.findData(chosen), 0))

    @property
    def step(self) -> str:
        return str(self.steps.currentData() or "")

    def search(self) -> Callable[[History], MeasuredSearch]:
        """Reads what is searched for on a pool thread, as the fields say it now."""
        raise NotImplementedError

    def _make_buttons(self) -> QDialogButtonBox:
        buttons = dialog_buttons(self, QDialogButtonBox.StandardButton.Close)
        self.measure = buttons.addButton("&Measure", QDialogButtonBox.ButtonRole.ActionRole)
        self.measure.setProperty("accent", True)
        self.stop = buttons.addButton("Stop &after this plan", QDialogButtonBox.ButtonRole.ActionRole)
        self.stop.setAutoDefault(False)
        return buttons

    def _connect(self) -> None:
        self.measure.clicked.connect(self._on_measure)
        self.stop.clicked.connect(self.searcher.stop)
        self.searcher.said.connect(self._show_doing)
        self.searcher.failed.connect(self.message.show_failure)
        self.searcher.refused.connect(self.message.show_error)
        self.finished.connect(self.deleteLater)

    def _on_measure(self) -> None:
        self.message.clear()
        self._show_doing("reading the sessions", is_busy=True)
        self._context.tasks.read(self, self.search(), self.searcher.start, self._on_failed)

    def _on_failed(self, error: Exception) -> None:
        self._show_doing("")
        self.message.show_failure(error)

    def _show_doing(self, text: str, is_busy: bool = False) -> None:
        is_busy = is_busy or self.searcher.is_going_on
        self.now.setText(f"Now: {text}" if text else "")
        self.measure.setEnabled(not is_busy and self.steps.count() > 0)
        for each in self._fields:
            each.setEnabled(not is_busy)
        self.stop.setEnabled(self.searcher.is_going_on)

    def show_found(self, found: Table) -> None:
        """Show the table, and below it the sentences."""
        self._model.show(found)
        self.table.resizeColumnsToContents()
        self.words.setText("\n".join(found.remarks))


def base_and_other(comparison: Comparison, other: int) -> Sequence[Column]:
    """The base is A; B is the chosen column, or the first other one."""
    columns = comparison.columns
    base = next(each for each in columns if each.id == comparison.base_id)
    chosen = columns[other] if 0 <= other < len(columns) else base
    return base, chosen if chosen is not base else next(each for each in columns if each is not base)
