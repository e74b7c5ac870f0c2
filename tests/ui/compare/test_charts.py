"""Beside the table: measures, charts, what differs, copies and pictures."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QPoint, Qt
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QComboBox,
    QFileDialog,
    QLayoutItem,
    QLineEdit,
    QPlainTextEdit,
    QWidget,
)
from pytestqt.qtbot import QtBot
from shiboken6 import Shiboken

from app.core.units import bytes_text
from app.protocol.plan import Step
from tests.ui.compare.seen import FAILED, Open, choose, panel, texts
from tests.ui.find import find
from ui.dialogs.report import ReportDialog
from ui.pages.compare import ComparePage
from ui.pages.compare.bars import BarsPanel, pack
from ui.pages.compare.differing import DifferencesPanel
from ui.pages.compare.heat import HeatPanel
from ui.pages.compare.rates import RatesPanel
from ui.pages.compare.seconds import SecondsPanel
from ui.pages.compare.sweeps import SweepChartPanel
from ui.widgets.charts.heat_chart import HeatChart
from ui.widgets.table import LineSelectTable


def test_another_measure(qtbot: QtBot, opened: Open, page: ComparePage) -> None:
    opened()
    combo = find(page, QComboBox, "Measure")
    combo.setCurrentIndex(combo.findText("CPU per query"))
    qtbot.waitUntil(lambda: "us/query" in {row[2] for row in texts(page)})
    assert {row[2] for row in texts(page) if row[2]} == {"us/query"}
    combo.setCurrentIndex(combo.findText("KiB written by the device per query"))
    qtbot.waitUntil(lambda: texts(page) == [])


def test_bars_of_each_group(qtbot: QtBot, opened: Open, page: ComparePage) -> None:
    opened(failed=FAILED)
    bars = panel(qtbot, page, BarsPanel)
    shown = [chart for chart in bars.charts if chart.isVisibleTo(bars)]
    assert [chart.accessibleName() for chart in shown] == [
        "load, rows/s, base = 1", "load, s, base = 1, less is better",
        "point-query, queries/s, base = 1", "write-heavy, queries/s, base = 1",
        "scan-heavy, queries/s, base = 1",
    ]  # fmt: skip
    assert {line.label for line, *_ in shown[-1].places()} == {"innodb"}, "what failed has no bar"


def test_bars_say_what_a_cost_is_of(qtbot: QtBot, opened: Open, page: ComparePage) -> None:
    steps = [*swept("scan", "rows/s", threads=(1, 4)), *swept("point-query", "queries/s", threads=(1, 4))]
    opened(its_steps=steps)
    combo = find(page, QComboBox, "Measure")
    combo.setCurrentIndex(combo.findText("CPU per query"))
    bars = panel(qtbot, page, BarsPanel)
    told = {
        "read, CPU per row, base = 1, less is better",
        "read, CPU per query, base = 1, less is better",
    }
    qtbot.waitUntil(lambda: {chart.accessibleName() for chart in bars.charts[:2]} == told)
    choose(page, "scan")
    sweep = panel(qtbot, page, SweepChartPanel)
    assert sweep.chart
    assert sweep.chart.accessibleName() == "scan over threads: CPU per row, us/row, less is better"


def test_bars_of_one_column_are_figures(qtbot: QtBot, opened: Open, page: ComparePage) -> None:
    opened(1)
    bars = panel(qtbot, page, BarsPanel)
    assert page.body.is_relative
    assert bars.charts[0].accessibleName() == "load, rows/s"
    assert next(bars.charts[0].places())[2] > 1000.0


def test_no_chart_is_ever_a_window_of_its_own(qtbot: QtBot, opened: Open, page: ComparePage) -> None:
    shown: list[QWidget] = []
    for at in range(len(page.body.panels)):
        page.body.tabs.setCurrentIndex(at)
        opened(2, number=at + 1)
        shown += [each for each in QApplication.topLevelWidgets() if each.isVisible() and each is not page]
    assert shown == []
    assert page.isActiveWindow()


def test_charts_of_few_bars_share_a_line() -> None:
    assert pack([240, 240, 600, 100, 700], 640) == [[0, 1], [2], [3], [4]]
    assert pack([900], 640) == [[0]]
    assert pack([], 640) == []


def test_bars_laid_out_again_leave_nothing_behind(qtbot: QtBot, opened: Open, page: ComparePage) -> None:
    """What PySide still holds for an item of a deleted layout crashes the window: see `_provide_lines`."""
    opened()
    bars = panel(qtbot, page, BarsPanel)
    held, lines = [], []
    for width in (300, 2000) * 5:
        bars.resize(width, 600)
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
        QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest.value)
        held.append(sum(isinstance(each, QLayoutItem) for each in Shiboken.getAllValidWrappers()))
        shown = [chart for chart in bars.charts if chart.isVisibleTo(bars)]
        lines.append(len({chart.mapTo(bars, QPoint()).y() for chart in shown}))
    assert lines[0] > lines[1]
    assert len(set(held[2:])) == 1


def swept(name: str, unit: str, **swept: tuple[int, ...]) -> list[Step]:
    """A step at every point of its sweep."""
    points = [dict(zip(swept, values, strict=True)) for values in product(*swept.values())]
    return [
        Step(
            name=name, kind="drive", workload=name, group="read", unit=unit, coordinates=point,
            threads=point.get("threads", 1), seconds=2,
        )
        for point in points
    ]  # fmt: skip


def test_a_sweep_over_threads_and_cores(qtbot: QtBot, opened: Open, page: ComparePage) -> None:
    opened(its_steps=swept("point-query", "ms", cores=(1, 2), threads=(1, 8, 1024)))
    shown = panel(qtbot, page, SweepChartPanel)
    over = find(shown, QComboBox, "Over")
    choose(page, "point-query")
    assert texts(page)[1][0] == "point-query, 1 core"
    assert shown.chart and over.isVisible()
    assert [list(xs) for _, xs, _ in shown.chart.curves] == [[1.0, 8.0, 1024.0]] * 2
    assert shown.chart.stands() == [0, 3, 10]  # by their logarithm
    assert "less is better" in shown.chart.accessibleName()
    over.setCurrentIndex(over.findData("cores"))
    over.activated.emit(over.currentIndex())
    assert [list(xs) for _, xs, _ in shown.chart.curves] == [[1.0, 2.0]] * 2
    assert shown.chart.accessibleName().startswith("point-query, 1 thread over cores, ms")


def test_latency_over_rates_is_drawn(qtbot: QtBot, opened: Open, page: ComparePage) -> None:
    opened(its_steps=swept("point-query", "queries/s", rate=(100, 200, 800)))
    shown = panel(qtbot, page, RatesPanel)
    choose(page, "point-query")
    assert shown.chart and shown.chart.isVisible()
    assert shown.chart.accessibleName() == "point-query: p99 over events/s, ms/query, less is better"
    assert [list(xs) for _, xs, _ in shown.chart.curves] == [[100.0, 200.0, 800.0]] * 2
    assert shown.chart.stands()[2] == pytest.approx(shown.chart.stands()[1] + 2)  # by their logarithm
    row = page.body.table.figures.row_at(1)
    assert row and shown.chart.curves[0][2][1] == row.measures["p99_ms"][0].value
    percentile = find(shown, QComboBox, "Percentile")
    percentile.setCurrentText("p50")
    percentile.activated.emit(0)
    assert shown.chart.curves[0][2][1] == row.measures["p50_ms"][0].value
    heads, *lines = shown.csv().splitlines()
    assert heads.startswith("step,rate (events/s),contender,achieved (queries/s),p50 (ms/query)")
    assert len(lines) == 6
    sweep = panel(qtbot, page, SweepChartPanel)
    assert sweep.chart and sweep.chart.accessibleName() == "point-query over rate, queries/s"


def test_steps_without_rates_have_no_latency_over_them(qtbot: QtBot, opened: Open, page: ComparePage) -> None:
    opened()
    shown = panel(qtbot, page, RatesPanel)
    choose(page, "update-index")
    assert shown.chart and not shown.chart.isVisible()
    assert "fewer than two rates" in shown.remark.text() and shown.csv() == ""


def test_sizes_over_rows(qtbot: QtBot, opened: Open, page: ComparePage) -> None:
    opened(its_steps=swept("size", "bytes", volume_rows=(1_000_000, 5_000_000)))
    shown = panel(qtbot, page, SweepChartPanel)
    choose(page, "size", 1)
    assert shown.chart and not find(shown, QComboBox, "Over").isVisible()
    assert [text for _, text in shown.chart.ground.x_ticks] == ["1M", "5M"]
    assert shown.chart.accessibleName() == "size over rows, MiB, less is better"
    page.controls.turn()
    row = page.body.table.figures.row_at(1)
    assert row and row.direction == "lower"
    assert texts(page)[1][-1] == bytes_text(row.cells[1].value or 0)
    assert shown.chart.curves[1][2][0] == (row.cells[1].value or 0) / 2**20


def test_a_sweep_follows_the_step(qtbot: QtBot, opened: Open, page: ComparePage) -> None:
    opened()
    shown = panel(qtbot, page, SweepChartPanel)
    choose(page, "update-index")
    assert shown.chart and shown.chart.isVisible()
    assert [list(xs) for _, xs, _ in shown.chart.curves] == [[1.0, 4.0]] * 2
    choose(page, "load")
    assert not shown.chart.isVisible()
    assert "no sweep over threads" in shown.remark.text()


def test_a_heat_map_for_each_column(qtbot: QtBot, opened: Open, page: ComparePage) -> None:
    opened(2, repeats=3)
    shown = panel(qtbot, page, HeatPanel)
    choose(page, "point-query")
    qtbot.waitUntil(lambda: len(shown.charts) == 2)
    assert [chart.accessibleName() for chart in shown.charts] == ["Latency, ms/query, n = 3"] * 2
    shown.charts[0].axis.set_cursor(2.5)
    assert all(": 3,000 events, " in chart.cursor_text for chart in shown.charts)
    assert shown.charts[0].limits == shown.charts[1].limits
    assert shown.csv().splitlines()[0] == "second (s),contender,from (ms),to (ms),events,share (%),n"
    assert shown.remark.text().endswith("all events of the repeats together")
    shown.hidden.toggle(shown.shown.lines[0].owner, shown.shown.lines)  # type: ignore[union-attr]
    assert [chart.isVisibleTo(shown) for chart in shown.charts] == [False, True]
    shown.hidden.show_all()
    opened(1, number=2)
    choose(page, "point-query")
    qtbot.waitUntil(lambda: len(shown.charts) == 1 and shown.charts[0].isVisibleTo(shown))
    made = shown.findChildren(HeatChart)
    assert [chart.isVisibleTo(shown) for chart in made] == [True, False]
    opened(2, number=3)
    choose(page, "point-query")
    qtbot.waitUntil(lambda: [chart.isVisibleTo(shown) for chart in made] == [True, True])
    choose(page, "settle")
    qtbot.waitUntil(lambda: "no latencies by second" in shown.remark.text())
    assert not shown.picture.isVisibleTo(shown) and shown.csv() == ""


def test_seconds_of_all_sessions_from_the_start_of_the_step(
    qtbot: QtBot, opened: Open, page: ComparePage
) -> None:
    ids = opened(2, repeats=2)
    shown = panel(qtbot, page, SecondsPanel)
    choose(page, "update-index")
    qtbot.waitUntil(lambda: shown.remark.text() == "update-index, threads 1" and shown.chart is not None)
    assert shown.chart
    assert {line.key for line in shown.chart.head.lines} == set(ids)
    assert [line.faint for line in shown.chart.head.lines] == [False, True] * 2
    for id_ in ids:
        track = shown.chart.track(id_)
        assert (track.first, track.last) == (-2.0, 4.0)


def test_seconds_of_another_series(qtbot: QtBot, opened: Open, page: ComparePage) -> None:
    opened()
    shown = panel(qtbot, page, SecondsPanel)
    choose(page, "point-query")
    series = find(shown, QComboBox, "Series")
    qtbot.waitUntil(lambda: series.count() > 0)
    at = series.findData("server.cpu_pct")
    series.setCurrentIndex(at)
    series.activated.emit(at)
    qtbot.waitUntil(lambda: shown.chart is not None and "server.cpu_pct" in shown.chart.accessibleName())


def test_what_differs(qtbot: QtBot, opened: Open, page: ComparePage) -> None:
    opened()
    shown = panel(qtbot, page, DifferencesPanel)
    model = find(shown, LineSelectTable).model()
    qtbot.waitUntil(lambda: model.rowCount() > 0)
    names = [model.index(row, 0).data() for row in range(model.rowCount())]
    assert names == [
        "parity", "file access", "variables", "io_capacity", "preset", "sort_buffer_size",
        "contender", "engine",
    ]  # fmt: skip
    find(shown, QLineEdit).setText("sort 2097152")
    names = [model.index(row, 0).data() for row in range(model.rowCount())]
    assert names == ["preset", "sort_buffer_size"]
    assert "2.0 MiB" in model.index(1, 2).data(Qt.ItemDataRole.ToolTipRole)


# for other programs


@pytest.mark.parametrize(
    ("form", "begin"), [("text", "all columns: "), ("Markdown", "all columns: "), ("CSV", "workload,")]
)
def test_copies(qtbot: QtBot, opened: Open, page: ComparePage, form: str, begin: str) -> None:
    opened()
    with qtbot.waitSignal(page.context.bus.said):
        next(each for each in page.commands.copying if form in each.text().replace("&", "")).trigger()
    assert QGuiApplication.clipboard().text().startswith(begin)


@pytest.mark.parametrize("ending", ["png", "svg"])
def test_pictures(
    qtbot: QtBot,
    opened: Open,
    page: ComparePage,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    ending: str,
) -> None:
    opened(3)
    panel(qtbot, page, BarsPanel)
    for name, save in (("table", page.sharing.save_table), ("chart", page.sharing.save_chart)):
        path = tmp_path / f"{name}.{ending}"
        asked = (str(path), "")
        monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_, asked=asked: asked)
        with qtbot.waitSignal(page.context.bus.saved):
            save()
        if ending == "png":
            assert QImage(str(path)).width() > 600
        else:
            assert "<svg" in path.read_text()


def test_a_picture_that_cannot_be_saved_is_told(
    opened: Open, page: ComparePage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened()
    path = tmp_path / "missing" / "a.png"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    page.sharing.save_table()
    assert "cannot be written" in page.message.text


def test_a_report_is_saved(
    qtbot: QtBot, opened: Open, page: ComparePage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its title, sections and text are asked for, then its file; the window does not wait for it."""
    opened(3)
    asked = (str(tmp_path / "mine"), "Web page (*.html)")
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: asked)
    page.commands.report.trigger()
    dialog = page.findChild(ReportDialog)
    find(dialog, QLineEdit).setText("My report")
    find(dialog, QPlainTextEdit).setPlainText("**Mine**")
    find(dialog, QCheckBox, "What a query costs").setChecked(False)
    with qtbot.waitSignal(page.context.bus.saved):
        dialog.accept()
    html = (tmp_path / "mine.html").read_text()
    assert "<title>My report</title>" in html and "<strong>Mine</strong>" in html
    assert 'id="results"' in html and 'id="cost"' not in html


def test_an_interactive_report_is_saved(
    qtbot: QtBot, opened: Open, page: ComparePage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It offers web pages alone; the plain one is what the dialog begins with."""
    opened(3)
    asked: list[str] = []

    def answer(*words: str) -> tuple[str, str]:
        asked.append(words[3])
        return str(tmp_path / "mine"), words[3]

    monkeypatch.setattr(QFileDialog, "getSaveFileName", answer)
    page.commands.report.trigger()
    dialog = page.findChild(ReportDialog)
    assert not dialog.is_interactive
    find(dialog, QCheckBox, "Interactive web page").setChecked(True)
    with qtbot.waitSignal(page.context.bus.saved):
        dialog.accept()
    assert asked == ["Web page (*.html)"]
    assert 'id="numbers"' in (tmp_path / "mine.html").read_text()


def test_a_report_that_cannot_be_written_is_told(
    qtbot: QtBot, opened: Open, page: ComparePage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened()
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "no" / "r.md"), ""))
    page.sharing.save_report()
    page.findChild(ReportDialog).accept()
    qtbot.waitUntil(lambda: "cannot be written" in page.message.text)
