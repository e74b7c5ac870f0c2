"""Charts, judged by pixels that mean something: a curve is where its values are, a gap is a gap."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import (
    QGuiApplication,
    QImage,
    QWheelEvent,
)
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from app.core.errors import DynoError
from tests.ui.pixels import SIZE, has_colour, mouse, picture, show, spot
from ui.core.theme import SPACE, Theme
from ui.widgets.charts.bar_chart import BarChart
from ui.widgets.charts.head import LINE_HEIGHT, ChartHead
from ui.widgets.charts.line_chart import LineChart
from ui.widgets.charts.lines import ChartLine, Span
from ui.widgets.charts.pyramid import GrowingTimeSeries
from ui.widgets.charts.time_axis import TimeAxis
from ui.widgets.charts.time_chart import TimeChart
from ui.widgets.image import copy_image, save_image


def turn_wheel(chart: TimeChart, t: float, notches: int) -> None:
    view = chart.canvas.viewport()
    at = QPointF(chart.canvas.area.px(t), 50)
    none = Qt.MouseButton.NoButton
    wheel = QPoint(0, 120 * notches)
    phase = Qt.ScrollPhase.NoScrollPhase
    keys = Qt.KeyboardModifier.NoModifier
    event = QWheelEvent(at, QPointF(view.mapToGlobal(at)), QPoint(), wheel, none, keys, phase, False)
    QApplication.sendEvent(view, event)


@pytest.mark.parametrize("is_dark", [False, True])
def test_a_curve_is_where_its_values_are(chart: TimeChart, theme: Theme, is_dark: bool) -> None:
    theme.set_appearance("dark" if is_dark else "light")
    ours, theirs = theme.contender(0), theme.contender(1)
    chart.set_lines([ChartLine("one", "InnoDB", ours), ChartLine("two", "RocksDB", theirs)])
    image = picture(chart)
    for t in (50, 150, 350, 550):
        assert has_colour(image, ours, spot(chart, t, 100.0))
        assert has_colour(image, theirs, spot(chart, t, 40.0))
        assert not has_colour(image, ours, spot(chart, t, 70.0))
    assert image.pixelColor(spot(chart, 55, 85.0).toPoint()).rgb() == theme.colour("base").rgb()


def test_a_gap_is_a_gap(chart: TimeChart, theme: Theme) -> None:
    image = picture(chart)
    assert not any(has_colour(image, theme.contender(0), spot(chart, t, 100.0)) for t in range(205, 296, 5))
    assert has_colour(image, theme.contender(1), spot(chart, 250, 40.0))


def test_a_warm_up_is_shaded_and_a_step_has_its_name(chart: TimeChart, theme: Theme) -> None:
    before = picture(chart).pixelColor(spot(chart, 410, 70.0).toPoint())
    chart.set_spans([Span(400, 600, "step", "point-query"), Span(400, 420, "warmup"), Span(200, 300, "gap")])
    image = picture(chart)
    assert image.pixelColor(spot(chart, 410, 70.0).toPoint()) != before
    assert image.pixelColor(spot(chart, 500, 70.0).toPoint()) == before
    bound = image.pixelColor(spot(chart, 400, 70.0).toPoint())
    assert bound != before != image.pixelColor(spot(chart, 410, 70.0).toPoint())
    lane = [spot(chart, t, chart.canvas.area.y[1]) - QPointF(0, 9) for t in range(404, 460)]
    assert any(image.pixelColor(at.toPoint()).rgb() == theme.colour("muted").rgb() for at in lane)


def test_between_slices_the_cursor_reads_the_nearest_and_its_line_and_dot_are_there(
    chart: TimeChart, theme: Theme
) -> None:
    slices = GrowingTimeSeries(gap_s=30.0)
    slices.extend([100.0, 105.0, 110.0], [10.0, 20.0, 30.0])
    chart.set_tracks({"one": slices})
    chart.set_lines([ChartLine("one", "InnoDB", theme.contender(0))])
    chart.axis.set_range(95.0, 115.0)
    chart.axis.set_cursor(107.0)  # by keys: the mouse takes a sample
    assert chart.head.read_out().startswith("InnoDB 20")
    image = picture(chart)
    assert has_colour(image, theme.contender(0), spot(chart, 105.0, 20.0) + QPointF(2, 0), 1)
    assert has_colour(image, theme.colour("muted"), spot(chart, 105.0, 12.0), 1)
    assert not has_colour(image, theme.colour("muted"), spot(chart, 107.0, 12.0), 1)


def test_a_note_has_its_flag(chart: TimeChart, theme: Theme) -> None:
    chart.set_marks([(450.0, "checkpoint")])
    assert has_colour(picture(chart), theme.colour("accent"), spot(chart, 450, 70.0))


def test_ghosts_are_paler_and_dashes_have_gaps(chart: TimeChart, theme: Theme) -> None:
    plain = theme.contender(1)
    chart.set_lines(
        [ChartLine("one", "then", plain, faint=True), ChartLine("two", "now", plain, dashed=True)]
    )
    image = picture(chart)
    assert not has_colour(image, plain, spot(chart, 100, 100.0))
    spots = [spot(chart, t, 40.0).toPoint() for t in range(10, 590)]
    column = [QPoint(0, dy) for dy in (-1, 0, 1)]
    seen = [any(image.pixelColor(at + by).rgb() == plain.rgb() for by in column) for at in spots]
    assert 0.4 < sum(seen) / len(seen) < 0.85


def test_the_cursor_reads_out_every_value_with_its_unit(chart: TimeChart) -> None:
    mouse(chart, QEvent.Type.MouseMove, 100.0)
    assert chart.head.read_out() == "InnoDB 100.0 queries/s, RocksDB 40.00 queries/s"
    mouse(chart, QEvent.Type.MouseMove, 250.0)
    assert chart.head.read_out() == "InnoDB – queries/s, RocksDB 40.00 queries/s"  # noqa: RUF001
    QApplication.sendEvent(chart.canvas.viewport(), QEvent(QEvent.Type.Leave))
    assert chart.axis.cursor is None


def test_the_cursor_is_seen_and_goes_away(chart: TimeChart, theme: Theme) -> None:
    before = picture(chart)
    chart.axis.set_cursor(500.0)
    assert has_colour(picture(chart), theme.colour("muted"), spot(chart, 500, 70.0), near=1)
    chart.axis.set_cursor(100.0)
    chart.axis.set_cursor(None)
    assert picture(chart) == before


def test_charts_of_one_axis_share_cursor_and_range(qtbot: QtBot, theme: Theme) -> None:
    column, axis = QWidget(), TimeAxis()
    qtbot.addWidget(column)
    layout = QVBoxLayout(column)
    charts = [TimeChart(theme, name, unit) for name, unit in (("QPS", "1/s"), ("CPU", "%"))]
    for chart in charts:
        layout.addWidget(chart)
        axis.add(chart)
        chart.set_lines([ChartLine("one", "one", theme.contender(0))])
        chart.track("one").extend(range(101), [float(t) for t in range(101)])
    column.resize(*SIZE)
    show(qtbot, column)
    axis.reset()
    moved: list[object] = []
    axis.cursor_moved.connect(moved.append)
    mouse(charts[0], QEvent.Type.MouseMove, 50.0)
    assert [chart.head.read_out() for chart in charts] == ["one 50.00 1/s", "one 50.00 %"]
    assert len(moved) == 1
    turn_wheel(charts[1], 50.0, 3)
    assert charts[0].canvas.area.x == charts[1].canvas.area.x == axis.range


def test_it_follows_the_newest_in_steps_until_somebody_zooms(chart: TimeChart, qtbot: QtBot) -> None:
    axis = chart.axis
    heard: list[bool] = []
    axis.following_changed.connect(heard.append)
    axis.show_all()
    axis.follow()
    moves = []
    axis.range_changed.connect(lambda *_: moves.append(axis.range))
    for t in range(601, 901):
        chart.track("two").extend([float(t)], [40.0])
        axis.refresh()
        assert axis.range[0] == 0.0 <= t <= axis.range[1]
    assert 0 < len(moves) < 20
    mouse(chart, QEvent.Type.MouseButtonPress, 100.0)
    mouse(chart, QEvent.Type.MouseMove, 200.0)
    mouse(chart, QEvent.Type.MouseButtonRelease, 200.0)
    stays = axis.range
    assert stays == pytest.approx((100.0, 200.0), abs=1.5)
    chart.track("two").extend([901.0], [40.0])
    axis.refresh()
    assert (axis.range, axis.is_following) == (stays, False)
    QTest.keyClick(chart, Qt.Key.Key_End)
    assert axis.is_following
    assert axis.range[1] - axis.range[0] == pytest.approx(stays[1] - stays[0])
    assert axis.range[1] >= 901.0
    mouse(chart, QEvent.Type.MouseButtonDblClick, 0.0)
    assert axis.range[0] == 0.0
    assert heard == [True, False, True, False], "who looks at the whole follows no more"
    chart.track("two").extend([1901.0], [40.0])
    axis.refresh()
    assert axis.range[1] >= 1901.0, "but the whole grows"


def test_keys_move_zoom_and_return(chart: TimeChart) -> None:
    axis = chart.axis
    chart.setFocus()
    QTest.keyClick(chart, Qt.Key.Key_Left)
    assert axis.cursor == 600.0
    QTest.keyClick(chart, Qt.Key.Key_Left)
    step = 600.0 - (axis.cursor or 0)
    QTest.keyClick(chart, Qt.Key.Key_Left, Qt.KeyboardModifier.ControlModifier)
    assert axis.cursor == pytest.approx(600.0 - 11 * step)
    assert "queries/s" in chart.accessibleDescription()
    QTest.keyClick(chart, Qt.Key.Key_Plus)
    assert axis.range[1] - axis.range[0] == pytest.approx(300.0)
    before = axis.range
    QTest.keyClick(chart, Qt.Key.Key_Left, Qt.KeyboardModifier.ShiftModifier)
    assert axis.range[0] == pytest.approx(before[0] - 30.0)
    QTest.keyClick(chart, Qt.Key.Key_Minus)
    QTest.keyClick(chart, Qt.Key.Key_Escape)
    assert axis.cursor is None
    QTest.keyClick(chart, Qt.Key.Key_Home)
    assert axis.is_growing and not axis.is_following and axis.range[0] == 0.0


def test_a_click_gives_it_the_keyboard(chart: TimeChart, qtbot: QtBot) -> None:
    chart.activateWindow()
    chart.clearFocus()
    QTest.mouseClick(chart.canvas.viewport(), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(chart.hasFocus)


def test_the_range_is_moved_with_shift_and_mouse(chart: TimeChart) -> None:
    chart.axis.set_range(200.0, 300.0)
    mouse(chart, QEvent.Type.MouseButtonPress, 250.0, shifted=True)
    mouse(chart, QEvent.Type.MouseMove, 270.0, shifted=True)
    mouse(chart, QEvent.Type.MouseButtonRelease, 270.0, shifted=True)
    assert chart.axis.range == pytest.approx((180.0, 280.0), abs=1.0)


def test_the_wheel_zooms_around_the_mouse(chart: TimeChart) -> None:
    turn_wheel(chart, 150.0, 2)
    first, last = chart.axis.range
    assert last - first == pytest.approx(600.0 * 0.8**2, rel=0.01)
    assert (150.0 - first) / (last - first) == pytest.approx(150.0 / 600.0, abs=0.01)
    turn_wheel(chart, 150.0, 60)
    assert chart.axis.range[1] - chart.axis.range[0] == pytest.approx(2.0)
    turn_wheel(chart, 150.0, -90)
    assert chart.axis.range == pytest.approx((0.0, 603.0))


def test_nothing_to_show_is_no_trouble(qtbot: QtBot, theme: Theme) -> None:
    chart = TimeChart(theme, "QPS", "")
    lines, bars = LineChart(theme, "QPS over threads"), BarChart(theme, "Write")
    for widget in (chart, lines, bars):
        qtbot.addWidget(widget)
        show(qtbot, widget)
    chart.axis.refresh()
    chart.set_lines([ChartLine("one", "one", theme.contender(0))])
    chart.track("one").extend(range(10), [None] * 10)
    chart.axis.reset()
    QTest.keyClick(chart, Qt.Key.Key_Left)
    lines.set_curves([], "threads", "queries/s")
    bars.set_bars([], [], "relative")
    for widget in (chart, lines, bars):
        QTest.keyClick(widget, Qt.Key.Key_Right)
        picture(widget)


def test_a_legend_begins_beside_its_title_if_that_saves_a_line(qtbot: QtBot, theme: Theme) -> None:
    head = ChartHead(theme, "Client threads", "%")
    qtbot.addWidget(head)
    lines = [
        ChartLine(name, name, theme.colour("accent")) for name in ("running", "fsync", "commit", "network")
    ]
    seen = []
    for width in range(900, 200, -5):
        head.resize(width, LINE_HEIGHT)
        head.set_lines(lines, widest="88.88")
        seen.append((head.height() // LINE_HEIGHT, head.places[0].y()))
    assert [*dict.fromkeys(seen)][:3] == [(1, 0), (2, LINE_HEIGHT), (2, 0)]


def test_a_single_sample_between_gaps_is_seen(chart: TimeChart, theme: Theme) -> None:
    chart.track("one").clear()
    chart.track("one").extend([0.0, 300.0, 600.0], [None, 80.0, None])
    chart.redraw()
    assert has_colour(picture(chart), theme.contender(0), spot(chart, 300, 80.0))


def test_lines_are_kept_or_go(chart: TimeChart, theme: Theme) -> None:
    chart.set_lines([ChartLine("two", "RocksDB", theme.contender(2))])
    image = picture(chart)
    assert has_colour(image, theme.contender(2), spot(chart, 100, 40.0))
    column = range(round(spot(chart, 100, 0.0).y()))
    gone = theme.contender(0).rgb()
    assert all(image.pixelColor(round(spot(chart, 100, 0.0).x()), y).rgb() != gone for y in column)
    assert "InnoDB" not in chart.head.read_out()


def test_a_hidden_chart_is_painted_when_it_is_seen(chart: TimeChart, theme: Theme, qtbot: QtBot) -> None:
    chart.hide()
    chart.track("two").extend([float(t) for t in range(601, 1200)], [70.0] * 599)
    chart.axis.reset()
    show(qtbot, chart)
    assert has_colour(picture(chart), theme.contender(1), spot(chart, 1000, 70.0))


def test_one_paint_a_tick(chart: TimeChart, qtbot: QtBot) -> None:
    painted: list[int] = []
    plain = chart.canvas.paintEvent
    chart.canvas.paintEvent = lambda event: (painted.append(1), plain(event))
    QApplication.processEvents()
    painted.clear()
    chart.axis.reset()
    QApplication.processEvents()
    painted.clear()
    for t in range(601, 611):
        chart.track("two").extend([float(t)], [41.0])
        chart.axis.refresh()
        QApplication.processEvents()
    assert len(painted) == 10


def test_a_chart_is_saved_and_copied(chart: TimeChart, theme: Theme, tmp_path: Path) -> None:
    save_image(chart, tmp_path / "chart.png")
    image = QImage(str(tmp_path / "chart.png"))
    assert (image.width(), image.height()) == (2 * (SIZE[0] + 2 * SPACE), 2 * (SIZE[1] + 2 * SPACE))
    assert has_colour(image, theme.contender(0), (spot(chart, 100, 100.0) + QPointF(SPACE, SPACE)) * 2)
    save_image(chart, tmp_path / "chart.svg")
    text = (tmp_path / "chart.svg").read_text()
    assert theme.contender(0).name() in text
    assert "InnoDB" in text and "<image" not in text
    copy_image(chart)
    assert QGuiApplication.clipboard().image().width() == image.width()


@pytest.mark.parametrize("name", ["missing/chart.png", "missing/chart.svg", "chart.nothing"])
def test_what_cannot_be_written_is_told(chart: TimeChart, tmp_path: Path, name: str) -> None:
    with pytest.raises(DynoError, match="cannot be written"):
        save_image(chart, tmp_path / name)


@pytest.mark.parametrize("make", [TimeChart, LineChart, BarChart])
def test_charts_have_a_name(qtbot: QtBot, theme: Theme, make: Callable[..., QWidget]) -> None:
    chart = make(theme, "QPS", "queries/s")
    qtbot.addWidget(chart)
    assert chart.accessibleName() == "QPS, queries/s"
