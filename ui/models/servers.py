"""The servers that run already: a line each, and a box for each engine."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor

from app.planner.resolve.existing import server_problem
from app.planner.starting.choices import PlanChoices
from app.planner.starting.draft import Draft
from app.targets.servers import NamedServer
from ui.core.index import Index
from ui.core.theme import Theme

from .choices import engine_text
from .heads import ROLE, FlatModel

NOT_LOOKED_AT = "not looked at yet"
NAME, ENGINES, AFTER = "Name", 1, ("Found last", "Address")  # engines are between


class ServerModel(FlatModel):
    """An engine that a server lacks has a reason instead of a box."""

    ticked = Signal(object, str, bool)  # NamedServer, engine, whether it is

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._servers: tuple[NamedServer, ...] = ()
        self._engines: list[str] = []
        self._draft = Draft()

    def show_choices(self, choices: PlanChoices) -> None:
        self.beginResetModel()
        self._servers, self._engines = choices.servers, choices.server_engines
        self.endResetModel()

    def show_draft(self, draft: Draft) -> None:
        self._draft = draft
        if self.rowCount():
            last = self.index(self.rowCount() - 1, self.columnCount() - 1)
            self.dataChanged.emit(self.index(0, 0), last, [ROLE.CheckStateRole])

    def server(self, row: int) -> NamedServer:
        return self._servers[row]

    def engine(self, column: int) -> str:
        """The engine of a column; '' if it is of something else."""
        at = column - ENGINES
        return self._engines[at] if 0 <= at < len(self._engines) else ""

    def words(self, row: int, column: int) -> str:
        """A cell in words: why it has no box, or what is known of the server."""
        server, engine = self._servers[row], self.engine(column)
        if engine:
            return server_problem(server, engine) or f"{server.name}, {engine_text(engine)}"
        settings = ", ".join(server.found_settings)
        plain = "" if server.tls else "plain text, without TLS"
        return "; ".join(filter(None, (server.name, server.url, _found_text(server), settings, plain)))

    def size(self) -> tuple[int, int]:
        return len(self._servers), ENGINES + len(self._engines) + len(AFTER)

    def head(self, column: int, role: int) -> object:
        if role != ROLE.DisplayRole:
            return None
        if engine := self.engine(column):
            return engine_text(engine)
        return AFTER[column - ENGINES - len(self._engines)] if column else NAME

    def cell_data(self, row: int, column: int, role: int) -> object:
        engine = self.engine(column)
        match role:
            case ROLE.CheckStateRole if engine:
                return self._check_state(row, engine)
            case ROLE.DisplayRole:
                return self._text(row, column)
            case ROLE.ForegroundRole:
                return self._ink(row, engine)
            case ROLE.ToolTipRole:
                return self.words(row, column)
            case ROLE.AccessibleTextRole if engine:
                is_ticked = self._draft.is_server_ticked(self._servers[row], engine)
                return f"{self.words(row, column)}{', ticked' if is_ticked else ''}"
        return None

    def setData(self, index: Index, value: object, role: int = ROLE.EditRole) -> bool:
        engine = self.engine(index.column())
        if role != ROLE.CheckStateRole or not self._is_checkable(index.row(), engine):
            return False
        is_ticked = Qt.CheckState(value) == Qt.CheckState.Checked
        self.ticked.emit(self._servers[index.row()], engine, is_ticked)
        return True

    def flags(self, index: Index) -> Qt.ItemFlag:
        flags = Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEnabled
        is_box = index.isValid() and self._is_checkable(index.row(), self.engine(index.column()))
        return flags | Qt.ItemFlag.ItemIsUserCheckable if is_box else flags

    def _text(self, row: int, column: int) -> str:
        server = self._servers[row]
        if engine := self.engine(column):
            return "" if self._is_checkable(row, engine) else "-"
        return {0: server.name, self.columnCount() - 1: server.url}.get(column, _found_text(server))

    def _ink(self, row: int, engine: str) -> QColor | None:
        is_known = bool(self._servers[row].version)
        return None if is_known and not engine else self._theme.colour("muted")

    def _check_state(self, row: int, engine: str) -> Qt.CheckState | None:
        if not self._is_checkable(row, engine):
            return None
        is_ticked = self._draft.is_server_ticked(self._servers[row], engine)
        return Qt.CheckState.Checked if is_ticked else Qt.CheckState.Unchecked

    def _is_checkable(self, row: int, engine: str) -> bool:
        """Whether a cell can be ticked; a ticked one that is no longer available can be unticked."""
        if not engine:
            return False
        server = self._servers[row]
        return not server_problem(server, engine) or self._draft.is_server_ticked(server, engine)


def _found_text(server: NamedServer) -> str:
    return f"{server.family} {server.version}".strip() or NOT_LOOKED_AT
