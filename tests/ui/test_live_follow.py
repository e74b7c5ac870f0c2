"""Follow on the Live page: it goes along with the running step until a person looks elsewhere."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QPushButton

from app.protocol.events import SessionStarted
from tests.journals import Maker, contender, plan
from tests.ui.conftest import ShowLive as Show
from tests.ui.find import find
from tests.ui.live_page import shown, started
from tests.ui.watched import WatchedPlans
from ui.core.context import WindowContext

TWO = [contender(), contender("rocksdb")]


def test_follow_ends_when_a_person_looks_elsewhere_and_returns_with_a_key(
    plans: tuple[WindowContext, WatchedPlans], show: Show, qtbot: Any
) -> None:
    """As it happens in ten sessions: a block of an earlier one, zoom, double click; then back."""
    context, followed = plans
    its_plan = plan(TWO)
    first, second = (Maker(its_plan, turn.session) for turn in its_plan.turns)
    followed.watch(its_plan)
    first.begin()
    for step in range(5):
        first.step(step)
    followed.bring(second.planned())
    followed.bring(first.end())
    second.add(SessionStarted, agent="a" * 64, pid=1)
    second.start_step(0)
    followed.bring(second)
    page = show(context)
    qtbot.waitUntil(lambda: shown(page) == second.session)
    charts, follow = page.body.charts, page.body.choices.follow
    assert follow.isChecked()
    block = next(each for each in page.body.header.strip.blocks() if each.session == first.session)
    qtbot.mouseClick(page.body.header.strip, Qt.MouseButton.LeftButton, pos=block.place.center().toPoint())
    qtbot.waitUntil(lambda: shown(page) == first.session)
    assert not follow.isChecked()
    view = charts.qps.canvas.viewport()
    qtbot.keyClick(charts.qps, Qt.Key.Key_Plus)
    qtbot.mouseDClick(view, Qt.MouseButton.LeftButton, pos=view.rect().center())
    second.end_step(0)
    second.start_step(1)
    followed.bring(second)
    qtbot.wait(1)
    assert shown(page) == first.session and not follow.isChecked()
    assert find(page.body.choices, QPushButton, "Follow").property("offered")
    ctrl_shift = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    qtbot.keyClick(charts.qps, Qt.Key.Key_F, ctrl_shift)
    qtbot.waitUntil(lambda: shown(page) == second.session)
    assert follow.isChecked() and not find(page.body.choices, QPushButton, "Follow").property("offered")
    assert [each.row() for each in page.body.table.selectionModel().selectedRows()] == [1]
    second.end_step(1)
    second.start_step(2)
    followed.bring(second)
    assert [each.row() for each in page.body.table.selectionModel().selectedRows()] == [2]


@pytest.mark.parametrize("elsewhere", ["wheel", "drag", "double click", "button"])
def test_what_ends_follow(
    plans: tuple[WindowContext, WatchedPlans], show: Show, qtbot: Any, elsewhere: str
) -> None:
    context, followed = plans
    maker = started(Maker(plan()), 1, 5)
    followed.watch(maker.plan)
    followed.bring(maker)
    page = show(context)
    qtbot.waitUntil(lambda: shown(page) == maker.session)
    charts, choices = page.body.charts, page.body.choices
    view = charts.qps.canvas.viewport()
    charts.axis.zoom(1.25, charts.axis.range[0])
    assert choices.follow.isChecked(), "all is seen already: a zoom out changes nothing"
    match elsewhere:
        case "wheel":
            charts.axis.zoom(0.8, charts.axis.range[0])
        case "drag":
            qtbot.mousePress(view, Qt.MouseButton.LeftButton, pos=QPoint(200, 40))
            qtbot.mouseMove(view, QPoint(400, 40))
            qtbot.mouseRelease(view, Qt.MouseButton.LeftButton, pos=QPoint(400, 40))
        case "double click":
            qtbot.mouseDClick(view, Qt.MouseButton.LeftButton, pos=QPoint(200, 40))
        case _:
            qtbot.mouseClick(find(choices, QPushButton, "Follow"), Qt.MouseButton.LeftButton)
    assert not choices.follow.isChecked()
    qtbot.mouseClick(find(choices, QPushButton, "Follow"), Qt.MouseButton.LeftButton)
    assert choices.follow.isChecked() and charts.axis.is_following
