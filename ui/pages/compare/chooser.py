"""Which sessions are compared: a list of all, found by any word, ticked by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QFrame,
    QListView,
    QPushButton,
    QStyledItemDelegate,
    QStyleOptionViewItem,
)

from app.core.harmless import harmless
from app.core.units import date_text
from app.history.lists.browsing import Filter, Order, SessionLine, browse, read_session_lines
from app.history.store.history import History
from app.protocol.states import state_word
from ui.core.context import WindowContext
from ui.core.index import Index
from ui.core.plain import PlainTextLabel, fitted, plain_text_cells
from ui.core.tasks import NewestAnswerRunner
from ui.core.theme import SPACE
from ui.widgets.filter_line import FilterLine
from ui.widgets.layouts import NATIVE, in_column, in_row

_LISTED = 200  # more nobody looks through: a word finds the others
_CUT = (Qt.TextElideMode.ElideMiddle, Qt.TextElideMode.ElideRight)  # a name, and what is said of it
_BOX = 40  # pixels of the tick and the margins
WIDTH = 344


@dataclass(frozen=True)
class _Listed:
    lines: list[SessionLine]
    found: int
    total: int


class _SessionsModel(QAbstractListModel):
    """Sessions, ticked if they are in a column."""

    ticked = Signal(str, bool)  # session id

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._lines: list[SessionLine] = []
        self._chosen: frozenset[str] = frozenset()

    def show(self, lines: Sequence[SessionLine]) -> None:
        self.beginResetModel()
        self._lines = list(lines)
        self.endResetModel()

    def set_chosen(self, ids: Sequence[str]) -> None:
        self._chosen = frozenset(ids)
        if self._lines:
            self.dataChanged.emit(self.index(0), self.index(len(self._lines) - 1))

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - as Qt has it
        return 0 if parent.isValid() else len(self._lines)

    def flags(self, index: Index) -> Qt.ItemFlag:
        return super().flags(index) | Qt.ItemFlag.ItemIsUserCheckable

    @plain_text_cells
    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        line = self._lines[index.row()]
        if role == Qt.ItemDataRole.CheckStateRole:
            return Qt.CheckState.Checked if line["id"] in self._chosen else Qt.CheckState.Unchecked
        if role == Qt.ItemDataRole.DisplayRole:
            return f"{harmless(line['name'])}\n{harmless(_about(line))}"
        return f"{line['name']}\n{_about(line)}" if role == Qt.ItemDataRole.ToolTipRole else None

    def setData(self, index: Index, value: object, role: int = Qt.ItemDataRole.EditRole) -> bool:
        if role != Qt.ItemDataRole.CheckStateRole:
            return False
        self.ticked.emit(self._lines[index.row()]["id"], Qt.CheckState(value) == Qt.CheckState.Checked)
        return True


def _about(line: SessionLine) -> str:
    contender = line["contender"]
    word = state_word(line["state"], line["reason"])
    state = "" if word == "completed" else f", {word}"
    return f"{date_text(line['at'])}, {line['target']}, {contender['build']}, {line['sequence']}{state}"


class _SessionDelegate(QStyledItemDelegate):
    """Paints two lines, each cut if it is too long."""

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        super().initStyleOption(option, index)
        room = option.rect.width() - _BOX
        lines = str(index.data()).splitlines()
        elided = [fitted(option.fontMetrics, line, how, room) for line, how in zip(lines, _CUT, strict=True)]
        option.text = "\u2028".join(elided)  # as Qt breaks lines in a cell

    def sizeHint(self, option: QStyleOptionViewItem, _index: Index) -> QSize:
        return QSize(WIDTH // 2, 2 * option.fontMetrics.height() + SPACE)


class SessionChooser(QFrame):
    """A list next to the table, open on request."""

    ticked = Signal(str, bool)  # session id
    closed = Signal()
    failed = Signal(Exception)

    def __init__(self, context: WindowContext) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self.setFixedWidth(WIDTH)
        self._latest = NewestAnswerRunner(context.tasks, self)
        self._offered: tuple[str, ...] = ()  # sessions that are listed until a word is typed
        self._filter = FilterLine("Find sessions", "Find sessions")
        self._filter.left.connect(self._go_to_list)
        self._model = _SessionsModel(self)
        self._list = QListView()
        self._list.setModel(self._model)
        self._list.setAccessibleName("Sessions to compare")
        self._list.setItemDelegate(_SessionDelegate(self._list))
        self._list.setUniformItemSizes(True)
        self._list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._remark = PlainTextLabel(role="muted", wraps=True)
        self._build()
        self._filter.textChanged.connect(self.reload)
        self._model.ticked.connect(self.ticked)

    def _build(self) -> None:
        close = QPushButton("Done")
        close.setToolTip("Close the list (Esc)")
        close.clicked.connect(self.closed)
        head = in_row((PlainTextLabel("Columns", "heading"), 1), close, spacing=NATIVE)
        parts = (head, self._filter, (self._list, 1), self._remark)
        self.setLayout(in_column(*parts, margins=(SPACE,) * 4))

    def begin(self) -> None:
        """Focus the list, with the current sessions."""
        self.offer(())

    def offer(self, ids: Sequence[str]) -> None:
        """Focus the list with these sessions; with all if none of them exists."""
        self._offered = tuple(ids)
        if ids:
            self._filter.clear()
        self._filter.setFocus()
        self._filter.selectAll()
        self.reload()

    def set_chosen(self, ids: Sequence[str]) -> None:
        """Mark the sessions that are in columns."""
        self._model.set_chosen(ids)

    def reload(self) -> None:
        wanted, offered = Filter(self._filter.text()), self._offered

        def work(history: History) -> _Listed:
            if offered and wanted.is_empty:
                return _Listed(read_session_lines(history, offered), len(offered), len(offered))
            found = browse(history, wanted, Order())
            return _Listed(read_session_lines(history, found.ids[:_LISTED]), len(found.ids), found.total)

        self._latest.read(work, self._on_read, self.failed.emit)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.closed.emit()
        else:
            super().keyPressEvent(event)

    def _go_to_list(self) -> None:
        self._list.setFocus()
        self._list.setCurrentIndex(self._model.index(0))

    def _on_read(self, listed: _Listed) -> None:
        self._model.show(listed.lines)
        self._remark.setText(_remark(listed))


def _remark(listed: _Listed) -> str:
    if not listed.total:
        return "No sessions yet: run a plan on the Bench page."
    if not listed.found:
        return "No session contains all of these words."
    if listed.found > len(listed.lines):
        return f"The latest {len(listed.lines)} of {listed.found:,}: type a word to find others."
    return f"{listed.found:,} sessions" if listed.found > 1 else "1 session"
