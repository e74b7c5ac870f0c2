"""The waits of an ended step next to the log of Live."""

from __future__ import annotations

from typing import Any

from app.history.store.history import History
from tests.journals import Maker, plan, store
from tests.named import WAITS
from ui.core.bus import ShowPageRequest
from ui.core.context import WindowContext
from ui.pages.live import LivePage


def test_the_waits_of_the_chosen_step(context: WindowContext, qtbot: Any) -> None:
    maker = Maker(plan())
    maker.waits = WAITS
    maker.begin()
    for at in range(len(maker.plan.steps)):
        maker.step(at)
    with History(context.home) as history:
        store(history, maker.end())
    page = LivePage(context)
    qtbot.addWidget(page)
    page.resize(1280, 800)
    page.show()
    page.open(ShowPageRequest("live", (maker.session,)))
    qtbot.waitUntil(lambda: page.body.results.rowCount() == len(maker.plan.steps))
    page.body.tabs.setCurrentWidget(page.body.waits)
    page.body.table.choose_row(len(maker.plan.steps) - 1)
    model = page.body.waits.table.model()
    qtbot.waitUntil(lambda: model.rowCount() == 3)
    assert model.index(0, 0).data() == "InnoDB row lock"
    assert model.index(2, 1).data() == "-" and model.index(2, 3).data() == "3"
    assert "deadlock of DELETE FROM sbtest1" in page.body.waits.remark.text()
