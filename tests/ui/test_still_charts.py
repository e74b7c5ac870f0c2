"""Error bars, stacks, percentiles and names beside curves, judged by pixels and by what is told."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from tests.ui.pixels import SIZE, has_colour, picture, show
from ui.core.theme import Theme
from ui.widgets.charts.bar_chart import BarChart, StackedBars
from ui.widgets.charts.frame import ROW
from ui.widgets.charts.line_chart import LineChart, PercentileChart
from ui.widgets.charts.lines import ChartLine
from ui.widgets.charts.still import StillChart
from ui.widgets.image import save_image

Shown = Callable[..., StillChart]
WHERE = {50.0: 0.301, 90.0: 1.0, 95.0: 1.301, 99.0: 2.0}


@pytest.fixture
def shown(qtbot: QtBot, theme: Theme) -> Shown:
    def make(kind: type[StillChart], size: tuple[int, int] = SIZE) -> StillChart:
        made = kind(theme, "Figures")
        qtbot.addWidget(made)
        made.resize(*size)
        show(qtbot, made)
        return made

    return make


def lines(theme: Theme, count: int) -> list[ChartLine]:
    return [ChartLine(f"{at}", f"contender-{at}", theme.contender(at)) for at in range(count)]


# error bars


def test_an_error_bar_spans_the_repeats_and_is_missing_where_there_are_none(
    shown: Shown, theme: Theme
) -> None:
    chart = shown(BarChart)
    assert isinstance(chart, BarChart)
    one, other = lines(theme, 2)
    bars = [(one, [1.0, 1.0]), (other, [0.5, None])]
    chart.set_bars(["insert", "delete"], bars, "", 1.0, {"0": [(0.8, 1.6), None], "1": [None, None]})
    image = picture(chart)
    places = {(line.key, category): place for line, category, _, place in chart.places()}
    for value, is_there in ((0.85, True), (1.55, True), (1.75, False)):
        spot = QPointF(places["0", 0].center().x(), chart.area.py(value))
        assert has_colour(image, theme.colour("text"), spot, near=1) == is_there
    for key in (("0", 1), ("1", 0)):
        spot = QPointF(places[key].center().x(), places[key].top() + 10)
        assert not has_colour(image, theme.colour("text"), spot, near=1)
    assert chart.area.y[1] >= 1.6


def test_points_of_a_curve_have_error_bars(shown: Shown, theme: Theme) -> None:
    chart = shown(LineChart)
    assert isinstance(chart, LineChart)
    (line,) = lines(theme, 1)
    chart.set_curves([(line, [1, 2], [100.0, 100.0])], "threads", "", True, {"0": [(50.0, 190.0), None]})
    image, area = picture(chart), chart.area
    assert has_colour(image, line.colour, QPointF(area.px(0.0), area.py(180.0)), near=1)
    assert not has_colour(image, line.colour, QPointF(area.px(1.0), area.py(180.0)))


# parts


def test_parts_stand_on_one_another(shown: Shown, theme: Theme) -> None:
    chart = shown(StackedBars)
    assert isinstance(chart, StackedBars)
    tables, redo = (ChartLine(part, part, theme.part(part)) for part in ("tables", "redo"))
    chart.set_bars(
        ["innodb", "rocksdb", "failed"], [(tables, [60, 20, None]), (redo, [40, None, None])], "MiB", None
    )
    places = {(line.key, at): place for line, at, _, place in chart.places()}
    assert set(places) == {("tables", 0), ("redo", 0), ("tables", 1)}
    assert places["redo", 0].bottom() == places["tables", 0].top()
    assert places["redo", 0].height() == pytest.approx(places["tables", 1].height() * 2)
    assert [(at, whole) for at, whole, _ in chart.written()] == [(0, 100.0), (1, 20.0)]
    image = picture(chart)
    assert all(has_colour(image, theme.part(part), place.center(), 0) for (part, _), place in places.items())
    QTest.keyClick(chart, Qt.Key.Key_Right)
    assert chart.accessibleDescription() == "innodb: tables 60.00 MiB, redo 40.00 MiB"


# percentiles


def test_latencies_stand_by_their_logarithm(shown: Shown, theme: Theme) -> None:
    chart = shown(PercentileChart)
    assert isinstance(chart, PercentileChart)
    one, other = lines(theme, 2)
    percents = list(WHERE)
    curves = [(one, percents, [1.0, 10.0, 20.0, 100.0]), (other, percents[:2], [1.0, None])]
    chart.set_percentiles(curves, "ms/query", WHERE, (50.0, 90.0, 99.0, 99.9))
    assert [text for _, text in chart.ground.x_ticks] == ["50", "90", "99"]
    image, area = picture(chart), chart.area
    middle = QPointF(area.px(1.0), (area.py(0.0) + area.py(2.0)) / 2)
    assert has_colour(image, one.colour, middle)  # 10 ms is half of the way from 1 to 100
    QTest.keyClick(chart, Qt.Key.Key_End)
    assert chart.accessibleDescription().startswith("p99: contender-0 100.0 ms/query, contender-1 –")  # noqa: RUF001


# names beside curves


def test_names_stand_beside_curves_that_end_apart(shown: Shown, theme: Theme) -> None:
    chart = shown(LineChart)
    assert isinstance(chart, LineChart)
    apart = [(line, [1, 2], [10.0, 100.0 * at]) for at, line in enumerate(lines(theme, 4), 1)]
    chart.set_curves(apart, "threads", "queries/s")
    assert len(chart.name_places) == 4 and chart.name_places == sorted(chart.name_places, reverse=True)
    assert chart.head.is_brief
    image, area = picture(chart), chart.area
    beside = [QPointF(x, chart.name_places[0]) for x in range(round(area.plot.right()) + 4, chart.width())]
    assert any(has_colour(image, apart[0][0].colour, at, near=4) for at in beside)
    together = [(line, [1, 2], [10.0, 100.0]) for line in lines(theme, 8)]
    empty = (lines(theme, 3)[2], [1, 2], [None, None])  # what has no curve is named all the same
    for curves in (together, [*apart[:2], empty]):
        chart.set_curves(curves, "threads", "queries/s")
        assert chart.name_places == [] and not chart.head.is_brief


def test_names_that_would_fit_below_a_legend_do_not_come_to_it(shown: Shown, theme: Theme) -> None:
    """The lower the chart, the nearer to the end of its curve each name stands."""
    chart = shown(LineChart)
    assert isinstance(chart, LineChart)
    ends = (52.3, 34.0, 93.6, 50.2, 67.0, 21.4, 55.4, 132.8)
    points = [(line, [4], [end]) for line, end in zip(lines(theme, 8), ends, strict=True)]
    for height in range(150, 300, 6):
        chart.resize(1000, height)
        chart.set_curves(points, "threads", "queries/s")
        assert bool(chart.name_places) == chart.head.is_brief


def test_values_at_the_cursor_are_told_beside_the_curves(shown: Shown, theme: Theme) -> None:
    chart = shown(LineChart)
    assert isinstance(chart, LineChart)
    chart.set_curves([(line, [1, 2], [1.0, 9.0 * at]) for at, line in enumerate(lines(theme, 2))], "", "")
    before = picture(chart)
    QTest.keyClick(chart, Qt.Key.Key_Right)
    right = range(round(chart.area.plot.right()) + 2, chart.width())
    heights = range(round(min(chart.name_places)) - 6, round(min(chart.name_places)) + 6)
    after = picture(chart)
    assert any(before.pixel(x, y) != after.pixel(x, y) for x in right for y in heights)


# long names


@pytest.mark.parametrize("width", [600, 960, 1240])
def test_no_name_of_a_step_is_cut_or_left_out_where_rows_of_them_have_room(
    shown: Shown, theme: Theme, width: int
) -> None:
    chart = shown(BarChart, (width, 168))
    assert isinstance(chart, BarChart)
    count = width // 75
    names = [f"read-only.range1000 x{at}" for at in range(count)]
    chart.set_bars(names, [(line, [1.0] * count) for line in lines(theme, 8)], "")
    assert [text for _, text in chart.ground.x_ticks] == names
    image, plot = picture(chart), chart.area.plot
    muted = theme.colour("muted").rgb()
    for at in range(count):
        row = at % chart.ground.rows
        y = range(round(plot.bottom()) + 4 + ROW * row, round(plot.bottom()) + 16 + ROW * row)
        left = min(round(chart.area.px(at)), image.width() - 60)
        assert any(image.pixel(x, each) == muted for x in range(left - 20, left + 20) for each in y), names[
            at
        ]


def test_long_names_take_nothing_from_the_bars(shown: Shown, theme: Theme) -> None:
    heights = []
    for name in ("scan", "read-only.range10000 x128"):
        chart = shown(BarChart, (600, 100))
        assert isinstance(chart, BarChart)
        chart.set_bars(
            [f"{name}{at}" for at in range(8)], [(line, [1.0] * 8) for line in lines(theme, 2)], ""
        )
        heights.append(chart.area.plot.height())
    assert heights[0] == heights[1] > 0


def test_a_head_that_is_cut_is_told_in_full_beside_the_mouse(shown: Shown, theme: Theme) -> None:
    chart = shown(BarChart, (240, 168))
    told = "CPU of the machine per query, of the base, less is better"
    for unit, tip in ((told, f"Figures, {told}"), ("s", "")):
        chart.set_title("Figures", unit)
        assert chart.head.toolTip() == tip


# missing cells


@pytest.mark.parametrize("count", [1, 8])
@pytest.mark.parametrize("size", [SIZE, (300, 130), (40, 40)], ids=str)
def test_missing_figures_never_break_a_chart(
    shown: Shown, theme: Theme, count: int, size: tuple[int, int], tmp_path: Path
) -> None:
    given = lines(theme, count)
    bars, stack, curve, latency = (
        shown(kind, size) for kind in (BarChart, StackedBars, LineChart, PercentileChart)
    )
    assert isinstance(bars, BarChart) and isinstance(stack, StackedBars)
    assert isinstance(curve, LineChart) and isinstance(latency, PercentileChart)
    for steps in ([], ["one step"], ["one", "another"]):
        none = [None] * len(steps)
        bars.set_bars(steps, [(line, none) for line in given], "", 1.0, {line.key: none for line in given})
        stack.set_bars(steps, [(line, none) for line in given], "MiB", None)
        curve.set_curves([(line, range(len(steps)), none) for line in given], "threads", "", True)
        latency.set_percentiles(
            [(line, list(WHERE)[: len(steps)], none) for line in given], "ms", WHERE, WHERE
        )
        for chart in (bars, stack, curve, latency):
            QTest.keyClick(chart, Qt.Key.Key_Right)
            picture(chart)
            save_image(_whole(chart), tmp_path / "chart.svg")


def _whole(chart: StillChart) -> QWidget:
    return chart


@pytest.fixture
def bars(qtbot: QtBot, theme: Theme) -> BarChart:
    made = BarChart(theme, "Write")
    qtbot.addWidget(made)
    made.resize(*SIZE)
    ours, theirs = ChartLine("a", "InnoDB", theme.contender(0)), ChartLine("b", "RocksDB", theme.contender(1))
    made.set_bars(["insert", "delete"], [(ours, [1.0, 1.0]), (theirs, [1.5, None])], "relative to InnoDB")
    show(qtbot, made)
    return made


def test_bars_stand_to_their_values(bars: BarChart, theme: Theme) -> None:
    image = picture(bars)
    places = {(line.key, category): place for line, category, _, place in bars.places()}
    assert set(places) == {("a", 0), ("a", 1), ("b", 0)}
    for (key, _), place in places.items():
        colour = theme.contender(0 if key == "a" else 1)
        assert has_colour(image, colour, place.center(), near=0)
        assert not has_colour(image, colour, QPointF(place.center().x(), place.top() - 4), near=1)
    assert places["b", 0].height() == pytest.approx(1.5 * places["a", 0].height())
    base = QPointF(bars.area.plot.left() + 4, bars.area.py(1.0))
    assert has_colour(image, theme.colour("text"), base, near=1)


def test_long_names_of_bars_take_turns(bars: BarChart, theme: Theme) -> None:
    names = [f"read-write.range{at}" for at in range(8)]
    height = bars.area.plot.height()
    bars.set_bars(names, [(ChartLine("a", "InnoDB", theme.contender(0)), [1.0] * 8)], "relative to InnoDB")
    assert [text for _, text in bars.ground.x_ticks] == names
    assert bars.area.plot.height() < height


def test_bars_are_read_out(bars: BarChart) -> None:
    QTest.keyClick(bars, Qt.Key.Key_Right)
    assert bars.accessibleDescription() == (
        "insert: InnoDB 1.00 relative to InnoDB, RocksDB 1.50 relative to InnoDB"
    )
    QTest.keyClick(bars, Qt.Key.Key_Right)
    assert bars.accessibleDescription().startswith("delete: InnoDB 1.00 relative to InnoDB, RocksDB –")  # noqa: RUF001


def test_curves_over_threads(qtbot: QtBot, theme: Theme) -> None:
    chart = LineChart(theme, "QPS over threads")
    qtbot.addWidget(chart)
    chart.resize(*SIZE)
    colour = theme.contender(0)
    xs, ys = [1, 2, 4, 8, 16], [100.0, 200.0, None, 600.0, 700.0]
    chart.set_curves(
        [(ChartLine("a", "InnoDB", colour), xs, ys)], "threads", "queries/s", is_logarithmic=True
    )
    show(qtbot, chart)
    image = picture(chart)
    area, stands = chart.area, chart.stands()
    for stand, y in zip(stands, ys, strict=True):
        if y is not None:
            assert has_colour(image, colour, QPointF(area.px(stand), area.py(y)))
    between = QPointF(area.px((stands[1] + stands[3]) / 2), area.py(400.0))
    assert not has_colour(image, colour, between, near=6)
    QTest.mouseMove(chart, QPoint(round(area.px(stands[3])), round(area.py(100.0))))
    qtbot.waitUntil(lambda: "8 threads: InnoDB 600.0 queries/s" in chart.accessibleDescription())
