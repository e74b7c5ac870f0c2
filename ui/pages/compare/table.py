"""The table of a comparison as it is seen: tinted figures, columns that can be moved and made the base."""

from __future__ import annotations

from PySide6.QtCore import (
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QAction, QFont, QPainter, QPen, QResizeEvent
from PySide6.QtWidgets import QMenu, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from app.compare import RowEntry

from ...models.comparison import FIXED, Cell, ComparisonModel
from ...theme import SPACE, Theme
from ...widgets.table import Table
from .header import ColumnHeader

NARROWEST, WIDEST = 88, 140  # pixels of a column
_STEP_WIDEST = 300
_LINE_HEIGHT = 24
_SMALL = 0.85
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class FigureDelegate(QStyledItemDelegate):
    """A figure on the tint of how far it is from the base; a chosen line is framed, its tints stay."""

    def __init__(self, theme: Theme, model: ComparisonModel, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._model = model

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        column, rect, state = index.column(), option.rect, option.state
        cell = self._model.cell(index.row(), column)
        is_selected = bool(state & QStyle.StateFlag.State_Selected)
        painter.save()
        if is_selected:
            painter.fillRect(rect, self._theme.colour("selected" if column < len(FIXED) else "base"))
        if cell.tint is not None:
            painter.fillRect(rect.adjusted(0, 0, -1, -1), cell.tint)
        self._paint_text(painter, option.font, rect.adjusted(SPACE, 0, -SPACE, 0), cell, column)
        if is_selected:
            self._paint_frame(painter, rect, has_focus=bool(state & QStyle.StateFlag.State_HasFocus))
        painter.restore()

    def _paint_text(self, painter: QPainter, font: QFont, place: QRect, cell: Cell, column: int) -> None:
        if cell.is_heading:
            font.setBold(True)
        painter.setFont(font)
        painter.setPen(self._theme.colour("muted" if cell.is_quiet else "text"))
        text = cell.text
        if column < len(FIXED) and not cell.is_heading:
            text = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideMiddle, place.width())
        painter.drawText(place, _RIGHT if cell.is_right else _LEFT, text)
        if cell.beside:
            font.setPointSizeF(font.pointSizeF() * _SMALL)
            painter.setFont(font)
            painter.setPen(self._theme.colour("warn"))
            painter.drawText(place, _LEFT, cell.beside)

    def _paint_frame(self, painter: QPainter, rect: QRect, has_focus: bool) -> None:
        painter.setPen(QPen(self._theme.colour("accent"), 1))
        painter.drawLine(rect.topLeft(), rect.topRight())
        painter.drawLine(rect.bottomLeft(), rect.bottomRight())
        if has_focus:
            painter.drawRect(rect.adjusted(0, 0, -1, -1))
            painter.drawRect(rect.adjusted(1, 1, -2, -2))


class ComparisonTable(Table):
    """Steps and columns; where the keyboard stands is the chosen cell."""

    base_wanted = Signal(int)  # column
    column_moved = Signal(int, int)  # from, to
    cell_chosen = Signal(object)  # RowEntry | None

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__("Comparison", parent)
        self.figures = ComparisonModel(theme, self)
        self._head = ColumnHeader(theme, self)
        self.setHorizontalHeader(self._head)
        self.setModel(self.figures)
        self.setItemDelegate(FigureDelegate(theme, self.figures, self))
        self.setSelectionMode(Table.SelectionMode.SingleSelection)
        self.verticalHeader().setDefaultSectionSize(_LINE_HEIGHT)
        self.column_actions: list[QAction] = []  # of the menu of a head
        self._head.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self._head.customContextMenuRequested.connect(self._on_menu_requested)
        self._head.sectionClicked.connect(self._on_section_clicked)
        self._head.sectionMoved.connect(self._on_section_moved)
        self.selectionModel().currentChanged.connect(self._on_current_changed)

    def refresh(self) -> None:
        """The model shows something else: its headings, widths, and where the keyboard stands."""
        self.clearSpans()
        for row in self.figures.headings:
            self.setSpan(row, 0, 1, self.figures.columnCount())
        self.arrange()

    def choose(self, row: int, column: int) -> None:
        """Stand on this cell; on the first step that was driven where there is no such row."""
        if self.figures.row_at(row) is None:
            row = self.figures.first_driven
        column = min(max(column, 0), self.figures.columnCount() - 1)
        index = self.figures.index(row, column)
        flags = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
        self.selectionModel().setCurrentIndex(index, flags)

    def choose_column(self, at: int) -> None:
        """Stand in this column of the comparison, on the same step."""
        self.choose(self.currentIndex().row(), at + len(FIXED))

    @property
    def chosen_step(self) -> RowEntry | None:
        return self.figures.row_at(self.currentIndex().row())

    @property
    def chosen_column(self) -> int:
        """Of the comparison; -1 where the keyboard stands before the figures."""
        return max(self.currentIndex().column() - len(FIXED), -1)

    @property
    def least_width(self) -> int:
        """What all columns take up at their narrowest."""
        return self._width_with(NARROWEST)

    @property
    def best_width(self) -> int:
        """With the columns as wide as they get."""
        return self._width_with(WIDEST)

    def _width_with(self, column: int) -> int:
        fixed = sum(self.columnWidth(at) for at in range(len(FIXED)))
        columns = self.figures.columnCount() - len(FIXED)
        return fixed + columns * column + self.verticalScrollBar().sizeHint().width() + 4

    @property
    def whole_size(self) -> QSize:
        """What it takes to see all of it."""
        columns = (self.figures.columnCount() - len(FIXED)) * WIDEST
        width = sum(self._fixed_width(at) for at in range(len(FIXED))) + columns
        return QSize(width + 4, self._head.sizeHint().height() + self.figures.rowCount() * _LINE_HEIGHT + 4)

    def arrange(self) -> None:
        """Columns as wide as there is room, all of the same width."""
        columns = self.figures.columnCount() - len(FIXED)
        if columns <= 0:
            return
        for at in range(len(FIXED)):
            self.setColumnWidth(at, self._fixed_width(at))
        room = self.viewport().width() - sum(self.columnWidth(at) for at in range(len(FIXED)))
        width = min(max(room // columns, NARROWEST), WIDEST)
        for at in range(columns):
            self.setColumnWidth(len(FIXED) + at, width)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.arrange()

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
        """The order is the comparison's: the head goes back, and is shown anew in the new one."""
        self._head.blockSignals(True)
        self._head.moveSection(new, old)
        self._head.blockSignals(False)
        if old >= len(FIXED):
            self.column_moved.emit(old - len(FIXED), max(new - len(FIXED), 0))

    def _on_menu_requested(self, at: QPoint) -> None:
        section = self._head.logicalIndexAt(at)
        if section >= len(FIXED):
            self.choose(self.currentIndex().row(), section)
            menu = QMenu(self)
            menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            menu.addActions(self.column_actions)
            menu.popup(self._head.mapToGlobal(at))
