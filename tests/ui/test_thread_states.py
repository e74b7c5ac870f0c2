"""What client threads did: a stack of areas in the last chart of Live, a table on the Why tab."""

from __future__ import annotations

import math
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox
from pytestqt.qtbot import QtBot

from app.comparison.why.thread_states import NO_STATES
from app.protocol.thread_states import STATES, state_share_series
from tests.journals import SERIES, Maker, plan
from tests.ui.compare.conftest import opened, page
from tests.ui.compare.seen import Open, button, panel
from tests.ui.conftest import ShowLive as Show
from tests.ui.find import find
from tests.ui.watched import keep
from ui.core.context import WindowContext
from ui.pages.compare import ComparePage
from ui.pages.compare.why import THREADS, WhyPanel
from ui.pages.live.thread_states import CLIENT_STATES
from ui.widgets.charts.time_chart import StackedCurves
from ui.widgets.fitted_table import FittedTable

__all__ = ["opened", "page"]  # fixtures

SHARES = {"running": 20.0, "runnable": 5.0, "fsync": 45.0, "lock": 25.0, "network": 5.0}


class Shares(Maker):
    """A session whose client threads always do the same."""

    def value(self, position: int, s: int) -> float | None:
        state = position - len(SERIES)
        return super().value(position, s) if state < 0 else SHARES.get(STATES[state], 0.0)


def declared() -> list[dict[str, Any]]:
    states = [
        {"name": state_share_series(state), "unit": "%", "kind": "gauge", "digits": 1} for state in STATES
    ]
    return [*SERIES, *states]


def recorded_shares(context: WindowContext) -> None:
    maker = Shares(plan())
    maker.begin(declared())
    for at in range(len(maker.plan.steps)):
        maker.step(at)
    keep(context, [maker.end()])


def test_the_last_chart_stacks_the_states(context: WindowContext, qtbot: QtBot, drawn: Show) -> None:
    recorded_shares(context)
    page = drawn(context)
    box, chart = find(page.body.choices, QComboBox, "Last chart"), page.body.charts.choice
    at = box.findData(CLIENT_STATES)
    assert at >= 0
    box.activated.emit(at)
    qtbot.waitUntil(
        lambda: [line.key for line in chart.head.lines] == [state_share_series(each) for each in SHARES]
    )
    page.body.charts.axis.refresh()
    sums = [chart._stack.sums(line.key).newest for line in chart.head.lines]
    assert sums == pytest.approx([20, 25, 70, 95, 100])
    assert chart.canvas.area.y == (0.0, 100.0)
    own = dict(zip((line.label for line in chart.head.lines), chart.head.values, strict=True))
    assert (own["fsync"], own["CPU wait"]) == ("45.00", "5.00")
    assert chart.height() >= 110
    chart.head.hidden.toggle(state_share_series("running"), chart.head.lines)
    assert chart._stack.sums(state_share_series("lock")).newest == pytest.approx(75)


def test_sessions_that_did_not_look_have_no_such_choice(
    released: Any, context: WindowContext, drawn: Show
) -> None:
    page = drawn(context)
    assert find(page.body.choices, QComboBox, "Last chart").findData(CLIENT_STATES) == -1


def test_why_says_once_that_nobody_looked(qtbot: QtBot, opened: Open, page: ComparePage) -> None:
    opened()
    shown = panel(qtbot, page, WhyPanel)
    qtbot.mouseClick(button(shown, THREADS), Qt.MouseButton.LeftButton)
    assert shown.remark.text() == NO_STATES
    assert find(shown, FittedTable).model().rowCount() == 0


def test_a_stack_is_not_drawn_down_between_slices_and_is_upright_at_a_gap() -> None:
    from ui.widgets.charts.pyramid import GrowingTimeSeries
    from ui.widgets.charts.time_chart import area_points

    slices = GrowingTimeSeries(gap_s=30.0)
    slices.extend([0.0, 4.0, 5.0, 9.0], [1.0, 2.0, math.nan, 3.0])
    stack = StackedCurves()
    stack.update(["a"], lambda _: slices)
    t, values = area_points(*stack.sums("a").window(0.0, 9.0, 100))
    assert list(zip(t, values, strict=True)) == [(0, 1), (4, 2), (4, 0), (9, 0), (9, 3)]


def test_a_stack_grows_with_its_curves() -> None:
    from ui.widgets.charts.pyramid import GrowingTimeSeries

    tracks = {"a": GrowingTimeSeries(), "b": GrowingTimeSeries()}
    stack = StackedCurves()
    for t in range(3):
        for key, value in (("a", 1.0), ("b", 2.0 + t)):
            tracks[key].extend([float(t)], [value])
        stack.update(["a", "b"], tracks.__getitem__)
    assert list(stack.sums("b").samples().values()) == [3.0, 4.0, 5.0]
    stack.update(["b"], tracks.__getitem__)
    assert list(stack.sums("b").samples().values()) == [2.0, 3.0, 4.0]
    tracks["b"].clear()
    stack.update(["b"], tracks.__getitem__)
    assert stack.sums("b").newest is None
