"""What a person can do with a chart: its legend, its menu, a range that is chosen, one chart alone."""

from __future__ import annotations

from dataclasses import replace
from math import log10
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QAction, QColor, QContextMenuEvent, QGuiApplication, QHelpEvent, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QMenu, QToolTip, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from app.core.errors import DynoError
from tests.ui.pixels import SIZE, has_colour, mouse, picture, show, spot, visible
from ui.core.theme import Theme
from ui.widgets.charts.bar_chart import BarChart
from ui.widgets.charts.head import LINE_HEIGHT, ChartHead
from ui.widgets.charts.hidden import HiddenChartLines
from ui.widgets.charts.line_chart import LineChart
from ui.widgets.charts.lines import ChartLine
from ui.widgets.charts.range_figures import RangeFiguresLine
from ui.widgets.charts.time_chart import TimeChart


def entry(head: ChartHead, label: str) -> QPoint:
    """Where the legend names this curve."""
    places = zip(head.lines, head.places, strict=True)
    return next(place.center() for line, place in places if line.label == label)


def drawn(chart: TimeChart) -> list[str]:
    """The curves that are painted, as pixels."""
    image = picture(chart)
    values = {"InnoDB": 100.0, "RocksDB": 40.0}
    lines = [line for line in chart.head.lines if line.label in values]
    spots = [(line, spot(chart, 50, values[line.label])) for line in lines]
    return [line.label for line, at in spots if at.y() > 0 and has_colour(image, line.colour, at)]


def test_a_click_in_the_legend_hides_a_curve_and_shows_it_again(chart: TimeChart) -> None:
    head, left = chart.head, Qt.MouseButton.LeftButton
    before, whole = picture(head), len(chart.track("one"))
    QTest.mouseClick(head, left, pos=entry(head, "InnoDB"))
    assert drawn(chart) == ["RocksDB"]
    assert chart.canvas.area.y[1] < 60, "the range is that of what is drawn"
    assert picture(head) != before, "its entry is pale and struck out"
    assert len(chart.track("one")) == whole, "the data stay"
    QTest.mouseClick(head, left, pos=entry(head, "InnoDB"))
    assert drawn(chart) == ["InnoDB", "RocksDB"]
    assert picture(head) == before


def test_a_double_click_in_the_legend_isolates_and_brings_all_back(chart: TimeChart) -> None:
    def double_click(label: str) -> None:
        at = entry(chart.head, label)
        QTest.mouseClick(chart.head, Qt.MouseButton.LeftButton, pos=at)
        QTest.mouseDClick(chart.head, Qt.MouseButton.LeftButton, pos=at)

    double_click("InnoDB")
    assert drawn(chart) == ["InnoDB"]
    double_click("RocksDB")
    assert drawn(chart) == ["RocksDB"]
    double_click("RocksDB")
    assert drawn(chart) == ["InnoDB", "RocksDB"]


def test_digits_hide_and_show_curves(chart: TimeChart) -> None:
    QTest.keyClick(chart, Qt.Key.Key_2)
    assert drawn(chart) == ["InnoDB"]
    QTest.keyClick(chart, Qt.Key.Key_1)
    assert drawn(chart) == []
    QTest.keyClick(chart, Qt.Key.Key_3)  # there is no third one
    QTest.keyClick(chart, Qt.Key.Key_2)
    assert drawn(chart) == ["RocksDB"]
    QTest.keyClick(chart, Qt.Key.Key_0)
    assert drawn(chart) == ["InnoDB", "RocksDB"]


def test_charts_that_share_hide_a_contender_together(chart: TimeChart, qtbot: QtBot, theme: Theme) -> None:
    other, shared = TimeChart(theme, "Latency", "ms"), HiddenChartLines()
    qtbot.addWidget(other)
    lines = [
        ChartLine("p95", "p95", theme.contender(0), contender="InnoDB"),
        ChartLine("cpu", "CPU", theme.contender(2)),
    ]
    other.set_lines(lines)
    chart.set_lines([replace(line, contender=line.label) for line in chart.head.lines])
    for each in (chart, other):
        each.share_hidden(shared)
    QTest.mouseClick(chart.head, Qt.MouseButton.LeftButton, pos=entry(chart.head, "InnoDB"))
    assert [line.key for line in visible(other.head)] == ["cpu"]
    shared.show_all()
    shared.isolate("RocksDB")
    assert drawn(chart) == ["RocksDB"]
    assert visible(other.head) == lines, "a chart without the contender shows its own"


