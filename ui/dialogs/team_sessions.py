"""The sessions of a team, on its server: page by page, and fetched when a person chooses them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QPushButton,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from app.core.harmless import harmless
from app.core.units import count_text, date_text
from ui.core.bus import PartsToReload
from ui.core.context import WindowContext
from ui.core.plain import PlainTextLabel
from ui.core.tasks import NewestAnswerRunner
from ui.core.theme import SPACE
from ui.models.session_columns import contender_text, session_state_text
from ui.widgets.filter_line import FilterLine
from ui.widgets.layouts import dialog_buttons, lay_out_dialog
from ui.widgets.message import MessageBar

if TYPE_CHECKING:
    from app.history.lists.browsing import SessionLine
    from app.history.store.history import History
    from app.remote.target import Ask
    from app.team.synced import TeamSyncResult

ID = Qt.ItemDataRole.UserRole
WIDTH, HEIGHT = 120 * SPACE, 70 * SPACE
CALM_MS = 300  # after the last key
_HEADS = ("Name", "State", "Contender", "Target", "Date", "Person")
_WIDTHS = (220, 110, 300, 100, 130)


class TeamSessionsDialog(QDialog):
    """A list that grows by pages; sessions that are fetched stay on this computer."""

    fetched = Signal(object)  # ids

    def __init__(self, context: WindowContext, parent: QWidget) -> None:
        super().__init__(parent)
        self._context = context
        self._asking = NewestAnswerRunner(context.tasks, self)
        self.setWindowTitle("Sessions of the team")
        self.resize(WIDTH, HEIGHT)
        self._message, self._said = MessageBar(), PlainTextLabel()
        self._text = FilterLine("Filter", "Filter: name, target, contender, tag, note…")
        self.list = QTreeWidget()
        self.fetch_button, self.more_button = QPushButton("&Fetch"), QPushButton("Show &more")
        self._calm = QTimer(self, singleShot=True, interval=CALM_MS)
        self._build()

    def _build(self) -> None:
        self.list.setHeaderLabels(_HEADS)
        self.list.setAccessibleName("Sessions")
        self.list.setRootIsDecorated(False)
        self.list.setSelectionMode(QTreeWidget.SelectionMode.ExtendedSelection)
        for at, width in enumerate(_WIDTHS):
            self.list.setColumnWidth(at, width)
        self.list.itemSelectionChanged.connect(self._on_selected)
        self._text.textChanged.connect(self._calm.start)
        self._calm.timeout.connect(self.begin)
        self.fetch_button.clicked.connect(self._fetch)
        self.more_button.clicked.connect(lambda: self._ask(self.list.topLevelItemCount()))
        buttons = dialog_buttons(self, QDialogButtonBox.StandardButton.Close)
        for button in (self.fetch_button, self.more_button):
            button.setAutoDefault(False)
            buttons.addButton(button, QDialogButtonBox.ButtonRole.ActionRole)
        lay_out_dialog(self, self._message, self._text, self.list, self._said, buttons)
        self._on_selected()
        self.more_button.setEnabled(False)

    def begin(self) -> None:
        """Show the newest sessions that match."""
        self._ask(0)

    def _ask(self, begin_at: int) -> None:
        home, ask, text = self._context.home, self._context.secrets.ask, self._text.text()
        self._said.setText("Asking the server…")
        self.more_button.setEnabled(False)
        self._asking.run(
            lambda: _page(home, ask, text, begin_at),
            lambda found: self._on_found(begin_at, found),
            self._on_failed,
        )

    def _on_found(self, begin_at: int, found: Sequence[SessionLine]) -> None:
        from app.team.listing import PAGE

        if begin_at == 0:
            self.list.clear()
        self.list.addTopLevelItems([_item(line) for line in found])
        shown = self.list.topLevelItemCount()
        self.more_button.setEnabled(len(found) == PAGE)
        self._said.setText(f"the newest {count_text(shown, 'session')}" if shown else "No session matches")

    def _on_failed(self, error: Exception) -> None:
        self._said.setText("")
        self._message.show_failure(error)

    def _on_selected(self) -> None:
        self.fetch_button.setEnabled(bool(self.list.selectedItems()))

    def _fetch(self) -> None:
        home, ask = self._context.home, self._context.secrets.ask
        ids = [str(item.data(0, ID)) for item in self.list.selectedItems()]
        self._said.setText(f"Fetching {count_text(len(ids), 'session')}…")
        self.fetch_button.setEnabled(False)
        self._context.tasks.read(
            self, lambda history: _fetch(home, ask, history, ids), lambda done: self._on_fetched(ids, done),
            self._on_failed,
        )  # fmt: skip

    def _on_fetched(self, ids: Sequence[str], done: TeamSyncResult) -> None:
        self._on_selected()
        self._said.setText(done.text)
        if done.problems:
            self._message.show_error(done.problems[0])
        if done.is_changed:
            self._context.bus.changed.emit(PartsToReload(sessions=True))
        self.fetched.emit(tuple(ids))


def _item(line: SessionLine) -> QTreeWidgetItem:
    texts = (
        line["name"], session_state_text(line), contender_text(line), line["target"], date_text(line["at"]),
        line["person"],
    )  # fmt: skip
    item = QTreeWidgetItem([harmless(text) for text in texts])
    item.setData(0, ID, line["id"])
    return item


def _page(home: Path, ask: Ask, text: str, begin_at: int) -> list[SessionLine]:
    from app.history.lists.browsing import Filter
    from app.team.exchange import Exchanger, chosen_team_history
    from app.team.listing import team_session_page

    with closing(Exchanger()) as exchanger:
        return team_session_page(exchanger.lists(chosen_team_history(home), ask), Filter(text), begin_at)


def _fetch(home: Path, ask: Ask, history: History, ids: Sequence[str]) -> TeamSyncResult:
    from app.team.exchange import Exchanger, chosen_team_history

    with closing(Exchanger()) as exchanger:
        return exchanger.fetch(history, chosen_team_history(home), ask, ids)
