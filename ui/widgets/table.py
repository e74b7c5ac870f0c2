"""A table as all pages show it: calm lines, figures under one another, copied as text."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QItemSelectionModel, QModelIndex, QPoint, QSize, Qt, Signal
from PySide6.QtGui import QFont, QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QMenu, QTableView, QWidget

LINE_HEIGHT = 26
_AROUND = 8  # pixels above and below the text of a line
_EDGE = 4  # pixels of the frame around a table, as the style draws it


def tabular(font: QFont) -> QFont:
    """The font with digits of equal width, if it has them."""
    made = QFont(font)
    made.setFeature(QFont.Tag("tnum"), 1)
    return made


class LineSelectTable(QTableView):
    """A table that selects whole lines; Ctrl+C copies them with tabs."""

    columns_chosen = Signal()  # in the menu of the head

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setFont(tabular(self.font()))
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setTabKeyNavigation(False)  # Tab leaves the table: everything can be reached by keyboard
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(self.line_height)
        head = self.horizontalHeader()
        head.setHighlightSections(False)
        head.setSectionsMovable(True)
        head.setStretchLastSection(True)
        head.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        head.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self.verticalHeader().setDefaultSectionSize(self.line_height)

    @property
    def line_height(self) -> int:
        """The height of a line in its text size."""
        return max(LINE_HEIGHT, self.fontMetrics().height() + _AROUND)

    @property
    def content_size(self) -> QSize:
        """The size that shows all of it at its column widths."""
        head = self.horizontalHeader()
        return QSize(head.length() + _EDGE, head.height() + self.verticalHeader().length() + _EDGE)

    def let_choose_columns(self, always: int) -> None:
        """Give the head a menu of columns to show; one of them stays."""
        head = self.horizontalHeader()
        head.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        head.customContextMenuRequested.connect(lambda at: self._ask_columns(at, always))

    def _ask_columns(self, at: QPoint, always: int) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for number in range(self.model().columnCount()):
            action = menu.addAction(str(self.model().headerData(number, Qt.Orientation.Horizontal)))
            action.setCheckable(True)
            action.setChecked(not self.isColumnHidden(number))
            action.setEnabled(number != always)
            action.toggled.connect(lambda is_on, number=number: self._show_column(number, is_on))
        menu.popup(self.horizontalHeader().mapToGlobal(at))

    def _show_column(self, number: int, is_shown: bool) -> None:
        self.setColumnHidden(number, not is_shown)
        self.columns_chosen.emit()

    def choose_row(self, row: int) -> None:
        """Select only this row, whatever keys are down."""
        flags = QItemSelectionModel.SelectionFlag
        index = self.model().index(row, 0)
        self.selectionModel().setCurrentIndex(index, flags.ClearAndSelect | flags.Rows)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            QGuiApplication.clipboard().setText(self.selected_text())
        else:
            super().keyPressEvent(event)

    def selected_text(self) -> str:
        """The head and the selected lines, with tabs between cells."""
        chosen = sorted(index.row() for index in self.selectionModel().selectedRows())
        columns = [at for at in range(self.model().columnCount()) if not self.isColumnHidden(at)]
        head = [str(self.model().headerData(at, Qt.Orientation.Horizontal) or "") for at in columns]
        lines = [[self._cell(row, column) for column in columns] for row in chosen]
        return "\n".join("\t".join(cells) for cells in [head, *lines]) + "\n"

    def _cell(self, row: int, column: int) -> str:
        return str(self.model().index(row, column, QModelIndex()).data() or "")
