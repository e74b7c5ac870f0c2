"""The tab *Over time* of History: where the figures of a contender change, and the way to compare."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QComboBox, QLabel
from pytestqt.qtbot import QtBot

from app.history.store.history import History
from tests.ui.history.hand import Hand, shown
from tests.unit.comparison.test_over_time import NEW, OLD, keep
from ui.core.context import WindowContext
from ui.pages.history.over_time import OverTimePanel
from ui.pages.history.tabs import DetailTabs
from ui.widgets.charts.dated_chart import DatedChart

TAB = 2


@pytest.fixture
def ids(context: WindowContext) -> list[str]:
    """Eighteen plans: the last eight of a slower build, one of them disturbed."""
    context.memory.keep("history/by plan", False)
    with History(context.home) as history:
        made = [keep(history, n, canary=1.0) for n in range(1, 11)]
        made += [keep(history, n, 0.95, NEW, 1.0, marks=["disturbed"] * (n == 14)) for n in range(11, 19)]
    return [id_ for (id_,) in made]


def opened(context: WindowContext, qtbot: QtBot, session: str) -> tuple[Hand, OverTimePanel]:
    """The tab of a session, when its sessions are read."""
    hand = shown(context, qtbot)
    qtbot.waitUntil(lambda: session in hand.shown_ids())
    hand.table.select([session])
    qtbot.waitUntil(lambda: hand.page.findChild(DetailTabs) is not None and hand.tabs.isVisible())
    hand.tabs.setCurrentIndex(TAB)
    tab = hand.tabs.findChild(OverTimePanel)
    qtbot.waitUntil(lambda: tab.findChild(DatedChart).isVisible())
    return hand, tab


def test_the_change_is_shown_named_and_compared(context: WindowContext, qtbot: QtBot, ids: list[str]) -> None:
    _, tab = opened(context, qtbot, ids[-1])
    steps, chart = tab.findChild(QComboBox), tab.findChild(DatedChart)
    assert steps.currentText() == "▼ point-query threads=2"
    assert [steps.itemText(at) for at in (1, 2)] == ["load", "update-index threads=2"]
    said = next(label.text() for label in tab.findChildren(QLabel) if "worse since" in label.text())
    assert "server: the canaries of the machine did not change" in said
    assert len(chart.stands()) == 18
    chart.set_cursor(9)
    assert OLD in chart.stand_text(9) and "1 session" in chart.stand_text(9)
    chart.set_cursor(13)
    assert f"{NEW}, disturbed" in chart.stand_text(13) and chart.values()[0] == "\N{EN DASH}"
    compare = next(each for each in tab.findChildren(QAction) if "Compare" in each.text())
    with qtbot.waitSignal(context.bus.wanted) as wanted:
        compare.trigger()
    assert (wanted.args[0].page, wanted.args[0].sessions) == ("compare", (ids[9], ids[10]))


def test_a_step_that_does_not_change_says_so(context: WindowContext, qtbot: QtBot, ids: list[str]) -> None:
    _, tab = opened(context, qtbot, ids[0])
    steps = tab.findChild(QComboBox)
    steps.setCurrentIndex(1)
    steps.activated.emit(1)
    assert any("load: no change over 17 plans" in label.text() for label in tab.findChildren(QLabel))
    assert not next(each for each in tab.findChildren(QAction) if "Compare" in each.text()).isEnabled()
