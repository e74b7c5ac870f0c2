"""The table of a comparison as it is seen: tinted figures, columns that can be moved and made the base."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from PySide6.QtCore import QItemSelectionModel, QModelIndex, QPoint, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import QMenu

from app.comparison.cells.cell import Row
from ui.core.theme import SPACE, Theme
from ui.models.comparison import FIXED, ComparisonModel, step_row_key
from ui.widgets.table import LineSelectTable

from .figures import FigureDelegate, needed_width
from .header import ColumnHeader

NARROWEST, WIDEST = 92, 148  # pixels of a column
_ALONE, _DETAILED = 118, 148  # with ± next to the value, with n and p below it
_STEP_WIDEST = 300
_LINE_HEIGHT, _TALL = 24, 38
_LEAST_LINES = 4  # that are seen below the head, however much stands above the table


class ComparisonTable(LineSelectTable):
    """A table of steps and columns; the current cell is the chosen one."""

    base_wanted = Signal(int)  # column
    column_moved = Signal(int, int)  # from, to
    cell_chosen = Signal(object)  # Row | None
    hidden_changed = Signal(int)  # how many steps are hidden

    def __init__(self, theme: Theme, figures: ComparisonModel | None = None) -> None:
        super().__init__("Comparison")
        self.figures = ComparisonModel(theme, self) if figures is None else figures
        self._head = ColumnHeader(theme, self)
        self.setHorizontalHeader(self._head)
        self.setModel(self.figures)
        self._needed: dict[int, int] = {}  # pixels of a column, so that no warning touches its figure
        self.setItemDelegate(FigureDelegate(theme, self.figures, self))
        self.setSelectionMode(LineSelectTable.SelectionMode.SingleSelection)
        self.verticalHeader().setDefaultSectionSize(_LINE_HEIGHT)
        self.column_actions: list[QAction] = []  # of the menu of a head
        self.cell_actions: list[QAction | None] = []  # of the menu of a cell; None is a separator
        self._hidden: set[tuple[str, str]] = set()  # steps that a person does not want to see
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(self._on_cell_menu_requested)
        self._head.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self._head.customContextMenuRequested.connect(self._on_menu_requested)
        self._head.sectionClicked.connect(self._on_section_clicked)
        self._head.sectionMoved.connect(self._on_section_moved)
        self.selectionModel().currentChanged.connect(self._on_current_changed)

    def refresh(self) -> None:
        """Update headings, heights, widths and focus after a change of the model."""
        self.clearSpans()
        for row in self.figures.headings:
            self.setSpan(row, 0, 1, self.figures.columnCount())
        tall = set(self.figures.tall)
        for row in range(self.figures.rowCount()):
            self.setRowHeight(row, _TALL if row in tall else _LINE_HEIGHT)
        lines = sum(map(self.rowHeight, range(min(_LEAST_LINES, self.figures.rowCount()))))
        self.setMinimumHeight(self._head.sizeHint().height() + lines)
        self._hide_rows()
        columns = self.figures.columnCount() - len(FIXED)
        self._needed = {at: self._needed_width(len(FIXED) + at) for at in range(columns)}
        self.arrange()

    def choose(self, row: int, column: int) -> None:
        """Go to this cell, or to the first driven step if the row is gone."""
        if self.figures.row_at(row) is None:
            row = self.figures.first_driven
        column = min(max(column, 0), self.figures.columnCount() - 1)
        index = self.figures.index(row, column)
        flags = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
        self.selectionModel().setCurrentIndex(index, flags)

    def hide_chosen(self) -> None:
        """Hide the chosen step, and go to the next one."""
        row, step = self.currentIndex().row(), self.chosen_step
        if step is None:
            return
        self._hidden.add(step_row_key(step))
        self._hide_rows()
        rows = [*range(row, self.figures.rowCount()), *range(row, -1, -1)]
        seen = (at for at in rows if self.figures.row_at(at) and not self.isRowHidden(at))
        self.choose(next(seen, -1), self.currentIndex().column())

    def show_hidden(self) -> None:
        """Show all steps again."""
        self._hidden.clear()
        self._hide_rows()

    def _hide_rows(self) -> None:
        """Hide the steps that a person hid, and what is of a group of which no step is seen."""
        model = self.figures
        hidden = [at for at in range(model.rowCount()) if self._is_hidden(model.row_at(at))]
        below = set(hidden)
        for heading, after in pairwise([*model.headings, model.rowCount()]):
            steps = [at for at in range(heading + 1, after) if model.row_at(at)]
            if steps and below.issuperset(steps):
                below.update(range(heading, after))
        for at in range(model.rowCount()):
            self.setRowHidden(at, at in below)
        self.hidden_changed.emit(len(hidden))

    def _is_hidden(self, row: Row | None) -> bool:
        return row is not None and step_row_key(row) in self._hidden

    def choose_column(self, at: int) -> None:
        """Go to this column on the same step."""
        self.choose(self.currentIndex().row(), at + len(FIXED))

    @property
    def chosen_step(self) -> Row | None:
        return self.figures.row_at(self.currentIndex().row())

    @property
    def chosen_column(self) -> int:
        """The chosen column; -1 if the focus is before the values."""
        return max(self.currentIndex().column() - len(FIXED), -1)

    @property
    def least_width(self) -> int:
        """The width of all columns at their narrowest."""
        return self._width_with(self._narrowest)

    @property
    def best_width(self) -> int:
        """The width of all columns at their widest."""
        return self._width_with(WIDEST)

    def _width_with(self, column: int) -> int:
        fixed = sum(self.columnWidth(at) for at in range(len(FIXED)))
        columns = sum(max(column, needed) for needed in self._needed.values())
        return fixed + columns + self.verticalScrollBar().sizeHint().width() + 4

    @property
    def whole_size(self) -> QSize:
        """The size that shows everything."""
        columns = (self.figures.columnCount() - len(FIXED)) * WIDEST
        width = sum(self._fixed_width(at) for at in range(len(FIXED))) + columns
        return QSize(width + 4, self._head.sizeHint().height() + self.verticalHeader().length() + 4)

    def arrange(self) -> None:
        """Make all columns as wide as fits: equally wide, but those that need more."""
        columns = self.figures.columnCount() - len(FIXED)
        if columns <= 0:
            return
        for at in range(len(FIXED)):
            self.setColumnWidth(at, self._fixed_width(at))
        room = self.viewport().width() - sum(self.columnWidth(at) for at in range(len(FIXED)))
        wide = [needed for needed in self._needed.values() if needed > room // columns]
        share = (room - sum(wide)) // max(columns - len(wide), 1)
        width = min(max(share, self._narrowest), WIDEST)
        for at in range(columns):
            self.setColumnWidth(len(FIXED) + at, max(width, self._needed.get(at, 0)))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.arrange()

    @property
    def _narrowest(self) -> int:
        if self.figures.has_details:
            return _DETAILED
        return _ALONE if self.figures.has_singles else NARROWEST

    def _needed_width(self, at: int) -> int:
        return needed_width(
            self.font(), [self.figures.cell(row, at) for row in range(self.figures.rowCount())]
        )

    def _fixed_width(self, at: int) -> int:
        cells = [self.figures.cell(row, at) for row in range(self.figures.rowCount())]
        texts = {cell.text for cell in cells if not cell.is_heading} | {FIXED[at]}
        longest = max(self.fontMetrics().horizontalAdvance(text) for text in texts)
        return min(longest + 3 * SPACE, _STEP_WIDEST)

    def _on_current_changed(self, current: QModelIndex, previous: QModelIndex) -> None:
        if current != previous:
            self.cell_chosen.emit(self.figures.row_at(current.row()))

    def _on_section_clicked(self, section: int) -> None:
        if section >= len(FIXED):
            self.base_wanted.emit(section - len(FIXED))

    def _on_section_moved(self, _section: int, old: int, new: int) -> None:
        """A column was moved: put the header back, and show the comparison in the new order."""
        with QSignalBlocker(self._head):
            self._head.moveSection(new, old)
        if old >= len(FIXED):
            self.column_moved.emit(old - len(FIXED), max(new - len(FIXED), 0))

    def _on_menu_requested(self, at: QPoint) -> None:
        section = self._head.logicalIndexAt(at)
        if section >= len(FIXED):
            self.choose(self.currentIndex().row(), section)
            self._open_menu(self.column_actions, self._head.mapToGlobal(at))

    def _on_cell_menu_requested(self, at: QPoint) -> None:
        """The menu of a cell: by mouse of the one below it, by the menu key of the chosen one."""
        index = self.indexAt(at)
        if self.figures.row_at(index.row()) is not None:
            self.choose(index.row(), index.column())
            self._open_menu(self.cell_actions, self.viewport().mapToGlobal(at))

    def _open_menu(self, actions: Sequence[QAction | None], at: QPoint) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.setToolTipsVisible(True)
        for each in actions:
            menu.addSeparator() if each is None else menu.addAction(each)
        menu.popup(at)
