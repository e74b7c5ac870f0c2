"""The list of sessions: the ids of all that fit at once, their lines a page at a time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    Qt,
    QTimer,
    Signal,
)

from app.history.browsing import Filter, FoundSessions, Order, SessionLine, browse, lines
from app.history.history import History
from ui.core.index import Index
from ui.core.plain import plain_data
from ui.core.tasks import Latest, Tasks
from ui.core.theme import Theme

from .heads import LEFT, RIGHT, head_data
from .session_columns import NAME, Cell, SessionColumn, cells, columns

PAGE = 64  # lines that are read together

# a painting asks for twice as many: those that are not given are answered at once
_GIVEN = frozenset(
    int(role)
    for role in (
        Qt.ItemDataRole.DisplayRole,
        Qt.ItemDataRole.EditRole,
        Qt.ItemDataRole.ToolTipRole,
        Qt.ItemDataRole.TextAlignmentRole,
        Qt.ItemDataRole.ForegroundRole,
        Qt.ItemDataRole.DecorationRole,
    )
)

_Answer = tuple[FoundSessions, list[SessionLine]]


class SessionModel(QAbstractTableModel):
    """Asks for what is looked at; nothing of it waits for the history."""

    found = Signal(object)  # FoundSessions
    failed = Signal(object)  # Exception
    renamed = Signal(str, str)  # session id, its new name

    def __init__(self, tasks: Tasks, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._tasks, self._theme = tasks, theme
        self._newest = Latest(tasks, self)
        self._filter, self._order = Filter(), Order()
        self._groups: tuple[str, ...] = ()
        self._columns = columns(self._groups)
        self._ids: tuple[str, ...] = ()
        self._rows: dict[str, int] = {}
        self._lines: dict[str, SessionLine] = {}
        self._cells: dict[str, Sequence[Cell]] = {}  # of the lines that were painted
        self._read: set[int] = set()  # pages that are read, or will be
        self._wanted: set[int] = set()
        self._reading = 0  # counts the answers: lines of an earlier one are not taken any more

    # what is asked for

    def ask(self, wanted: Filter) -> None:
        """Show the sessions that fit."""
        self._filter = wanted
        self.reload()

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        if 0 <= column < len(self._columns):
            self._order = Order(self._columns[column].order, order == Qt.SortOrder.DescendingOrder)
            self.reload()

    def order_by(self, order: Order) -> None:
        """For the next question."""
        self._order = order

    @property
    def order(self) -> Order:
        return self._order

    def reload(self) -> None:
        wanted, order = self._filter, self._order

        def read(history: History) -> _Answer:
            found = browse(history, wanted, order)
            return found, lines(history, found.ids[:PAGE])

        self._newest.read(read, self._on_found, self.failed.emit)

    # what is there

    def session(self, row: int) -> str:
        """The id."""
        return self._ids[row]

    def sessions(self, rows: Iterable[int]) -> list[str]:
        return [self._ids[row] for row in rows]

    def row(self, session: str) -> int | None:
        if not self._rows:
            self._rows = {id_: row for row, id_ in enumerate(self._ids)}
        return self._rows.get(session)

    def line(self, session: str) -> SessionLine | None:
        """Where it has been read."""
        return self._lines.get(session)

    @property
    def columns(self) -> Sequence[SessionColumn]:
        return self._columns

    # as Qt asks

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - as Qt has it
        return 0 if parent.isValid() else len(self._ids)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._columns)

    def flags(self, index: Index) -> Qt.ItemFlag:
        flags = super().flags(index)
        return flags | Qt.ItemFlag.ItemIsEditable if index.isValid() and index.column() == NAME else flags

    @plain_data
    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        if orientation != Qt.Orientation.Horizontal or not 0 <= section < len(self._columns):
            return None
        return head_data(self._columns[section], role)

    @plain_data
    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if role not in _GIVEN or not index.isValid():
            return None
        row, at = index.row(), index.column()
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return RIGHT if self._columns[at].is_figure else LEFT
        cell = self.cell(row, at)
        if cell is None:
            return None
        match role:
            case Qt.ItemDataRole.ForegroundRole:
                return self._theme.colour(cell.tone) if cell.tone else None
            case Qt.ItemDataRole.DecorationRole:
                return None if cell.colour is None else self._theme.contender(cell.colour)
            case Qt.ItemDataRole.ToolTipRole:
                return self._columns[at].tip(self._lines[self._ids[row]]) or cell.text or None
        return cell.text

    def cell(self, row: int, column: int) -> Cell | None:
        """None until its line has been read, which is asked for by this."""
        if row // PAGE not in self._read:
            self._want(row // PAGE)
        id_ = self._ids[row]
        if id_ not in self._cells:
            if id_ not in self._lines:
                return None
            self._cells[id_] = cells(self._lines[id_], self._columns)
        return self._cells[id_][column]

    def setData(self, index: Index, value: object, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """The name: it is shown when the history has taken it."""
        line = self._lines.get(self._ids[index.row()]) if index.isValid() else None
        name, is_edit = str(value).strip(), role == Qt.ItemDataRole.EditRole
        if is_edit and line is not None and index.column() == NAME and name != line["name"]:
            self.renamed.emit(line["id"], name)
        return False

    # reading

    def _on_found(self, answer: _Answer) -> None:
        found, first = answer
        self._reading += 1
        self._read, self._wanted = {0}, set()
        is_other = (found.ids, found.groups) != (self._ids, self._groups)
        if is_other:
            self.beginResetModel()
            self._ids, self._rows = found.ids, {}
            if found.groups != self._groups:
                self._groups, self._columns = found.groups, columns(found.groups)
                self._cells.clear()
        self._keep(first)
        if is_other:
            self.endResetModel()
        elif self._ids:
            self._tell(0, len(self._ids) - 1)
        self.found.emit(found)

    def _keep(self, read: Sequence[SessionLine]) -> None:
        for line in read:
            self._lines[line["id"]] = line
            self._cells.pop(line["id"], None)

    def _want(self, page: int) -> None:
        """Of all pages that one painting asks for, one question."""
        if not self._wanted:
            QTimer.singleShot(0, self._read_wanted)
        self._wanted.add(page)

    def _read_wanted(self) -> None:
        pages, self._wanted = sorted(self._wanted), set()
        self._read.update(pages)
        for page in pages:
            self._read_page(page)

    def _read_page(self, page: int) -> None:
        ids, reading = self._ids[page * PAGE : (page + 1) * PAGE], self._reading

        def done(read: list[SessionLine]) -> None:
            if reading != self._reading:
                return
            self._keep(read)
            self._tell(page * PAGE, min((page + 1) * PAGE, len(self._ids)) - 1)

        self._tasks.read(self, lambda history: lines(history, ids), done, self.failed.emit)

    def _tell(self, first: int, last: int) -> None:
        self.dataChanged.emit(self.index(first, 0), self.index(last, len(self._columns) - 1))
