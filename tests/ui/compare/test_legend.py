"""The legend of the charts beside the table: what is hidden in one is hidden in all; one chart alone."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tests.ui.compare.seen import Open, choose, ids_of, panel
from tests.ui.pixels import visible
from ui.pages.compare import ComparePage
from ui.pages.compare.bars import BarsPanel
from ui.pages.compare.seconds import SecondsPanel
from ui.pages.compare.sweeps import SweepChartPanel


def test_a_column_hidden_in_one_chart_is_hidden_in_all(qtbot: QtBot, opened: Open, page: ComparePage) -> None:
    opened()
    choose(page, "update-index")
    first, second = ids_of(page)
    bars = panel(qtbot, page, BarsPanel)
    legend = bars.legend
    QTest.mouseClick(legend, Qt.MouseButton.LeftButton, pos=legend.places[1].center())
    charts = [chart for chart in bars.charts if chart.isVisibleTo(bars)]
    assert {line.key for chart in charts for line, *_ in chart.places()} == {first}
    sweep = panel(qtbot, page, SweepChartPanel)
    assert sweep.chart and [line.key for line in visible(sweep.chart.head)] == [first]
    seconds = panel(qtbot, page, SecondsPanel)
    qtbot.waitUntil(lambda: seconds.chart is not None and bool(seconds.chart.head.lines))
    assert seconds.chart and [line.contender for line in visible(seconds.chart.head)] == [first]
    QTest.keyClick(seconds.chart, Qt.Key.Key_0)
    assert {line.key for chart in charts for line, *_ in chart.places()} == {first, second}


def test_a_chart_alone_leaves_the_table_and_comes_back(qtbot: QtBot, opened: Open, page: ComparePage) -> None:
    opened()
    bars = panel(qtbot, page, BarsPanel)
    chart = bars.charts[0]
    qtbot.wait(300)  # sentences and table find their places
    before = chart.size()
    QTest.keyClick(chart, Qt.Key.Key_F11)
    QApplication.processEvents()
    assert not page.body.table.isVisible() and not page.body.tabs.tabBar().isVisible()
    assert chart.width() > page.width() * 0.9 and chart.height() > page.height() * 0.8
    choose(page, "update-index")
    assert not bars.charts[1].isVisible(), "also when the panel is drawn anew"
    QTest.keyClick(chart, Qt.Key.Key_Escape)
    QApplication.processEvents()
    assert page.body.table.isVisible() and page.body.tabs.tabBar().isVisible()
    qtbot.waitUntil(lambda: chart.size() == before)
