"""The layout of the page: messages, filter, list, details."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QSplitter, QStackedWidget, QWidget

from ui.core.memory import WindowStateFile
from ui.core.page import MARGIN
from ui.core.theme import SPACE
from ui.widgets.actions import action_button, action_check_box
from ui.widgets.elided import ElidedLabel
from ui.widgets.empty import EmptyPage
from ui.widgets.layouts import in_column, in_row
from ui.widgets.message import Banner

from .commands import HistoryActions
from .detail import DetailPane
from .filter_bar import FilterBar
from .table import SessionTable

_SHARES = [400, 320]  # of the height, where nothing is remembered: list, detail
_EMPTY = (
    "Every session appears here with its results and curves."
    " Run a plan, or drag an exported session onto this page."
)


class HistoryPageLayout(QWidget):
    """Holds the parts; shows the list, *nothing matches*, or an empty page."""

    def __init__(self, bar: FilterBar, table: SessionTable, detail: DetailPane, page: QWidget) -> None:
        super().__init__(page)
        self.message = Banner(self)
        self._all = QStackedWidget()
        self._list = QStackedWidget()
        self._splitter = QSplitter(Qt.Orientation.Vertical)
        self._selected = ElidedLabel(role="heading")
        self._parts = bar, table, detail

    def build(
        self, memory: WindowStateFile, commands: HistoryActions, clear: QAction, first: QAction
    ) -> None:
        """Build the page; `first` is the action for an empty history."""
        self._clear, self._first = clear, first
        bar, table, detail = self._parts
        # from the outside in: whatever gets another parent is styled once more, with all that is in it
        self.setLayout(in_column((self._all, 1), margins=(MARGIN,) * 4))
        body = QWidget(self._all)
        self._all.addWidget(body)
        body.setLayout(in_column(in_row((bar, 1), action_check_box(commands.group)), (self._splitter, 1)))
        self._splitter.addWidget(self._list)
        self._list.addWidget(table)
        self._add_lower(detail, commands.buttons())
        self._splitter.setChildrenCollapsible(False)
        self._splitter.setSizes(_SHARES)
        self._splitter.setStretchFactor(0, 3)
        self._splitter.setStretchFactor(1, 2)
        memory.restore_splitter(self._splitter, "history/splitter")

    def _add_lower(self, detail: DetailPane, buttons: Sequence[QAction]) -> None:
        lower = QWidget(self._splitter)
        lower.setMinimumHeight(160)
        line = in_row((self._selected, 1), *map(action_button, buttons))
        lower.setLayout(in_column(line, (detail, 1), spacing=SPACE // 2))

    def show_found(self, fitting: int, total: int) -> None:
        if not total and self._all.count() == 1:
            self._all.addWidget(EmptyPage("No sessions yet", _EMPTY, self._first))
        if total and not fitting and self._list.count() == 1:
            self._list.addWidget(
                EmptyPage("No matching sessions", "No session matches all filters.", self._clear)
            )
        self._all.setCurrentIndex(0 if total else 1)
        self._list.setCurrentIndex(0 if fitting or not total else 1)

    def show_selected(self, text: str) -> None:
        self._selected.setText(text)
