"""What the threads of the server waited for in a step that has ended, by name."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QWidget

from app.comparison.texts.waits_text import step_waits_table
from app.core.table import Table
from app.history.steps.step_waits import StepWaits, ended_step_waits
from ui.core.context import WindowContext
from ui.core.tasks import NewestAnswerRunner
from ui.models.text_table import TextTableModel
from ui.widgets.elided import ElidedLabel
from ui.widgets.fitted_table import FittedTable
from ui.widgets.layouts import NATIVE, in_column

_NONE = "The waits of a step by name appear here once it has ended; choose the step in the results."


class WaitsPanel(QWidget):
    """Reads the waits of the chosen step when it is visible."""

    failed = Signal(Exception)

    def __init__(self, context: WindowContext) -> None:
        super().__init__()
        self._latest = NewestAnswerRunner(context.tasks, self)
        self._chosen: tuple[str, int] | None = None  # session, and position of a step
        self._model = TextTableModel(self)
        self.table = FittedTable("Waits by name")
        self.table.setModel(self._model)
        self.table.setTextElideMode(Qt.TextElideMode.ElideLeft)  # names differ at their ends
        self.remark = ElidedLabel(role="muted")
        self.setLayout(in_column(self.remark, (self.table, 1), spacing=NATIVE))
        self._show(None)

    def show_step(self, session: str, position: int) -> None:
        """Show the waits of this step, also if it has just ended."""
        self._chosen = (session, position)
        if self.isVisible():
            self._read()

    def forget(self) -> None:
        """Show nothing: the step is gone with its session."""
        if self._chosen is not None:
            self._chosen = None
            self._show(None)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._read()

    def _read(self) -> None:
        if self._chosen is None:
            return
        session, position = self._chosen
        asked = self._chosen
        self._latest.read(
            lambda history: ended_step_waits(history, session, position),
            lambda step: self._on_read(asked, step),
            self.failed.emit,
        )

    def _on_read(self, asked: tuple[str, int], step: StepWaits | None) -> None:
        if asked == self._chosen:  # else another is chosen by now, or none
            self._show(None if step is None else step_waits_table(step))

    def _show(self, table: Table | None) -> None:
        shown = table or Table("", (), (), 0, (_NONE,))
        self._model.show(shown)
        self.remark.setText("; ".join(filter(None, (shown.title, *shown.remarks))))
        self.table.setVisible(bool(shown.lines))
        self.table.fit(shown.texts)
