"""What a person asks of the base and the chosen column: which setting, which build, is it worse."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QDialog, QWidget

from app.comparison.cells.labels import row_label
from ui.core.context import WindowContext

from .table import ComparisonTable

if TYPE_CHECKING:
    from app.comparison.cells.cell import Comparison


class ColumnQuestions:
    """Opens their dialogs; `shown` is the comparison, by the steps' own results."""

    def __init__(
        self,
        context: WindowContext,
        page: QWidget,
        table: ComparisonTable,
        shown: Callable[[], Comparison | None],
    ) -> None:
        self._context, self._page, self._table, self._shown = context, page, table, shown

    def explain(self) -> None:
        """Ask which setting makes the chosen column differ from the base."""
        from .explain_dialog import DifferenceSearchDialog

        self._open(DifferenceSearchDialog)

    def bisect(self) -> None:
        """Ask which build made the chosen step faster or slower."""
        from .bisect_dialog import BisectDialog

        self._open(BisectDialog)

    def gate(self) -> None:
        """Ask whether the chosen column is worse than the base."""
        from .gate_dialog import GateDialog

        self._open(GateDialog)

    def _open(self, kind: Callable[[WindowContext, Comparison, int, str, QWidget], QDialog]) -> None:
        comparison, row = self._shown(), self._table.chosen_step
        if comparison and len(comparison.columns) > 1:
            step = row_label(row) if row else ""
            kind(self._context, comparison, self._table.chosen_column, step, self._page).show()
