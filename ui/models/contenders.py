"""The contenders that were ticked: one line each, with what a person may change of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor

from app.planner.request.contender import ContenderRequest
from app.planner.starting.draft import Draft, names_of
from app.planner.starting.draft_outcome import DraftOutcome, Problem
from app.protocol.plan import MEMORY
from ui.core.index import Index
from ui.core.theme import Theme

from .choices import engine_text
from .heads import ROLE, FlatModel

COLUMNS = (
    ("Name", "name"),
    ("Build", "build"),
    ("Engine", "engine"),
    ("my.cnf", "preset"),
    ("Options", "table_options"),
    ("Cores", "cores"),
    ("Memory", "memory"),
)
EDITABLE = ("name", "table_options", "cores", "memory")
OF_BUILDS = ("preset", "cores", "memory")  # a server that runs already has its own
TIPS = {
    "name": "Name in tables and charts; empty: build and engine",
    "table_options": "Table options, added to CREATE TABLE: ROW_FORMAT=COMPRESSED KEY_BLOCK_SIZE=8;\n"
    "COLUMN_FAMILY=NAME has MyRocks keep the keys in that one. docs/presets.md has them all.",
    "cores": "The server's, as taskset takes them: 0-3 or 0,2; empty: all",
    "memory": "The server's, in any order: allocator (jemalloc, tcmalloc or the path of a library),\n"
    "NUMA policy as numactl takes it (interleave=all), limit of server and page cache (4G);\n"
    "empty: what the build brings or the system has, no limit",
}
_RUNS_ALREADY = "As the server has it, which runs already: Dyno does not start it"
_OPEN = {"table_options": "none", "cores": "all", "memory": "default"}


class ContenderModel(FlatModel):
    """Texts of contenders are edited here; listeners change the draft."""

    edited = Signal(int, str, str)  # which, field, text

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._draft = Draft()
        self._names: Sequence[str] = ()
        self._colours: dict[ContenderRequest, int] = {}
        self._problem: Problem | None = None

    def show_draft(self, draft: Draft) -> None:
        is_longer = len(draft.request.contenders) != self.rowCount()
        if is_longer:
            self.beginResetModel()
        self._draft = draft
        self._names = names_of(draft.request)
        if is_longer:
            self.endResetModel()
        self._refresh()

    def show_outcome(self, outcome: DraftOutcome, colours: Sequence[int]) -> None:
        """Show the colours of the contenders, or the problem of one."""
        contenders = map(_nameless, outcome.draft.request.contenders)
        self._colours |= dict(zip(contenders, colours, strict=False))
        self._problem = outcome.problem
        if outcome.plan and outcome.draft is self._draft:  # with the engines that servers name themselves
            self._names = [each.name for each in outcome.plan.contenders]
        self._refresh()

    def size(self) -> tuple[int, int]:
        return len(self._draft.request.contenders), len(COLUMNS)

    def head(self, column: int, role: int) -> object:
        title, key = COLUMNS[column]
        if role == ROLE.DisplayRole:
            return title
        return TIPS.get(key) if role == ROLE.ToolTipRole else None

    def cell_data(self, row: int, column: int, role: int) -> object:
        key = COLUMNS[column][1]
        match role:
            case ROLE.EditRole:
                return self._typed(row, key)
            case ROLE.DisplayRole:
                return self._text(row, key)
            case ROLE.ToolTipRole:
                return self._tip(row, key)
            case ROLE.DecorationRole if key == "name":
                return self._colour(row)
            case ROLE.ForegroundRole:
                return self._ink(row, key)
        return None

    def setData(self, index: Index, value: object, role: int = ROLE.EditRole) -> bool:
        if role != ROLE.EditRole:
            return False
        row, key = index.row(), COLUMNS[index.column()][1]
        if str(value) != self._typed(row, key):  # a name that Dyno made is none that a person gave
            self.edited.emit(row, key, str(value))
        return True

    def problem(self, index: Index, text: str) -> str:
        """Why this text is not valid in a cell; '' if it is."""
        key = COLUMNS[index.column()][1]
        changed = self._draft.with_contender(index.row(), **{key: text})
        return changed.request.contenders[index.row()].problem()[1]

    def flags(self, index: Index) -> Qt.ItemFlag:
        flags = Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEnabled
        key = COLUMNS[index.column()][1]
        is_editable = index.isValid() and key in EDITABLE and not self._is_its_own(index.row(), key)
        return flags | Qt.ItemFlag.ItemIsEditable if is_editable else flags

    def _colour(self, row: int) -> QColor | None:
        """The colour of a contender, independent of its name; None until it is known."""
        index = self._colours.get(_nameless(self._draft.request.contenders[row]))
        return None if index is None else self._theme.contender(index)

    def _typed(self, row: int, key: str) -> str:
        """What an editor begins with: the name as it is shown, else what a person said."""
        return self._text(row, key) if key == "name" else self._said(row, key)

    def _said(self, row: int, key: str) -> str:
        contender = self._draft.request.contenders[row]
        if key == "build" and contender.server:
            return f"@{contender.server}"
        return str(getattr(contender, key))

    def _is_its_own(self, row: int, key: str) -> bool:
        """Whether a cell is not for a person to say, as the server runs already."""
        return key in OF_BUILDS and bool(self._draft.request.contenders[row].server)

    def _text(self, row: int, key: str) -> str:
        said = self._said(row, key)
        if self._is_its_own(row, key):
            return "-"
        if key == "engine":
            return engine_text(said) if said else "default"
        if key == "name" and not said:
            return self._names[row]
        return said or _OPEN.get(key, "")

    def _tip(self, row: int, key: str) -> str:
        if self._problem and self._is_wrong(row, key):
            return self._problem.text
        if self._is_its_own(row, key):
            return _RUNS_ALREADY
        return "\n".join(filter(None, (self._text(row, key), TIPS.get(key))))

    def _ink(self, row: int, key: str) -> QColor | None:
        if self._is_wrong(row, key):
            return self._theme.colour("bad")
        return self._theme.colour("muted") if key != "name" and not self._said(row, key) else None

    def _is_wrong(self, row: int, key: str) -> bool:
        """Whether a cell is wrong; a wrong contender is marked at its build."""
        field = self._problem.field if self._problem else ""
        wrong = {
            f"contenders.{row}": "build",
            f"contenders.{row}.server": "build",
            **{f"contenders.{row}.{name}": "memory" for name in MEMORY},
        }
        return key == wrong.get(field, field.removeprefix(f"contenders.{row}."))

    def _refresh(self) -> None:
        if self.rowCount():
            self.dataChanged.emit(self.index(0, 0), self.index(self.rowCount() - 1, len(COLUMNS) - 1))


def _nameless(contender: ContenderRequest) -> ContenderRequest:
    return replace(contender, name="")
