"""The list itself: columns to choose, several sessions selected, the selection kept while lines change."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QItemSelection, QItemSelectionModel, QItemSelectionRange, QPoint, Qt, Signal
from PySide6.QtWidgets import QMenu, QWidget

from app.history.browsing import ORDERS, QPS, Order
from ui.core.memory import Memory
from ui.core.theme import Theme
from ui.models.session_columns import CONTENDER, DATE, FIXED, NAME, STATE, TAGS, TARGET, SessionColumn
from ui.models.sessions import SessionModel
from ui.widgets.table import Table

from .delegate import SessionDelegate

_SPARE = 220  # pixels of a wide window that a column of text gets at most
_SHARES = {NAME: 3, STATE: 2, CONTENDER: 2, TAGS: 2, TARGET: 1}  # of them, in tenths
_SELECT = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows


class SessionTable(Table):
    chosen = Signal(object)  # ids of the selected sessions, in the order of the list

    def __init__(
        self, model: SessionModel, theme: Theme, memory: Memory, parent: QWidget | None = None
    ) -> None:
        super().__init__("Sessions", parent)
        self._model, self._memory = model, memory
        self._chosen: tuple[str, ...] = ()
        self._current = ""
        self._is_laid_out = self._is_restoring = False
        self.setModel(model)
        self.setItemDelegate(SessionDelegate(model, theme, self))
        self._sort_as_before()
        head = self.horizontalHeader()
        head.setStretchLastSection(False)
        head.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        head.customContextMenuRequested.connect(self._on_head_menu_wanted)
        self.selectionModel().selectionChanged.connect(self._on_selection_changed)
        model.modelAboutToBeReset.connect(self._on_about_to_reset)
        model.modelReset.connect(self._on_reset)

    @property
    def selected(self) -> tuple[str, ...]:
        return self._chosen

    def select(self, sessions: Sequence[str]) -> None:
        """Those that are in the list; the first of them is scrolled to."""
        rows = sorted(row for row in map(self._model.row, sessions) if row is not None)
        self._select_rows(rows)
        if rows:
            self.scrollTo(self._model.index(rows[0], NAME))

    def edit_name(self) -> None:
        row = self._model.row(self._chosen[0]) if self._chosen else None
        if row is not None:
            self.edit(self._model.index(row, NAME))

    def focus_list(self) -> None:
        """With the keyboard: at the first session where none is selected."""
        self.setFocus(Qt.FocusReason.OtherFocusReason)
        if not self._chosen and self._model.rowCount():
            self.selectRow(0)

    def shown_columns(self) -> list[SessionColumn]:
        """In the order in which they stand."""
        head = self.horizontalHeader()
        order = sorted(range(len(self._model.columns)), key=head.visualIndex)
        return [self._model.columns[at] for at in order if not self.isColumnHidden(at)]

    def restore_columns(self) -> None:
        """As they were left, or as they are first; once the groups are known."""
        if self._is_laid_out:
            return
        self._is_laid_out = True
        head, known = self.horizontalHeader(), self._model.columns
        shown = [at for at, column in enumerate(known) if column.is_first_shown]
        spare = max(0, self.viewport().width() - sum(known[at].width for at in shown))
        for at, column in enumerate(known):
            self.setColumnWidth(at, column.width + min(spare * _SHARES.get(at, 0) // 10, _SPARE))
            self.setColumnHidden(at, at not in shown)
        for to, at in enumerate(range(len(FIXED), len(known)), DATE + 1):
            head.moveSection(head.visualIndex(at), to)  # figures are seen without scrolling
        self._is_restoring = True  # the mark of the order is restored too: another is remembered
        self._memory.restore_header(head, "history/columns")
        self._is_restoring = False
        self._show_order()
        self.executeDelayedItemsLayout()

    # sorting

    def _sort_as_before(self) -> None:
        kept = str(self._memory.value("history/order", "date descending"))
        by, _, direction = kept.rpartition(" ")
        is_known = by in ORDERS or by.startswith(QPS)
        order = Order(by, direction == "descending") if is_known else Order()
        self._model.order_by(order)
        head = self.horizontalHeader()
        head.setSortIndicatorShown(True)
        head.setSectionsClickable(True)
        self._show_order()
        head.sortIndicatorChanged.connect(self._on_order_changed)

    def _show_order(self) -> None:
        """The mark in the head, without asking again."""
        order = self._model.order
        at = next((at for at, each in enumerate(self._model.columns) if each.order == order.by), -1)
        direction = Qt.SortOrder.DescendingOrder if order.is_descending else Qt.SortOrder.AscendingOrder
        head = self.horizontalHeader()
        head.blockSignals(True)
        head.setSortIndicator(at, direction)
        head.blockSignals(False)

    def _on_order_changed(self, column: int, direction: Qt.SortOrder) -> None:
        if self._is_restoring:
            return
        self._model.sort(column, direction)
        order = self._model.order
        self._memory.keep(
            "history/order", f"{order.by} {'descending' if order.is_descending else 'ascending'}"
        )

    # what is selected

    def _on_selection_changed(self) -> None:
        # ranges: an index a cell would take seconds where all of 10,000 lines are selected
        rows = {row for each in self.selectionModel().selection().toList() for row in _rows(each)}
        self._choose(tuple(self._model.sessions(sorted(rows))))

    def _choose(self, chosen: tuple[str, ...]) -> None:
        if chosen != self._chosen:
            self._chosen = chosen
            self.chosen.emit(chosen)

    def _on_about_to_reset(self) -> None:
        index = self.currentIndex()
        self._current = self._model.session(index.row()) if index.isValid() else ""

    def _on_reset(self) -> None:
        """The same sessions are selected as before, where they are."""
        self.executeDelayedItemsLayout()  # a painting that finds it to be done is done twice
        self._show_order()
        found = ((id_, self._model.row(id_)) for id_ in self._chosen)
        rows = sorted(row for _, row in found if row is not None)
        if rows:
            self._select_rows(rows)
        else:
            self._choose(())

    def _select_rows(self, rows: Sequence[int]) -> None:
        selection = QItemSelection()
        last = self._model.columnCount() - 1
        for first, end in _ranges(rows):
            selection.select(self._model.index(first, 0), self._model.index(end, last))
        current = self._model.row(self._current) if self._current else None
        at = current if current in rows else next(iter(rows), None)
        if at is not None:
            flag = QItemSelectionModel.SelectionFlag.NoUpdate
            self.selectionModel().setCurrentIndex(self._model.index(at, NAME), flag)
        self.selectionModel().select(selection, _SELECT)

    # columns

    def _on_head_menu_wanted(self, at: QPoint) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for number, column in enumerate(self._model.columns):
            action = menu.addAction(column.title)
            action.setCheckable(True)
            action.setChecked(not self.isColumnHidden(number))
            action.setEnabled(number != NAME)
            action.toggled.connect(lambda is_on, number=number: self.setColumnHidden(number, not is_on))
        menu.popup(self.horizontalHeader().mapToGlobal(at))


def _rows(selected: QItemSelectionRange) -> range:
    return range(selected.top(), selected.bottom() + 1)


def _ranges(rows: Sequence[int]) -> list[tuple[int, int]]:
    """First and last of those that follow one another."""
    found: list[tuple[int, int]] = []
    for row in rows:
        if found and row == found[-1][1] + 1:
            found[-1] = (found[-1][0], row)
        else:
            found.append((row, row))
    return found
