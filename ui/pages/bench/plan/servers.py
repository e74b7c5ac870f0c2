"""The servers that run already and that the target drives: ticked like builds, with an engine."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.planner.starting.choices import PlanChoices
from ui.core.plain import PlainTextLabel
from ui.core.theme import SPACE, Theme
from ui.models.servers import ServerModel
from ui.widgets.actions import action, action_button
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
        self.table = LineSelectTable(TITLE)
        self.table.setModel(self.model)
        self.table.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.table.horizontalHeader().setMinimumSectionSize(NARROWEST)
        self.table.setItemDelegate(TickDelegate(self.table))
        self.heading = PlainTextLabel(TITLE, "muted", wraps=True, buddy=self.table)
        self.heading.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        tip = "Add a server that Dyno neither starts nor ends: its certificate, its password, what is there"
        self.add = action(self, "Add a server…", "", tip)  # by the page
        head = WrappingRow(self.heading, action_button(self.add))
        self.setLayout(in_column(head, self.table, spacing=SPACE // 2))
        self.show_choices(PlanChoices())

    def show_choices(self, choices: PlanChoices) -> None:
        self.model.show_choices(choices)
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
