"""A Compare page, and a hand that fills it."""

from __future__ import annotations

from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from app.history.lists import edits
from app.history.store.history import History
from tests import comparable
from tests.ui.compare.seen import Open, columns_of
from ui.core.bus import ShowPageRequest
from ui.core.context import WindowContext
from ui.pages.compare import ComparePage


@pytest.fixture
def page(qtbot: QtBot, context: WindowContext) -> ComparePage:
    """Of a history in which something was: of a new one it shows what was published."""
    ids = comparable.keep(context.home, comparable.plan(1, number=99))
    with History(context.home) as history:
        edits.delete(history, ids[0])
    made = ComparePage(context)
    qtbot.addWidget(made)
    made.resize(1280, 720)
    made.show()
    made.activateWindow()
    qtbot.waitUntil(made.isActiveWindow)
    return made


@pytest.fixture
def opened(qtbot: QtBot, context: WindowContext, page: ComparePage) -> Open:
    """Keeps a plan, shows its sessions, and waits for them."""

    def open_plan(columns: int = 2, failed: Any = (), **of_plan: Any) -> tuple[str, ...]:
        ids = comparable.keep(context.home, comparable.plan(columns, **of_plan), failed)
        page.open(ShowPageRequest("compare", ids))
        qtbot.waitUntil(lambda: columns_of(page) == columns)
        return ids

    return open_plan
