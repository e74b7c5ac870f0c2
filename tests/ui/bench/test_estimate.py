"""The estimate on the Bench page follows what the target has carried out."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from app.history.store.history import History
from tests.plans import MARIADB, plan
from tests.took import carry_out
from ui.pages.bench import BenchPage


def expected(page: BenchPage) -> tuple[float, str]:
    assert page.outcome is not None and page.outcome.estimate is not None
    return page.outcome.estimate.seconds, page.outcome.estimate.seconds_text


def test_once_a_plan_has_ended_the_next_one_is_estimated_by_it(qtbot: QtBot, page: BenchPage) -> None:
    before, text = expected(page)
    assert "earlier session" not in text
    with History(page.context.home) as history:
        carry_out(history, plan(f"{MARIADB}:innodb"), load=500)
    page.context.plans.ended.emit("the plan")
    qtbot.waitUntil(lambda: "by 1 earlier session here" in expected(page)[1])
    assert expected(page)[0] > before
