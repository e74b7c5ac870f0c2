"""Rows written with the longest response of each second: a choice of the last chart of Live."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QComboBox
from pytestqt.qtbot import QtBot

from app.history.steps.written_rows import NamedStall
from tests import written
from tests.journals import plan, whole
from tests.ui.conftest import ShowLive
from tests.ui.find import find
from tests.ui.watched import WatchedPlans, keep
from tests.written import HANGS, LONG_MS, USUAL, Writes
from ui.core.context import WindowContext
from ui.pages.live import LivePage
from ui.pages.live.written import MOST_NAMED, WRITTEN, StallReader, stall_marks, stall_spans
from ui.widgets.charts.time_chart import TimeChart

LABEL = "stall 4 s: table locks"


def chosen(qtbot: QtBot, page: LivePage) -> TimeChart:
    """The chart, once it is chosen and read."""
    box, chart = find(page.body.choices, QComboBox, "Last chart"), page.body.charts.choice
    box.activated.emit(box.findData(WRITTEN["name"]))
    qtbot.waitUntil(lambda: [line.label for line in chart.head.lines] == ["rows", "longest, ms (right)"])
    return chart


def test_the_rows_and_the_longest_response_have_an_axis_each_and_stalls_a_name(
    context: WindowContext, qtbot: QtBot, drawn: ShowLive
) -> None:
    maker = Writes(written.plan()).carried_out()
    keep(context, [maker])
    page = drawn(context)
    chart = chosen(qtbot, page)
    qtbot.waitUntil(lambda: any(span.kind == "stall" for span in chart.ground.spans))
    rows, longest = (chart.track(line.key) for line in chart.head.lines)
    assert rows.spread(0, 1e6)[0] > 0 and longest.last == rows.last
    bounds = page.watching.loaded.curves.bounds[1]  # type: ignore[union-attr]
    in_hang = (bounds.measured_t or bounds.began_t) + HANGS[1] + 1
    assert rows.at(in_hang) == 0.0
    (stall,) = [span for span in chart.ground.spans if span.kind == "stall"]
    assert stall.last - stall.first == pytest.approx(len(HANGS), abs=0.1)
    assert chart.marks == [(stall.first, LABEL)]
    assert chart.toolTip().startswith("A stall: 2 seconds or more")
    page.body.charts.axis.refresh()
    assert chart.canvas.area.y[1] >= USUAL and chart.right.range[1] >= LONG_MS


def test_events_that_come_are_drawn_like_what_is_stored(
    plans: tuple[WindowContext, WatchedPlans], qtbot: QtBot, show: ShowLive
) -> None:
    context, followed = plans
    maker = Writes(written.plan())
    followed.watch(maker.plan)
    maker.begin(written.SERIES)
    maker.step(0)
    maker.start_step(1)
    maker.samples(1, range(3))
    followed.bring(maker)
    page = show(context)
    qtbot.waitUntil(lambda: page.watching.loaded is not None)
    chart = chosen(qtbot, page)
    before = len(chart.track(chart.head.lines[0].key))
    maker.samples(1, range(3, 18))
    followed.bring(maker)
    rows, longest = (chart.track(line.key) for line in chart.head.lines)
    qtbot.waitUntil(lambda: len(rows) == before + 15)
    assert rows.newest == USUAL and longest.newest == 12.5
    page.stalls.read()  # what the timer of a running step does
    qtbot.waitUntil(lambda: chart.marks != [])
    assert chart.marks[0][1] == LABEL


def test_a_session_that_writes_no_rows_has_no_such_choice(context: WindowContext, drawn: ShowLive) -> None:
    keep(context, [whole(plan())])
    assert find(drawn(context).body.choices, QComboBox, "Last chart").findData(WRITTEN["name"]) == -1


def test_stalls_of_one_session_do_not_stay_on_another(context: WindowContext, qtbot: QtBot) -> None:
    keep(context, [Writes(written.plan()).carried_out()])
    session = written.plan().turns[0].session
    reader, found = StallReader(context, context.theme), list[object]()
    reader.found.connect(found.append)
    reader.show(session)
    qtbot.waitUntil(lambda: len(found) == 2)  # none, then those that were read
    reader.show("")
    assert found[-1] == []


def test_of_very_many_stalls_the_longest_are_named() -> None:
    many = [NamedStall(at, at, 2 + at % 200, float(at), at + 1.0, None, None) for at in range(1000)]
    named = stall_marks(many)
    assert len(named) == MOST_NAMED and {text for _, text in named} >= {"stall 201 s", "stall 185 s"}
    assert len(stall_spans(many)) == 1000
