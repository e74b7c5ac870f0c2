"""A search for a limit on Compare: its result is a rate, and its tries are in the hint of the cell."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.history.recorded.writing import JournalStorer
from app.history.store.history import History
from app.protocol.events import StepEnded
from app.protocol.plan import LIMIT, Step
from tests import comparable, journals
from tests.ui.compare.seen import columns_of
from ui.core.bus import ShowPageRequest
from ui.core.context import WindowContext
from ui.pages.compare.page import ComparePage

SEARCH = Step(
    "reads",
    LIMIT,
    "point-query",
    group="reads",
    threads=8,
    seconds=3,
    coordinates={"threads": 8},
    limit_ms=5.0,
)
FOUND = {
    "p99_ms": 5.0,
    "closed_rate": 6000.0,
    "rate": 4200,
    "tries": [
        {"rate": 4300, "p99_ms": 5.6, "events": 21_500, "passed": False},
        {"rate": 4200, "p99_ms": 4.8, "events": 21_000, "passed": True},
    ],
}


def keep(context: WindowContext) -> tuple[str, ...]:
    plan = comparable.plan(2, its_steps=[SEARCH])
    with History(context.home) as history:
        for turn in plan.turns:
            maker = journals.Maker(plan, turn.session).begin()
            maker.step(0, value=4200.0)
            ended = maker.events[-1]
            assert isinstance(ended, StepEnded)
            maker.events[-1] = replace(ended, limit=FOUND)
            JournalStorer(history).append(plan.id, turn.session, 0, maker.end().raw)
    return tuple(turn.session for turn in plan.turns)


def test_the_tries_of_a_search_are_in_its_hint(
    qtbot: QtBot, context: WindowContext, page: ComparePage
) -> None:
    page.open(ShowPageRequest("compare", keep(context)))
    qtbot.waitUntil(lambda: columns_of(page) == 2)
    table = page.body.table
    model = table.model()
    tips = [
        str(model.index(row, column).data(Qt.ItemDataRole.ToolTipRole))
        for row in range(model.rowCount())
        for column in range(model.columnCount())
    ]
    told = next(tip for tip in tips if "try 1" in tip)
    assert "p99 under 5 ms at 4,200 events/s, 70% of 6,000 events/s without a limit" in told
    assert "try 1: 4,300 events/s, p99 5.6 ms, failed" in told.replace("5.60", "5.6")