def test_the_legend_tells_a_whole_name(chart: TimeChart, theme: Theme, qtbot: QtBot) -> None:
    chart.set_lines([ChartLine("one", "innodb", theme.contender(0), full="mysql-8.4-innodb-1")])
    at = entry(chart.head, "innodb")
    QApplication.sendEvent(chart.head, QHelpEvent(QEvent.Type.ToolTip, at, chart.head.mapToGlobal(at)))
    assert QToolTip.text().startswith("mysql-8.4-innodb-1\nClick to hide")
    QToolTip.hideText()


def test_bars_and_curves_are_hidden_too(qtbot: QtBot, theme: Theme) -> None:
    lines = [ChartLine("a", "InnoDB", theme.contender(0)), ChartLine("b", "RocksDB", theme.contender(1))]
    bars = BarChart(theme, "Write")
    qtbot.addWidget(bars)
    bars.resize(*SIZE)
    bars.set_bars(["insert", "delete"], [(line, [1.0, 1.5]) for line in lines], "relative to InnoDB")
    show(qtbot, bars)
    QTest.mouseClick(bars.head, Qt.MouseButton.LeftButton, pos=entry(bars.head, "RocksDB"))
    assert {line.key for line, *_ in bars.places()} == {"a"}
    curves = LineChart(theme, "QPS over threads")
    qtbot.addWidget(curves)
    curves.resize(*SIZE)
    curves.set_curves([(line, [1.0, 2.0], [at, at]) for at, line in enumerate(lines)], "threads", "1/s")
    show(qtbot, curves)
    assert curves.head.is_brief, "the names fit beside the curves"
    QTest.keyClick(curves, Qt.Key.Key_2)
    assert not curves.head.is_brief, "where a click brings it back"
    image = picture(curves)
    at = QPointF(curves.area.px(1.0), curves.area.py(0.0))
    assert has_colour(image, theme.contender(0), at)
    QTest.mouseClick(curves.head, Qt.MouseButton.LeftButton, pos=entry(curves.head, "RocksDB"))
    assert curves.head.is_brief


def test_the_dot_of_the_cursor_is_on_its_sample(chart: TimeChart, theme: Theme) -> None:
    """Between two seconds the dot is on the nearer one, not where no value was measured."""
    chart.track("two").clear()
    chart.track("two").extend(range(601), [40.0 if t % 2 else 80.0 for t in range(601)])
    chart.axis.set_range(100.0, 104.0)
    colour, on_sample, between = theme.contender(1), spot(chart, 101.0, 40.0), spot(chart, 101.2, 48.0)
    before = picture(chart)
    chart.axis.set_cursor(101.2)
    after = picture(chart)
    assert chart.head.read_out().endswith("RocksDB 40.00 queries/s")
    assert coloured(after, colour, on_sample) > coloured(before, colour, on_sample) + 10
    assert coloured(after, colour, between) <= coloured(before, colour, between)


def coloured(image: QImage, colour: QColor, at: QPointF) -> int:
    """Pixels around a spot that have the colour."""
    around = [QPoint(dx, dy) for dx in range(-4, 5) for dy in range(-4, 5)]
    return sum(image.pixelColor(at.toPoint() + by).rgb() == colour.rgb() for by in around)


def test_l_makes_the_scale_logarithmic(chart: TimeChart, theme: Theme) -> None:
    QTest.keyClick(chart, Qt.Key.Key_L)
    image = picture(chart)
    assert has_colour(image, theme.contender(0), spot(chart, 50, 2.0)), "100 is at its power of ten"
    assert "100" in [text for _, text in chart.ground.y_ticks]
    chart.track("two").clear()
    chart.track("two").extend(range(601), [0.0] * 601)
    chart.redraw()
    assert chart.canvas.area.y[0] > 1.0, "what has no logarithm is left out"
    QTest.keyClick(chart, Qt.Key.Key_L)
    assert has_colour(picture(chart), theme.contender(0), spot(chart, 50, 100.0))


