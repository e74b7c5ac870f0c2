"""The columns of the list: which are shown, how wide, in which order; and the order of the lines."""

from __future__ import annotations

from PySide6.QtCore import QObject, QSignalBlocker, Qt

from app.history.lists.browsing import ORDERS, QPS, Order
from ui.core.memory import WindowStateFile
from ui.core.theme import Theme
from ui.models.heads import initial_columns
from ui.models.session_columns import (
    CONTENDER,
    DATE,
    FIXED,
    NAME,
    REPEAT,
    STATE,
    TAGS,
    VERDICT,
    SessionListColumn,
)
from ui.models.sessions import SessionModel
from ui.widgets.table import LineSelectTable

_SPARE = 220  # pixels of a wide window that a column of text gets at most
_SHARES = {NAME: 3, VERDICT: 4, STATE: 1, CONTENDER: 1, TAGS: 1}  # of them, in tenths


class ListColumns(QObject):
    def __init__(
        self, table: LineSelectTable, model: SessionModel, theme: Theme, memory: WindowStateFile
    ) -> None:
        super().__init__(table)
        self._table, self._model, self._theme, self._memory = table, model, theme, memory
        theme.changed.connect(self.fit)
        self._head = table.horizontalHeader()
        self._is_laid_out = self._is_restoring = False
        self._is_own = False  # a person has changed the columns
        self._sort_as_before()
        self._head.setStretchLastSection(False)
        table.let_choose_columns(NAME)

    def shown(self) -> list[SessionListColumn]:
        """The visible columns in their order."""
        order = sorted(range(len(self._model.columns)), key=self._head.visualIndex)
        return [self._model.columns[at] for at in order if not self._table.isColumnHidden(at)]

    def restore(self) -> None:
        """Restore the columns, or their defaults, once the groups are known."""
        if self._is_laid_out:
            return
        self._is_laid_out = True
        head, known = self._head, self._model.columns
        self._fit()
        for to, at in enumerate(range(len(FIXED), len(known)), DATE + 1):
            head.moveSection(head.visualIndex(at), to)  # figures are seen without scrolling
        head.moveSection(head.visualIndex(REPEAT), CONTENDER + 1)
        head.moveSection(head.visualIndex(VERDICT), CONTENDER + 1)
        self._is_restoring = True  # the mark of the order is restored too: another is remembered
        self._is_own = self._memory.restore_header(head, "history/list")
        self._is_restoring = False
        for changed in (head.sectionResized, head.sectionMoved):
            changed.connect(self._on_changed)
        self.show_order()
        self._table.executeDelayedItemsLayout()

    def fit(self) -> None:
        """Fit the columns into a table of another width, unless a person has changed them."""
        if self._is_laid_out and not self._is_own:
            self._fit()

    def _fit(self) -> None:
        """Show the columns that have room. The signals are blocked: they tell only what a person changes."""
        head, table = self._head, self._table
        room = table.width() - table.verticalScrollBar().sizeHint().width() - 2 * table.frameWidth()
        shown, widths = self._widths(room)
        spare = max(0, room - sum(widths[at] for at in shown))
        with QSignalBlocker(head):
            for at, width in enumerate(widths):
                table.setColumnWidth(at, width + min(spare * _SHARES.get(at, 0) // 10, _SPARE))
                table.setColumnHidden(at, at not in shown)
        table.updateGeometries()
        head.viewport().update()
        table.viewport().update()

    def _widths(self, room: int) -> tuple[list[int], list[int]]:
        """The columns that are shown, and the widths of all in this text size: texts give way to figures."""
        known, share = self._model.columns, self._theme.text_size / 100
        shown = initial_columns(known, int(room / share))
        widths = [round(column.width * share) for column in known]
        if sum(widths[at] for at in shown) > room:
            for at in _SHARES:
                widths[at] = min(widths[at], known[at].width)
        return shown, widths

    def _on_changed(self) -> None:
        self._is_own = True

    # the order of the lines

    def show_order(self) -> None:
        """Show the sort mark without asking again."""
        order = self._model.order
        at = next((at for at, each in enumerate(self._model.columns) if each.order == order.by), -1)
        direction = Qt.SortOrder.DescendingOrder if order.is_descending else Qt.SortOrder.AscendingOrder
        with QSignalBlocker(self._head):
            self._head.setSortIndicator(at, direction)

    def _sort_as_before(self) -> None:
        kept = str(self._memory.value("history/order", "date descending"))
        by, _, direction = kept.rpartition(" ")
        is_known = by in ORDERS or by.startswith(QPS)
        self._model.order_by(Order(by, direction == "descending") if is_known else Order())
        self._head.setSortIndicatorShown(True)
        self._head.setSectionsClickable(True)
        self.show_order()
        self._head.sortIndicatorChanged.connect(self._on_order_changed)

    def _on_order_changed(self, column: int, direction: Qt.SortOrder) -> None:
        if self._is_restoring:
            return
        self._model.sort(column, direction)
        self.show_order()  # nothing is sorted by some columns
        order = self._model.order
        self._memory.keep(
            "history/order", f"{order.by} {'descending' if order.is_descending else 'ascending'}"
        )
