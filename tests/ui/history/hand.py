"""A person before the History page, and what lies in it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from app.history.lists.sessions import SessionEntry, sessions
from app.history.store.history import History
from tests import journals
from ui.core.context import WindowContext
from ui.pages.history import HistoryPage
from ui.pages.history.filter_bar import FilterLine
from ui.pages.history.table import SessionTable
from ui.pages.history.tabs import DetailTabs
from ui.widgets.message import MessageBar

PLAN = journals.plan([journals.contender("innodb"), journals.contender("rocksdb")], repeats=2)
OTHER = replace(journals.plan(number=2, target="xeon"), sequence="quick")
IDS = [*(turn.session for turn in PLAN.turns), OTHER.turns[0].session]
FAILED, LOST = 1, 2


class Hand:
    """A person before the page."""

    def __init__(self, page: HistoryPage, qtbot: QtBot) -> None:
        self.page, self.qtbot = page, qtbot
        self.table = page.findChild(SessionTable)
        self.line = page.findChild(FilterLine)
        self.message = page.findChild(MessageBar)

    def shown_ids(self) -> list[str]:
        return list(self.table.model().rows.ids)

    def shown(self) -> list[int]:
        return [IDS.index(session) for session in self.shown_ids()]

    def wait_shown(self, expected: list[int]) -> None:
        self.qtbot.waitUntil(lambda: sorted(self.shown()) == expected)

    def select(self, *chosen: int) -> None:
        self.table.select([IDS[at] for at in chosen])
        assert sorted(self.table.selected) == sorted(IDS[at] for at in chosen)

    def press(self, text: str) -> None:
        self.action(text).trigger()

    def action(self, text: str) -> QAction:
        actions = (each for each in self.page.page_actions() if each is not None)
        return next(each for each in actions if each.text().replace("&", "").startswith(text))

    def labels(self) -> list[str]:
        """The texts that the page shows beside its tables."""
        return [each.text() for each in self.page.findChildren(QLabel) if each.isVisible()]

    @property
    def tabs(self) -> DetailTabs:
        return self.page.findChild(DetailTabs)

    def look_at(self, at: int, tab: int) -> DetailTabs:
        self.select(at)
        self.qtbot.waitUntil(lambda: self.page.findChild(DetailTabs) is not None and self.tabs.isVisible())
        self.tabs.setCurrentIndex(tab)
        return self.tabs


def shown(context: WindowContext, qtbot: QtBot) -> Hand:
    """The page with its list."""
    page = HistoryPage(context)
    qtbot.addWidget(page)
    page.resize(1264, 740)
    made = Hand(page, qtbot)
    with qtbot.waitSignal(page.counted):
        page.show()
    return made


def entry(context: WindowContext, at: int) -> SessionEntry:
    with History(context.home) as history:
        return sessions(history, ids=[IDS[at]])[0]


def kept(qtbot: QtBot, context: WindowContext, holds: Callable[[list[SessionEntry]], bool]) -> None:
    """Wait until the history says so."""

    def look() -> bool:
        with History(context.home) as history:
            return holds(sessions(history))

    qtbot.waitUntil(look)