def test_curves_over_threads_have_a_logarithmic_scale_too(qtbot: QtBot, theme: Theme) -> None:
    curves = LineChart(theme, "QPS over threads")
    qtbot.addWidget(curves)
    curves.resize(*SIZE)
    line = ChartLine("a", "InnoDB", theme.contender(0))
    curves.set_curves(
        [(line, [1.0, 2.0], [10.0, 1000.0])], "threads", "1/s", reaches={"a": [(5.0, 20.0), None]}
    )
    show(qtbot, curves)
    QTest.keyClick(curves, Qt.Key.Key_L)
    assert {"10", "100", "1,000"} <= {text for _, text in curves.ground.y_ticks}
    image = picture(curves)
    assert has_colour(image, theme.contender(0), QPointF(curves.area.px(2.0), curves.area.py(3.0)))
    top, bottom = (curves.area.py(log10(end)) for end in (20.0, 5.0))
    assert has_colour(image, theme.contender(0), QPointF(curves.area.px(1.0), (top + bottom) / 2 + 12))
    QTest.keyClick(curves, Qt.Key.Key_Right)
    assert curves.head.read_out() == "InnoDB 10.00 1/s", "the figure is as it was"
    curves.set_curves([(line, [1.0, 2.0], [0.0, None])], "threads", "1/s")
    QTest.keyClick(curves, Qt.Key.Key_L)
    QTest.keyClick(curves, Qt.Key.Key_L)
    assert not curves.scale.is_logarithmic


def test_values_without_a_logarithm_keep_the_scale(chart: TimeChart) -> None:
    for key in ("one", "two"):
        chart.track(key).clear()
        chart.track(key).extend(range(601), [0.0] * 601)
    chart.redraw()
    QTest.keyClick(chart, Qt.Key.Key_L)
    assert not chart.scale.is_logarithmic
    assert not entries(chart)["Logarithmic scale"].isEnabled()


def test_a_chosen_range_shows_mean_spread_and_count(chart: TimeChart) -> None:
    chart.track("two").clear()
    chart.track("two").extend(range(601), [30.0 + 20 * (t % 2) for t in range(601)])
    chart.axis.reset()
    assert not chart.figures.isVisible()
    mouse(chart, QEvent.Type.MouseButtonPress, 150.0)
    mouse(chart, QEvent.Type.MouseMove, 249.5)
    assert chart.figures.isVisible(), "while it is drawn, too"
    mouse(chart, QEvent.Type.MouseButtonRelease, 249.5)
    chart.axis.set_range(149.5, 249.5)
    between, one, two = chart.figures.told.splitlines()
    assert between == "2:30 to 4:10, mean ± sd, queries/s"
    assert one == "InnoDB: 100.0 ± 0 (n 50)", "a gap counts for nothing"
    assert two == "RocksDB: 40.00 ± 10.05 (n 100)"
    QTest.keyClick(chart, Qt.Key.Key_1)
    assert "InnoDB" not in chart.figures.told, "nor does what is hidden"
    QTest.keyClick(chart, Qt.Key.Key_Home)
    assert not chart.figures.isVisible()


def test_the_numbers_of_a_range_stay_in_one_line_without_n_where_the_room_is_short(
    qtbot: QtBot, theme: Theme
) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    figures = RangeFiguresLine(theme, "% of a core", parent)
    found = [(ChartLine(name, name, theme.contender(0)), "100.0 ± 10.24 (n 60)") for name in "abcd"]
    parent.resize(900, 60)
    show(qtbot, parent)
    for width, shown in ((1400, "(n 60)"), (540, "10.24")):
        parent.resize(width, 60)
        figures.setFixedWidth(width)
        figures.show_range((0.0, 60.0), "mean ± sd", found)
        assert figures.height() == LINE_HEIGHT and {place.top() for place in figures.places} == {0}
        assert all(value.endswith(shown) for value in figures.values)


