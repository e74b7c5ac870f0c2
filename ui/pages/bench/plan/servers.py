"""The servers that run already and that the target drives: ticked like builds, with an engine."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QAbstractItemView, QSizePolicy, QWidget

from app.planner.starting.choices import PlanChoices
from app.targets.servers import NamedServer
from ui.core.plain import PlainTextLabel
from ui.core.theme import SPACE, Theme
from ui.models.servers import ServerModel
from ui.widgets.actions import action, short_button
from ui.widgets.layouts import in_column
from ui.widgets.table import LineSelectTable
from ui.widgets.tick_delegate import TickDelegate
from ui.widgets.wrapping_row import WrappingRow

TITLE = "Servers that run already"
MOST_SHOWN = 3  # lines; more scroll
WIDEST, NARROWEST = 150, 40  # pixels of a column; the address takes what is left


class ServerGroup(QWidget):
    """Reports what is ticked; not to be seen while there is no server: the menu adds one."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = ServerModel(theme, self)
        self.table = _table(self.model)
        self.heading = PlainTextLabel(TITLE, "muted", wraps=True, buddy=self.table)
        self.heading.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self._make_actions()
        buttons = [short_button(each, each.text().split()[0]) for each in self.all_actions()]
        head = WrappingRow(self.heading, *buttons, gap=0)
        self.setLayout(in_column(head, self.table, spacing=SPACE // 2))
        self.table.selectionModel().selectionChanged.connect(self._on_selection_changed)
        self.show_choices(PlanChoices())

    def chosen(self) -> NamedServer | None:
        """The server of the chosen line."""
        rows = self.table.selectionModel().selectedRows()
        return self.model.server(rows[0].row()) if rows else None

    def all_actions(self) -> Sequence[QAction]:
        return (self.add, self.edit, self.look, self.clean, self.remove)

    def _make_actions(self) -> None:
        """What the page does: the table has them in its context menu too."""
        tip = "Add a server that Dyno neither starts nor ends: its certificate, its password, what is there"
        self.add = action(self.table, "Add a server…", "", tip)
        self.edit = action(self.table, "Edit the server…", "", "Change the chosen server")
        tip = "Log in to the chosen server now: its certificate, its version, its engines, its settings"
        self.look = action(self.table, "Look at the server…", "", tip)
        tip = "Drop what Dyno made in its schema, if a plan that was killed has left it there"
        self.clean = action(self.table, "Clean the server…", "", tip)
        tip = "Remove the chosen server from the list; nothing on the server changes"
        self.remove = action(self.table, "Remove the server…", "", tip)

    def show_choices(self, choices: PlanChoices) -> None:
        chosen = self.chosen()
        self.model.show_choices(choices)
        self._choose(chosen.name if chosen else "")
        count = len(choices.servers)
        self.setVisible(bool(count))
        for column in range(self.model.columnCount() - 1):
            self.table.resizeColumnToContents(column)
            self.table.setColumnWidth(column, min(self.table.columnWidth(column), WIDEST))
        policy = Qt.ScrollBarPolicy  # always on: one that comes takes width, and another comes for that
        scrolls = policy.ScrollBarAlwaysOn if count > MOST_SHOWN else policy.ScrollBarAsNeeded
        self.table.setVerticalScrollBarPolicy(scrolls)
        head = self.table.horizontalHeader().sizeHint().height() + 2 * self.table.frameWidth()
        self.table.setFixedHeight(head + min(count, MOST_SHOWN) * self.table.line_height)

    def _choose(self, name: str) -> None:
        """Choose the line of a server again, after the lines have changed."""
        names = [self.model.server(row).name for row in range(self.model.rowCount())]
        if name in names:
            self.table.choose_row(names.index(name))
        self._on_selection_changed()

    def _on_selection_changed(self) -> None:
        server = self.chosen()
        for each in (self.edit, self.look, self.remove):
            each.setEnabled(server is not None)
        self.clean.setEnabled(server is not None and not server.replica_of)  # Dyno makes nothing on those


def _table(model: ServerModel) -> LineSelectTable:
    made = LineSelectTable(TITLE)
    made.setModel(model)
    made.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
    made.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
    made.setTextElideMode(Qt.TextElideMode.ElideMiddle)
    made.horizontalHeader().setMinimumSectionSize(NARROWEST)
    made.setItemDelegate(TickDelegate(made))
    return made
