"""Which setting did it: two columns of a comparison, a step, and what each setting turns out to do."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QComboBox, QDialog, QDialogButtonBox, QFormLayout, QWidget

from app.comparison.cells.labels import names_of, row_label
from app.core.harmless import harmless
from ui.core.context import WindowContext
from ui.core.plain import PlainTextLabel, as_tip
from ui.core.theme import SPACE
from ui.models.text_table import TextTableModel
from ui.widgets.layouts import dialog_buttons, lay_out_dialog
from ui.widgets.message import MessageBar
from ui.widgets.table import LineSelectTable

from .explainer import ExplanationRunner

if TYPE_CHECKING:
    from app.comparison.cells.cell import Column, Comparison
    from app.explaining.entries import ExplainedDifferenceEntry
    from app.explaining.explaining import DifferenceQuestion
    from app.history.store.history import History

WIDTH, HEIGHT = 144 * SPACE, 64 * SPACE
_ABOUT = (
    "Dyno measures contenders between A and B, which have some settings of each, until every setting has its"
    " share of the ratio: at most 40 minutes. Each plan is in the history. Close this dialog at any time: the"
    " plan that runs goes on, and the next explanation uses all that was measured."
)
_WAITING = ("settle", "restart", "warmup")
_TIP = "Measure until all is decided; uses what the history already has"


class DifferenceSearchDialog(QDialog):
    """Of the base and another column."""

    def __init__(
        self, context: WindowContext, comparison: Comparison, other: int, step: str, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._context, self._comparison = context, comparison
        self._columns = _sides(comparison, other)
        self.explainer = ExplanationRunner(context, self)
        self.steps, self.message = QComboBox(), MessageBar()
        self.now, self.words = (PlainTextLabel(wraps=True, selectable=True) for _ in range(2))
        self._model, self.table = TextTableModel(self), LineSelectTable("Settings and their shares")
        self.setWindowTitle("Which setting did it")
        self.resize(WIDTH, HEIGHT)
        self._fill(step)
        self._build_layout()
        self._connect()
        self._show_doing("")

    def _fill(self, step: str) -> None:
        labels = [row_label(row) for row in self._comparison.rows if row.kind not in _WAITING]
        for label in labels:
            self.steps.addItem(harmless(label), label)
        self.steps.setCurrentIndex(max(self.steps.findData(step), 0))
        self.steps.setAccessibleName("Step to explain")
        self.table.setModel(self._model)
        self.table.horizontalHeader().setSectionsMovable(False)

    def _build_layout(self) -> None:
        form, names = QFormLayout(), names_of(self._comparison)
        for letter, column in zip("AB", self._columns, strict=True):
            form.addRow(letter, PlainTextLabel(names[self._comparison.columns.index(column)]))
        form.addRow("&Step", self.steps)
        above = (PlainTextLabel(_ABOUT, "muted", wraps=True), form, self.message)
        lay_out_dialog(self, *above, (self.table, 1), self.words, self.now, self._make_buttons())

    def _make_buttons(self) -> QDialogButtonBox:
        buttons = dialog_buttons(self, QDialogButtonBox.StandardButton.Close)
        self.measure = buttons.addButton("&Measure", QDialogButtonBox.ButtonRole.ActionRole)
        self.measure.setProperty("accent", True)
        self.measure.setDefault(True)
        self.measure.setToolTip(as_tip(_TIP))
        self.stop = buttons.addButton("Stop &after this plan", QDialogButtonBox.ButtonRole.ActionRole)
        self.stop.setAutoDefault(False)
        return buttons

    def _connect(self) -> None:
        self.measure.clicked.connect(self._on_measure)
        self.stop.clicked.connect(self.explainer.stop)
        self.explainer.known.connect(self.show_entry)
        self.explainer.said.connect(self._show_doing)
        self.explainer.failed.connect(self.message.show_failure)
        self.explainer.refused.connect(self.message.show_error)
        self.finished.connect(self.deleteLater)

    # measuring

    def _on_measure(self) -> None:
        self.message.clear()
        self._show_doing("reading the sessions", is_busy=True)
        ids, step = [column.id for column in self._columns], str(self.steps.currentData() or "")
        self._context.tasks.read(self, partial(_asked, ids, step), self.explainer.start, self._on_failed)

    def _on_failed(self, error: Exception) -> None:
        self._show_doing("")
        self.message.show_failure(error)

    def _show_doing(self, text: str, is_busy: bool = False) -> None:
        is_busy = is_busy or self.explainer.is_going_on
        self.now.setText(f"Now: {text}" if text else "")
        self.measure.setEnabled(not is_busy and self.steps.count() > 0)
        self.steps.setEnabled(not is_busy)
        self.stop.setEnabled(self.explainer.is_going_on)

    def show_entry(self, entry: ExplainedDifferenceEntry) -> None:
        """Show the table, and below it the sentences."""
        from app.explaining.text import explanation_table

        found = explanation_table(entry)
        self._model.show(found)
        self.table.resizeColumnsToContents()
        self.words.setText("\n".join(found.remarks))


def _sides(comparison: Comparison, other: int) -> Sequence[Column]:
    """The base is A; B is the chosen column, or the first other one."""
    columns = comparison.columns
    base = next(each for each in columns if each.id == comparison.base_id)
    chosen = columns[other] if 0 <= other < len(columns) else base
    return base, chosen if chosen is not base else next(each for each in columns if each is not base)


def _asked(ids: Sequence[str], step: str, history: History) -> DifferenceQuestion:
    from app.comparison.verdicts.judgement import verdict_limits
    from app.core.settings import read_settings
    from app.explaining.explaining import DifferenceQuestion
    from app.explaining.pair import ContenderPair

    return DifferenceQuestion(
        ContenderPair.of_sessions(history, ids), step, limits=verdict_limits(read_settings())
    )
