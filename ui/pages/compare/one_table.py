"""A tab with one table of a comparison, which few comparisons have: roles beside each other, operations."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QWidget

from app.comparison.cells.cell import Comparison
from app.comparison.texts import operations_text, roles_text, soak_text
from app.core.csv_text import csv_text
from app.core.table import Table
from app.core.units import capitalised
from ui.core.theme import SPACE, Theme
from ui.models.text_table import TextTableModel
from ui.widgets.fitted_table import FittedTable
from ui.widgets.layouts import NATIVE, in_column

from .panel import ComparePanelData, Panel


class OneTablePanel(Panel):
    """Shows the first of the tables that are made of a comparison."""

    about = ""  # what the table has, above it
    tables_of: Callable[[Comparison], list[Table]]

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

    @classmethod
    def has_any(cls, comparison: Comparison) -> bool:
        """Whether it has something to show: a tab takes room."""
        return bool(cls.tables_of(comparison))

    def parts(self, shown: ComparePanelData) -> tuple[object, ...]:
        return (shown.whole,)

    def draw(self, shown: ComparePanelData) -> None:
        self._found = next(iter(type(self).tables_of(shown.whole)), None)
        if self._found is not None:
            self.remark.setText(capitalised("; ".join((self.about, *self._found.remarks))))
            self._model.show(self._found)
            self._table.fit(self._found.texts)
        self.drawn.emit()


class RolesPanel(OneTablePanel):
    title = "Roles"
    tip = "What the roles of a step do beside each other, in parts of what each does alone"
    about = roles_text.TITLE
    tables_of = staticmethod(roles_text.roles_tables)


class OperationsPanel(OneTablePanel):
    title = "Operations"
    tip = "How long kills, power cuts and restarts took, and which answered commits were gone after them"
    about = "what operations did to the server and the roles beside them"
    tables_of = staticmethod(operations_text.operations_tables)


class SoakPanel(OneTablePanel):
    title = "Soak"
    tip = "The slowest second, stalls and trends of steps of ten minutes and more"
    about = soak_text.TITLE
    tables_of = staticmethod(soak_text.soak_tables)