def test_the_cursor_stands_where_a_value_was_measured(chart: TimeChart) -> None:
    chart.axis.set_range(100.0, 104.0)
    mouse(chart, QEvent.Type.MouseMove, 101.3)
    assert chart.axis.cursor == 101.0
    chart.axis.set_range(240.0, 260.0)
    QTest.keyClick(chart, Qt.Key.Key_2)
    mouse(chart, QEvent.Type.MouseMove, 250.3)
    assert chart.axis.cursor == pytest.approx(250.3, abs=0.05), "in a gap it stands where the mouse is"


def entries(chart: TimeChart) -> dict[str, QAction]:
    """Of the context menu."""
    return {action.text().replace("&", ""): action for action in chart.menu.build(QPoint(400, 200)).actions()}


def test_the_context_menu_does_what_it_says(chart: TimeChart, tmp_path: Path) -> None:
    menu = entries(chart)
    wanted = {
        "Copy picture",
        "Save picture…",
        "Reset view",
        "Logarithmic scale",
        "Show all series",
        "Maximise",
    }
    assert wanted <= menu.keys()
    QGuiApplication.clipboard().clear()
    menu["Copy picture"].trigger()
    assert QGuiApplication.clipboard().image().width() > SIZE[0]
    chart.axis.set_range(10.0, 20.0)
    menu["Reset view"].trigger()
    assert chart.axis.range[0] == 0.0 and chart.axis.is_growing
    only = menu["Only this series, in all charts"].menu()
    assert [action.text() for action in only.actions()] == ["InnoDB", "RocksDB"]
    only.actions()[1].trigger()
    assert drawn(chart) == ["RocksDB"]
    shown = entries(chart)["Shown series"].menu()
    assert [action.isChecked() for action in shown.actions()] == [False, True]
    shown.actions()[0].trigger()
    assert drawn(chart) == ["InnoDB", "RocksDB"]
    saved: list[object] = []
    chart.menu.saved.connect(lambda path, text: saved.append((path, text)))
    chart.menu.save(str(tmp_path / "qps.png"))
    assert saved == [(tmp_path / "qps.png", "qps.png is saved")]
    failed: list[object] = []
    chart.menu.failed.connect(failed.append)
    chart.menu.save(str(tmp_path / "missing" / "qps.png"))
    assert isinstance(failed[0], DynoError)


def test_the_menu_opens_by_key_and_names_the_entry_under_the_mouse(chart: TimeChart, qtbot: QtBot) -> None:
    at = chart.head.mapTo(chart, entry(chart.head, "RocksDB"))
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, at, chart.mapToGlobal(at))
    QApplication.sendEvent(chart, event)
    qtbot.waitUntil(lambda: QApplication.activePopupWidget() is not None)
    popup = QApplication.activePopupWidget()
    assert isinstance(popup, QMenu)
    texts = [action.text().replace("&", "") for action in popup.actions()]
    assert 'Only "RocksDB", in all charts' in texts
    popup.close()


def test_ctrl_c_copies_the_chart(chart: TimeChart) -> None:
    QGuiApplication.clipboard().clear()
    QTest.keyClick(chart, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().image().width() > SIZE[0]


@pytest.mark.parametrize("way", ["key", "title"])
def test_a_chart_is_maximised_and_goes_back(qtbot: QtBot, theme: Theme, way: str) -> None:
    page, other = QWidget(), TimeChart(theme, "CPU", "%")
    qtbot.addWidget(page)
    layout = QVBoxLayout(page)
    chart, label = TimeChart(theme, "QPS", "1/s"), QLabel("above")
    for each in (label, chart, other):
        layout.addWidget(each)
    page.resize(*SIZE)
    show(qtbot, page)
    before = chart.height()

    def toggle() -> None:
        if way == "key":
            QTest.keyClick(chart, Qt.Key.Key_F11)
        else:
            QTest.mouseDClick(chart.head, Qt.MouseButton.LeftButton, pos=QPoint(12, 8))

    toggle()
    QApplication.processEvents()
    assert not other.isVisible() and not label.isVisible() and chart.height() > 2 * before
    label.show()  # a page that knows nothing of it
    assert not label.isVisible()
    toggle()
    QApplication.processEvents()
    assert other.isVisible() and label.isVisible() and chart.height() == before
    toggle()
    QTest.keyClick(chart, Qt.Key.Key_Escape)
    assert other.isVisible()
    toggle()
    chart.hide()
    assert other.isVisible(), "nothing stays away with it"
