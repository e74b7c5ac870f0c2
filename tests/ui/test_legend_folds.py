"""A legend with more entries than rows: the first of them, and how many more there are."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.history.lists.sessions import sessions
from app.history.steps.timeline import timeline
from app.history.store.history import History
from app.protocol.plan import Step
from app.protocol.series import role_series_name
from tests.journals import SERIES, Maker, plan, store
from ui.core.theme import Theme
from ui.pages.live.curves import QPS, SessionCurves
from ui.pages.live.lines import LATENCY, ShownCurves
from ui.widgets.charts.head import LINE_HEIGHT, ChartHead
from ui.widgets.charts.lines import ChartLine

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def head(qtbot: QtBot, theme: Theme) -> ChartHead:
    """25 curves in two rows."""
    made = ChartHead(theme, "QPS", "queries/s")
    qtbot.addWidget(made)
    made.most_rows = 2
    made.resize(600, LINE_HEIGHT)
    made.set_lines([ChartLine(f"{at}", f"kind {at}", theme.colour("accent")) for at in range(25)], "8,888")
    return made


def test_entries_for_which_there_is_no_row_are_counted(head: ChartHead) -> None:
    there = len(head.places)
    assert 3 < there < 15 and head.height() == 2 * LINE_HEIGHT
    assert head.more_text == f"and {25 - there} more"
    assert [line.label for line in head.folded] == [f"kind {at}" for at in range(there, 25)]
    assert head.more.right() < head.width() and not any(head.more.intersects(each) for each in head.places)
    assert len(head.lines) == len(head.values) == 25, "the curves and their values stay"


def test_a_click_on_their_number_shows_all_and_folds_again(head: ChartHead) -> None:
    there, hidden = len(head.places), head.hidden.state
    QTest.mouseClick(head, LEFT, pos=head.more.center())
    assert len(head.places) == 25 and head.more_text == "fewer"
    assert head.height() == head.more.bottom() + 1 > 2 * LINE_HEIGHT
    QTest.mouseClick(head, LEFT, pos=head.more.center())
    assert len(head.places) == there and head.hidden.state == hidden


def test_where_all_have_room_nothing_is_folded(head: ChartHead) -> None:
    head.resize(6000, head.height())
    head.arrange()
    assert (len(head.places), head.more_text, head.height()) == (25, "", LINE_HEIGHT)
    head.resize(600, head.height())
    head.most_rows = 0
    head.arrange()
    assert (len(head.places), head.more_text) == (25, "") and head.height() > 2 * LINE_HEIGHT
    head.set_lines([])
    assert head.more_text == "" and head.height() == LINE_HEIGHT


def test_kinds_of_the_figure_come_first(theme: Theme, shown_kinds: ShownCurves) -> None:
    for series in (QPS, LATENCY):
        lines = shown_kinds.rate_lines(theme, series)
        labels = [line.label for line in lines][1:]
        assert labels == ["seller/order", "seller/pay", "seller/list", "reader", "reader/scan"]


@pytest.fixture
def shown_kinds(dyno_home: Path) -> ShownCurves:
    """A seller whose figure is its orders, beside a reader; its kinds are behind those of the reader."""
    whole = Step("q", "drive", "orders", role="seller", figure_kind="order", seconds=3)
    kinds = [("reader", ""), ("reader", "scan"), *(("seller", kind) for kind in ("pay", "order", "list"))]
    its = [
        replace(whole, name=f"q.{role}{kind}", role=role, event_kind=kind, figure_kind="", beside=True)
        for role, kind in kinds
    ]
    maker = Maker(replace(plan(), steps=[whole, *its]))
    keys = [each.series_key for each in its]
    more = [{**SERIES[0], "name": role_series_name(of, key)} for of in (QPS, LATENCY) for key in keys]
    maker.begin([*SERIES, *more])
    maker.step(0)
    names = [each["name"] for each in maker.series]
    with History(dyno_home) as history:
        store(history, maker)
        curves = SessionCurves(timeline(history, maker.session, names), names)
        (entry,) = sessions(history, ids=[maker.session])
    return ShownCurves(curves, entry)
