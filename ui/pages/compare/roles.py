"""What the roles of a step do beside each other, in parts of what each does alone: a table."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QWidget

from app.comparison.cells.cell import Comparison
from app.comparison.texts.roles_text import TITLE, roles_tables
from app.core.csv_text import csv_text
from app.core.table import Table
from app.core.units import capitalised
from ui.core.theme import SPACE, Theme
from ui.models.text_table import TextTableModel
from ui.widgets.fitted_table import FittedTable
from ui.widgets.layouts import NATIVE, in_column

from .panel import ComparePanelData, Panel


class RolesPanel(Panel):
    title = "Roles"
    tip = "What the roles of a step do beside each other, in parts of what each does alone"

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self._found: Table | None = None
        self._model = TextTableModel(self)
        self._table = FittedTable(self.title)
        self._table.setModel(self._model)
        margins = (0, SPACE, 0, 0)
        self.setLayout(in_column(self.remark, (self._table, 1), spacing=NATIVE, margins=margins))

    @property
    def picture(self) -> QWidget:
        return self._table

    @property
    def least(self) -> QSize:
        return self._table.content_size

    @property
    def notes(self) -> str:
        return self.remark.text()

    def csv(self) -> str:
        return csv_text(self._found.heads, self._found.lines) if self._found else ""

    @staticmethod
    def has_any(comparison: Comparison) -> bool:
        """Whether it has something to show: few comparisons have roles, and a tab takes room."""
        return bool(roles_tables(comparison))

    def parts(self, shown: ComparePanelData) -> tuple[object, ...]:
        return (shown.whole,)

    def draw(self, shown: ComparePanelData) -> None:
        self._found = next(iter(roles_tables(shown.whole)), None)
        if self._found is not None:
            self.remark.setText(capitalised("; ".join((TITLE, *self._found.remarks))))
            self._model.show(self._found)
            self._table.fit(self._found.texts)
        self.drawn.emit()
