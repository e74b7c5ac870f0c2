"""The Live page in the smallest usual window: charts one can read, and nothing that scrolls sideways."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from PySide6.QtWidgets import QAbstractScrollArea

from app.core.units import bytes_text
from app.protocol.answers import Queue, QueuedPlan
from app.remote.target import LOCAL
from app.targets.store import Targets
from tests.journals import Maker, contender, plan
from tests.ui.watched import WatchedPlans
from ui.core.context import WindowContext
from ui.models.results import COLUMNS
from ui.pages.live import LivePage
from ui.shell.window import FIRST_SIZE, Window

LEAST = 110  # pixels of a lower chart
EDGE = 6  # pixels beside the text of a cell

Open = Callable[[], LivePage]


@pytest.fixture
def open_live(plans: tuple[WindowContext, WatchedPlans], qtbot: Any) -> Open:
    """In a window of the first size, with a plan under way and one that waits."""
    context, followed = plans

    def make() -> LivePage:
        maker = Maker(plan([contender(), contender("rocksdb")])).begin()
        for at in range(3):
            maker.step(at)
        maker.start_step(3)
        maker.samples(3, range(-2, 3))
        followed.watch(maker.plan)
        followed.bring(maker)
        target = Targets(context.home).get(LOCAL)
        context.queues.take(target, Queue([QueuedPlan("A" * 26, "night", "0" * 64, "f" * 64, 4)]))
        window = Window(context)
        qtbot.addWidget(window)
        window.show_page("live")
        window.resize(FIRST_SIZE)
        window.show()
        qtbot.waitExposed(window)
        page = window.page("live")
        assert isinstance(page, LivePage)
        qtbot.waitUntil(lambda: page.watching.loaded is not None and page.body.queue.isVisible())
        return page

    return make


def test_the_lower_charts_are_high_enough(open_live: Open) -> None:
    page = open_live()
    window = page.window()
    assert (window.width(), window.height()) == (1280, 800), "the window asks for no more"
    lower = page.body.charts.charts[1:]
    assert [chart.height() >= LEAST for chart in lower] == [True] * 4
    assert page.body.charts.qps.height() > LEAST
    assert all(page.rect().contains(each.geometry()) for each in (page.body, page.body.charts))


def test_nothing_scrolls_sideways(open_live: Open) -> None:
    page = open_live()
    areas = [each for each in page.findChildren(QAbstractScrollArea) if each.isVisible()]
    assert page.body.table in areas
    assert {each.accessibleName(): each.horizontalScrollBar().maximum() for each in areas} == {
        each.accessibleName(): 0 for each in areas
    }


def test_a_size_is_not_cut(open_live: Open) -> None:
    table = open_live().body.table
    at = [column.key for column in COLUMNS].index("size")
    room = table.columnWidth(at) - 2 * EDGE
    assert table.fontMetrics().horizontalAdvance(bytes_text(999.9 * (1 << 20))) <= room
