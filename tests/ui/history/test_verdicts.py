"""What plans come to, in their rows on History, and against a pinned baseline."""

from __future__ import annotations

from dataclasses import replace

import pytest
from pytestqt.qtbot import QtBot

from app.comparison.answers.baseline import pinned
from app.history.store.history import History
from app.protocol.plan import Plan
from tests.sliced import INNODB, keep, plan
from tests.ui.history.hand import Hand, shown
from ui.core.context import WindowContext
from ui.models.session_columns import VERDICT

pytestmark = pytest.mark.qt_log_ignore("^This plugin does not support")


def alone(number: int, name: str) -> Plan:
    return replace(plan((INNODB,), rounds=5, number=number, order="interleaved"), name=name)


def verdict(hand: Hand, of: Plan) -> str:
    row = hand.shown_ids().index(of.id)
    return str(hand.table.model().index(row, VERDICT).data() or "")


def select(hand: Hand, of: Plan) -> None:
    hand.table.selectRow(hand.shown_ids().index(of.id))


def history_page(context: WindowContext, qtbot: QtBot, *plans: tuple[Plan, tuple[float, ...]]) -> Hand:
    with History(context.home) as history:
        for each, factors in plans:
            keep(history, each, factors)
    return shown(context, qtbot)


def test_the_row_of_a_plan_has_its_verdict(context: WindowContext, qtbot: QtBot) -> None:
    its_plan = plan()
    hand = history_page(context, qtbot, (its_plan, (1.0, 0.5)))
    qtbot.waitUntil(lambda: verdict(hand, its_plan) == "all 3 slower")
    select(hand, its_plan)
    assert any("MyRocks at 0.50 of InnoDB" in each for each in hand.labels())


def test_a_plan_of_one_contender_has_none(context: WindowContext, qtbot: QtBot) -> None:
    good, both = alone(1, "good"), plan(number=2)
    hand = history_page(context, qtbot, (good, (1.0,)), (both, (1.0, 0.5)))
    qtbot.waitUntil(lambda: verdict(hand, both) != "")
    assert verdict(hand, good) == ""


def test_a_pinned_baseline_is_what_others_are_compared_with(context: WindowContext, qtbot: QtBot) -> None:
    good, later = alone(1, "good"), alone(2, "later")
    hand = history_page(context, qtbot, (good, (1.0,)), (later, (0.1,)))
    select(hand, good)
    pin = hand.action("Pin as baseline")
    pin.trigger()
    qtbot.waitUntil(lambda: verdict(hand, good) == "pinned baseline")
    qtbot.waitUntil(lambda: verdict(hand, later) == "against good: all 3 slower")
    select(hand, later)
    select(hand, good)
    qtbot.waitUntil(lambda: pin.text().replace("&", "") == "Unpin baseline")
    pin.trigger()
    qtbot.waitUntil(lambda: verdict(hand, later) == "")
    with History(context.home) as history:
        assert pinned(history, context.home) == {}


def test_several_contenders_are_not_one_baseline(context: WindowContext, qtbot: QtBot) -> None:
    its_plan = plan()
    hand = history_page(context, qtbot, (its_plan, (1.0, 0.5)))
    select(hand, its_plan)
    assert not hand.action("Pin as baseline").isEnabled()


def test_nothing_is_sorted_by_verdict(context: WindowContext, qtbot: QtBot) -> None:
    its_plan = plan()
    hand = history_page(context, qtbot, (its_plan, (1.0, 0.5)))
    head = hand.table.horizontalHeader()
    before = head.sortIndicatorSection()
    head.sortIndicatorChanged.emit(VERDICT, head.sortIndicatorOrder())
    assert head.sortIndicatorSection() == before and hand.message.text == ""
