"""The list of sessions and their plans: the ids of all that fit at once, their lines a page at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import QModelIndex, QObject, Qt, Signal

from app.history.lists.browsing import Filter, FoundSessions, Order, SessionLine, browse
from app.history.lists.plans import PlanEntry
from app.history.store.history import History
from ui.core.index import Index
from ui.core.tasks import NewestAnswerRunner, Tasks
from ui.core.theme import Theme

from .heads import LEFT, RIGHT, ROLE, FlatModel, head_data
from .plan_cells import plan_row_cells, plan_tip
from .session_columns import NAME, SessionListCell, SessionListColumn, cells, history_list_columns
from .session_lines import PAGE, SessionLines, SessionListLines, read_lines
from .session_rows import SessionRows

# a painting asks for twice as many: those that are not given are answered at once
_OF_CELL = (ROLE.DisplayRole, ROLE.EditRole, ROLE.ToolTipRole, ROLE.ForegroundRole, ROLE.DecorationRole)
_GIVEN = frozenset(int(role) for role in (ROLE.TextAlignmentRole, *_OF_CELL))


class _Answer(NamedTuple):
    found: FoundSessions
    rows: SessionRows
    unfolded: frozenset[str]  # when it was asked for
    first: SessionListLines


class SessionModel(FlatModel):
    """A model that reads only visible lines and never waits for the history."""

    found = Signal(object)  # FoundSessions
    failed = Signal(object)  # Exception
    renamed = Signal(str, str)  # session id, its new name

    def __init__(self, tasks: Tasks, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._tasks, self._theme = tasks, theme
        self._newest = NewestAnswerRunner(tasks, self)
        self._filter, self._order = Filter(), Order()
        self._groups: tuple[str, ...] = ()
        self._columns = history_list_columns(self._groups)
        self._is_by_plan, self._unfolded = True, frozenset[str]()
        self._rows = SessionRows(FoundSessions((), {}, 0, ()), is_by_plan=True)
        self._lines = SessionLines(tasks, self)
        self._cells: dict[str, Sequence[SessionListCell]] = {}  # of the lines that were painted
        self._lines.came.connect(self._on_lines)
        self._lines.failed.connect(self.failed)

    # what is asked for

    def ask(self, wanted: Filter) -> None:
        """Show the matching sessions."""
        self._filter = wanted
        self.reload()

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        if 0 <= column < len(self._columns):
            self._order = Order(self._columns[column].order, order == Qt.SortOrder.DescendingOrder)
            self.reload()

    def order_by(self, order: Order) -> None:
        """Set the order of the next question."""
        self._order = order

    @property
    def order(self) -> Order:
        return self._order

    def reload(self) -> None:
        wanted, order = self._filter, self._order
        is_by_plan, unfolded = self._is_by_plan, self._unfolded

        def read(history: History) -> _Answer:
            found = browse(history, wanted, order)
            rows = SessionRows(found, is_by_plan, unfolded)
            return _Answer(found, rows, unfolded, read_lines(history, rows, rows.ids[:PAGE]))

        self._newest.read(read, self._on_found, self.failed.emit)

    def group_by_plan(self, is_by_plan: bool) -> None:
        """Group sessions by plan, or list all of them."""
        self._is_by_plan = is_by_plan
        self.reload()

    def toggle(self, plan: str) -> None:
        """Fold or unfold it."""
        row, sessions = self._rows.row(plan), len(self._rows.sessions_of(plan))
        if row is None or not self._rows.is_plan(plan):
            return
        self._unfolded ^= {plan}  # remembered also while the filter hides it
        if self._rows.is_unfolded(plan):
            self.beginRemoveRows(QModelIndex(), row + 1, row + sessions)
            self._rows.toggle(plan)
            self.endRemoveRows()
        else:
            self.beginInsertRows(QModelIndex(), row + 1, row + sessions)
            self._rows.toggle(plan)
            self.endInsertRows()
        self._tell(row, row)

    # what is there

    @property
    def rows(self) -> SessionRows:
        """The row names."""
        return self._rows

    def line(self, session: str) -> SessionLine | None:
        """The line of a row, if it has been read."""
        return self._lines.sessions.get(session)

    def are_published(self, sessions: Sequence[str]) -> bool:
        """Whether all were measured by others; False while one has not been read."""
        lines = map(self.line, sessions)
        return bool(sessions) and all(line is not None and line["published"] for line in lines)

    def plan(self, plan: str) -> PlanEntry | None:
        return self._lines.plans.get(plan)

    @property
    def columns(self) -> Sequence[SessionListColumn]:
        return self._columns

    # as Qt asks

    def size(self) -> tuple[int, int]:
        return len(self._rows), len(self._columns)

    def flags(self, index: Index) -> Qt.ItemFlag:
        flags = super().flags(index)
        is_name = index.isValid() and index.column() == NAME and not self._rows.is_plan(self._id(index))
        return flags | Qt.ItemFlag.ItemIsEditable if is_name else flags

    def head(self, column: int, role: int) -> object:
        return head_data(self._columns[column], role)

    def cell_data(self, row: int, column: int, role: int) -> object:
        if role not in _GIVEN:
            return None
        if role == ROLE.TextAlignmentRole:
            return RIGHT if self._columns[column].is_figure else LEFT
        cell = self.cell(row, column)
        if cell is None:
            return None
        match role:
            case ROLE.ForegroundRole:
                return self._theme.colour(cell.tone) if cell.tone else None
            case ROLE.DecorationRole:
                return None if cell.colour is None else self._theme.contender(cell.colour)
            case ROLE.ToolTipRole:
                return self._tip(self._rows.ids[row], self._columns[column]) or cell.text or None
        return cell.text

    def cell(self, row: int, column: int) -> SessionListCell | None:
        """The contents of a cell; None until its line is read, which this requests."""
        id_ = self._rows.ids[row]
        self._lines.want(row, id_)
        if id_ not in self._cells:
            made = self._cells_of(id_)
            if made is None:
                return None
            self._cells[id_] = made
        return self._cells[id_][column]

    def _cells_of(self, id_: str) -> Sequence[SessionListCell] | None:
        if self._rows.is_plan(id_):
            plan = self.plan(id_)
            return plan and plan_row_cells(plan, len(self._rows.sessions_of(id_)), self._columns)
        line = self.line(id_)
        return line and cells(line, self._columns)

    def _tip(self, id_: str, column: SessionListColumn) -> str:
        """The tooltip of a cell whose line has been read."""
        if self._rows.is_plan(id_):
            return plan_tip(self._lines.plans[id_], column)
        return column.tip(self._lines.sessions[id_])

    def _id(self, index: Index) -> str:
        return self._rows.ids[index.row()]

    def setData(self, index: Index, value: object, role: int = ROLE.EditRole) -> bool:
        """Set the name, which shows once the history has stored it."""
        line = self.line(self._id(index)) if index.isValid() else None
        name, is_edit = str(value).strip(), role == ROLE.EditRole
        if is_edit and line is not None and index.column() == NAME and name != line["name"]:
            self.renamed.emit(line["id"], name)
        return False

    # reading

    def _on_found(self, answer: _Answer) -> None:
        found, rows, unfolded, first = answer
        if unfolded != self._unfolded:
            rows = SessionRows(found, self._is_by_plan, self._unfolded)
        is_other = rows != self._rows or found.groups != self._groups
        if is_other:
            self.beginResetModel()
            self._rows = rows
            if found.groups != self._groups:
                self._groups, self._columns = found.groups, history_list_columns(found.groups)
        self._lines.begin(self._rows, first)
        self._cells.clear()
        if is_other:
            self.endResetModel()
        elif rows.ids:
            self._tell(0, len(rows) - 1)
        self.found.emit(found)

    def _on_lines(self, ids: Sequence[str]) -> None:
        for id_ in ids:
            self._cells.pop(id_, None)
        places = [row for row in map(self._rows.row, ids) if row is not None]
        if places:
            self._tell(min(places), max(places))

    def _tell(self, first: int, last: int) -> None:
        self.dataChanged.emit(self.index(first, 0), self.index(last, len(self._columns) - 1))
