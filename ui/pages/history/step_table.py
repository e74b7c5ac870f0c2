"""The results of one session as a table that does not scroll sideways."""

from __future__ import annotations

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHeaderView, QWidget

from ui.models.heads import first_shown
from ui.models.steps import COLUMNS, REMARKS, StepModel
from ui.widgets.table import Table


class StepTable(Table):
    """Shows the columns that fit, until a person chooses them in the menu of the head."""

    def __init__(self, model: StepModel, parent: QWidget | None = None) -> None:
        super().__init__("Results", parent)
        self._is_chosen = False
        self.setModel(model)
        head = self.horizontalHeader()
        head.setStretchLastSection(False)
        for at, column in enumerate(COLUMNS):
            self.setColumnWidth(at, column.width)
        head.setSectionResizeMode(REMARKS, QHeaderView.ResizeMode.Stretch)
        self.let_choose_columns(0)
        self.columns_chosen.connect(self._on_columns_chosen)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if not self._is_chosen:
            shown = first_shown(COLUMNS, self.viewport().width())
            for at in range(len(COLUMNS)):
                self.setColumnHidden(at, at not in shown)

    def _on_columns_chosen(self) -> None:
        self._is_chosen = True
