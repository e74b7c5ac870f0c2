"""Which build did it: the builds of a target, a step, and what each comparison of two of them says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QDoubleSpinBox,
    QFormLayout,
    QLineEdit,
    QWidget,
)

from app.comparison.cells.labels import row_label
from app.core.harmless import harmless
from app.protocol.reading import MOST_PCT
from ui.core.context import WindowContext
from ui.core.plain import PlainTextLabel, as_tip
from ui.core.theme import SPACE
from ui.models.text_table import TextTableModel
from ui.widgets.layouts import dialog_buttons, lay_out_dialog
from ui.widgets.message import MessageBar
from ui.widgets.table import LineSelectTable

from .bisector import BuildSearch
from .explain_dialog import base_and_other
from .explainer import SearchRunner

if TYPE_CHECKING:
    from app.comparison.cells.cell import Comparison
    from app.explaining.bisect_text import BisectAnswer
    from app.explaining.bisecting import BisectionRequest
    from app.history.store.history import History

WIDTH, HEIGHT = 120 * SPACE, 68 * SPACE
USUAL_PCT, LEAST_PCT = 3.0, 0.1
_ABOUT = (
    "Dyno compares two builds at a time: first the oldest with the newest, then one between them. Each plan"
    " is in the history. Close this dialog at any time: the plan that runs goes on, and the next search uses"
    " all that was measured."
)
_BUILDS_TIP = "A pattern such as mysql-9.*, or a directory: installed builds, ordered by version"
_CONTENDER_TIP = "ENGINE or ENGINE:PRESET of all builds"
_BY_TIP = "The least difference between the oldest and the newest build that is searched for"
_WAITING = ("settle", "restart", "warmup")


@dataclass(frozen=True)
class _Given:
    """What the fields say."""

    session: str  # whose work it is
    builds: str
    contender: str
    step: str
    by: float


class BisectDialog(QDialog):
    """With the work of the base; its builds are those of a pattern."""

    def __init__(
        self, context: WindowContext, comparison: Comparison, other: int, step: str, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._context, self._comparison = context, comparison
        self._base, self._other = base_and_other(comparison, other)
        self.searcher = SearchRunner(context, self)
        self.steps, self.message = QComboBox(), MessageBar()
        self.builds, self.contender = QLineEdit(), QLineEdit()
        self.by = QDoubleSpinBox(suffix=" %", decimals=1, minimum=LEAST_PCT, maximum=MOST_PCT)
        self.now, self.words = (PlainTextLabel(wraps=True, selectable=True) for _ in range(2))
        self._model, self.table = TextTableModel(self), LineSelectTable("Comparisons of builds")
        self.setWindowTitle("Which build did it")
        self.resize(WIDTH, HEIGHT)
        self._fill(step)
        self._build_layout()
        self._connect()
        self._show_doing("")

    def _fill(self, step: str) -> None:
        for label in [row_label(row) for row in self._comparison.rows if row.kind not in _WAITING]:
            self.steps.addItem(harmless(label), label)
        self.steps.setCurrentIndex(max(self.steps.findData(step), 0))
        contender = self._base.contender
        self.builds.setText(harmless(_pattern([contender["build"], self._other.contender["build"]])))
        self.builds.setToolTip(as_tip(_BUILDS_TIP))
        self.contender.setText(harmless(f"{contender['engine']}:{contender['preset']}"))
        self.contender.setToolTip(as_tip(_CONTENDER_TIP))
        self.by.setValue(USUAL_PCT)
        self.by.setToolTip(as_tip(_BY_TIP))
        self.table.setModel(self._model)

    def _build_layout(self) -> None:
        form = QFormLayout()
        form.addRow("Target", PlainTextLabel(self._base.target))
        form.addRow("&Builds", self.builds)
        form.addRow("&Engine and preset", self.contender)
        form.addRow("&Step", self.steps)
        form.addRow("&Least difference", self.by)
        above = (PlainTextLabel(_ABOUT, "muted", wraps=True), form, self.message)
        lay_out_dialog(self, *above, (self.table, 1), self.words, self.now, self._make_buttons())
        self.measure.setDefault(True)  # once it is in the dialog: else Close gets Return

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
        self.searcher.known.connect(self.show_answer)
        self.searcher.said.connect(self._show_doing)
        self.searcher.failed.connect(self.message.show_failure)
        self.searcher.refused.connect(self.message.show_error)
        self.finished.connect(self.deleteLater)

    def _on_measure(self) -> None:
        self.message.clear()
        self._show_doing("reading the sessions", is_busy=True)
        given = _Given(
            self._base.id,
            self.builds.text().strip(),
            self.contender.text().strip(),
            str(self.steps.currentData() or ""),
            self.by.value() / 100,
        )
        self._context.tasks.read(self, partial(_asked, given), self._start, self._on_failed)

    def _start(self, asked: BisectionRequest) -> None:
        self.searcher.start(BuildSearch(asked))

    def _on_failed(self, error: Exception) -> None:
        self._show_doing("")
        self.message.show_failure(error)

    def _show_doing(self, text: str, is_busy: bool = False) -> None:
        is_busy = is_busy or self.searcher.is_going_on
        self.now.setText(f"Now: {text}" if text else "")
        self.measure.setEnabled(not is_busy and self.steps.count() > 0)
        for each in (self.steps, self.builds, self.contender, self.by):
            each.setEnabled(not is_busy)
        self.stop.setEnabled(self.searcher.is_going_on)

    def show_answer(self, entry: BisectAnswer) -> None:
        """Show a line for each comparison, and below them the sentences."""
        from app.explaining.bisect_text import bisect_table

        found = bisect_table(entry)
        self._model.show(found)
        self.table.resizeColumnsToContents()
        self.words.setText("\n".join(found.remarks))


def _pattern(builds: Sequence[str]) -> str:
    """`mysql-*`: what the names of both builds begin with, up to their version."""
    families = {build.partition("-")[0] for build in builds}
    return f"{families.pop()}-*" if len(families) == 1 else "*"


def _asked(given: _Given, history: History) -> BisectionRequest:
    from app.comparison.verdicts.judgement import verdict_limits
    from app.core.settings import read_settings
    from app.explaining.bisecting import BisectionRequest
    from app.planner.kinds.again import request_again

    work = replace(request_again(history, [given.session]), contenders=())
    return BisectionRequest(
        given.builds,
        given.contender,
        given.step,
        work,
        given.by,
        verdict_limits(read_settings()).false_share,
    )
