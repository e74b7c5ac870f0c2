"""Whether a column is worse than the base by more than a person allows: `dyno gate` in the window."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QDoubleSpinBox,
    QFormLayout,
    QWidget,
)

from app.comparison.cells.labels import names_of
from app.core.harmless import harmless, harmless_text
from app.protocol.reading import MOST_PCT
from ui.core.context import WindowContext
from ui.core.plain import PlainTextLabel, as_tip
from ui.core.tasks import NewestAnswerRunner
from ui.core.theme import SPACE
from ui.models.text_table import TextTableModel
from ui.widgets.layouts import dialog_buttons, lay_out_dialog
from ui.widgets.message import MessageBar
from ui.widgets.table import LineSelectTable

from .search_dialog import base_and_other

if TYPE_CHECKING:
    from app.comparison.answers.gate import GateEntry
    from app.comparison.cells.cell import Comparison
    from app.history.store.history import History

WIDTH, HEIGHT = 120 * SPACE, 64 * SPACE
USUAL_PCT, LEAST_PCT = 3.0, 0.1
_ABOUT = (
    "Worse: the whole interval of a step is beyond the limit. Not worse: that of each step is within it. "
    "Anything else cannot be told. All repeats of both contenders in their plans count."
)
_ALL, _GROUPS = "all steps", "means of groups"
_WHAT_TIP = "A mean of several steps has less noise than each of them"


class GateDialog(QDialog):
    """Of the base and another column; it answers when it opens, and after each change."""

    def __init__(
        self, context: WindowContext, comparison: Comparison, other: int, step: str, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._context, self._comparison, self._step = context, comparison, step
        self._columns = base_and_other(comparison, other)
        self._answer: GateEntry | None = None
        self.limit = QDoubleSpinBox(suffix=" %", decimals=1, minimum=LEAST_PCT, maximum=MOST_PCT)
        self.limit.setValue(USUAL_PCT)
        self.what = QComboBox()
        self.what.setToolTip(as_tip(_WHAT_TIP))
        self.what.addItems([_ALL, _GROUPS, *([harmless(step)] if step else [])])
        self.sentence = PlainTextLabel(role="heading", wraps=True, selectable=True)
        self.remarks, self.message = PlainTextLabel(role="muted", wraps=True, selectable=True), MessageBar()
        self._model, self.table = TextTableModel(self), LineSelectTable("Steps and their verdicts")
        self.table.setModel(self._model)
        self.setWindowTitle("Is it worse?")
        self.resize(WIDTH, HEIGHT)
        self._build_layout()
        self._latest = NewestAnswerRunner(context.tasks, self)
        self.limit.valueChanged.connect(self.check)
        self.what.currentIndexChanged.connect(self.check)
        self.finished.connect(self.deleteLater)
        self.check()

    def _build_layout(self) -> None:
        form, names = QFormLayout(), names_of(self._comparison)
        for what, column in zip(("Base", "Compared"), self._columns, strict=True):
            form.addRow(what, PlainTextLabel(names[self._comparison.columns.index(column)]))
        form.addRow("&Acceptable loss", self.limit)
        form.addRow("&Judge", self.what)
        about = PlainTextLabel(_ABOUT, "muted", wraps=True)
        below = (self.remarks, self._make_buttons())
        lay_out_dialog(self, about, form, self.message, self.sentence, (self.table, 1), *below)

    def _make_buttons(self) -> QDialogButtonBox:
        buttons = dialog_buttons(self, QDialogButtonBox.StandardButton.Close)
        self.copy = buttons.addButton("&Copy as Markdown", QDialogButtonBox.ButtonRole.ActionRole)
        self.copy.setAutoDefault(False)
        self.copy.clicked.connect(self._copy)
        return buttons

    def check(self) -> None:
        """Judge by the limit that is shown."""
        ids = [column.id for column in self._columns]
        work = partial(
            _judged,
            ids,
            self.limit.value(),
            self.what.currentIndex() == 1,
            (self._step,) if self.what.currentIndex() == 2 else (),
        )
        self._latest.read(work, self._show_answer, self._on_failed)

    def _show_answer(self, found: GateEntry) -> None:
        from app.comparison.answers.gate_reports import gate_table

        self._answer, shown = found, gate_table(found)
        self.message.clear()
        self.sentence.setText(shown.title)
        self._model.show(shown)
        self.table.resizeColumnsToContents()
        self.remarks.setText("\n".join(shown.remarks))
        self.copy.setEnabled(True)

    def _on_failed(self, error: Exception) -> None:
        self.copy.setEnabled(False)
        self.message.show_failure(error)

    def _copy(self) -> None:
        from app.comparison.answers.gate_reports import gate_markdown

        if self._answer:
            QGuiApplication.clipboard().setText(harmless_text(gate_markdown(self._answer)))
            self._context.bus.said.emit("The answer is copied")


def _judged(
    ids: list[str],
    worse_pct: float,
    by_groups: bool,
    steps: tuple[str, ...],
    history: History,
) -> GateEntry:
    from app.comparison.answers.gate import GateRequest, gate
    from app.comparison.verdicts.judgement import verdict_limits
    from app.core.settings import read_settings

    base, other = ids
    request = GateRequest(worse_pct, by_groups=by_groups, steps=steps)
    return gate(history, base, other, request, verdict_limits(read_settings()))
