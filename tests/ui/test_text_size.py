"""The size of all text: keys, the setting, and that the window still fits on a small screen."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QRect
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QScrollArea, QToolBar, QWidget
from pytestqt.qtbot import QtBot

from app.core.errors import InputError
from app.core.settings import TEXT_SIZES, Settings, keep_settings, read_settings
from app.history.store.history import History
from tests import sliced
from tests.journals import plan, whole
from tests.ui.bench.set_up import surveyed
from tests.ui.compare.test_answer import keep_disturbed
from tests.ui.seen import painted
from tests.ui.watched import keep
from ui.core.bus import ShowPageRequest
from ui.core.context import WindowContext
from ui.dialogs.settings import SettingsDialog
from ui.pages.bench.plan.contenders import ContendersPanel
from ui.pages.compare.table import ComparisonTable
from ui.pages.history.table import SessionTable
from ui.pages.live.charts import SessionCharts
from ui.shell.window import Window
from ui.widgets.charts.canvas import Canvas
from ui.widgets.charts.head import ChartHead
from ui.widgets.charts.lines import ChartLine
from ui.widgets.empty import EmptyPage
from ui.widgets.layouts import boxed, in_column
from ui.widgets.pairs import TitleTextGrid
from ui.widgets.table import LINE_HEIGHT, LineSelectTable

ALWAYS = (100, max(TEXT_SIZES))  # the others are among the long tests
SIZES = [each if each in ALWAYS else pytest.param(each, marks=pytest.mark.full) for each in TEXT_SIZES]

SHOWING = {  # by page, what it shows once it has read
    "bench": ContendersPanel,
    "live": SessionCharts,
    "history": SessionTable,
    "compare": ComparisonTable,
}


@pytest.fixture(autouse=True)
def _usual_size(context: WindowContext) -> Iterator[None]:
    yield
    context.theme.set_text_size(100)


@pytest.fixture
def sized_window(qtbot: QtBot, context: WindowContext) -> Window:
    made = Window(context)
    qtbot.addWidget(made)
    return made


def chosen(window: Window, text: str) -> QAction:
    (found,) = (each for each in window.menus()["View"] if each.text() == text)
    return found


def test_text_is_made_larger_and_smaller_and_stays_so(
    sized_window: Window, context: WindowContext, dyno_home: Path
) -> None:
    usual = QApplication.font().pointSizeF()
    larger = chosen(sized_window, "&Larger text")
    assert [each.toString() for each in larger.shortcuts()] == ["Ctrl++", "Ctrl+="]
    larger.trigger()
    assert QApplication.font().pointSizeF() == pytest.approx(1.1 * usual)
    assert read_settings(dyno_home).text_size == context.theme.text_size == 110
    for _ in TEXT_SIZES:
        larger.trigger()
    assert read_settings(dyno_home).text_size == 150
    for _ in TEXT_SIZES:
        chosen(sized_window, "&Smaller text").trigger()
    assert read_settings(dyno_home).text_size == 80
    chosen(sized_window, "&Usual text size").trigger()
    assert QApplication.font().pointSizeF() == pytest.approx(usual)
    assert read_settings(dyno_home).text_size == 100


def test_the_size_is_one_of_the_settings(qtbot: QtBot, context: WindowContext, dyno_home: Path) -> None:
    keep_settings(Settings(text_size=125), dyno_home)
    parent = LineSelectTable("any")
    qtbot.addWidget(parent)
    SettingsDialog(context, parent).accept()
    assert context.theme.text_size == read_settings(dyno_home).text_size == 125
    (dyno_home / "settings.toml").write_text("text_size = 500\n")
    with pytest.raises(InputError, match="text_size cannot be 500"):
        read_settings(dyno_home)


@pytest.mark.parametrize("size", SIZES)
def test_the_window_fits_on_a_small_screen_on_every_page(
    sized_window: Window, context: WindowContext, size: int
) -> None:
    context.theme.set_text_size(size)
    for name in ("bench", "live", "history", "compare"):
        sized_window.show_page(name)
        least = sized_window.minimumSizeHint()
        assert least.width() <= 1280 and least.height() <= 760, name


@pytest.mark.parametrize("page", ["bench", "live", "history", "compare"])
def test_no_page_scrolls_sideways_with_the_largest_text(
    sized_window: Window, context: WindowContext, qtbot: QtBot, page: str
) -> None:
    context.theme.set_text_size(max(TEXT_SIZES))
    with History(context.home) as history:
        sessions = sliced.keep(history, sliced.plan(rounds=1))
    sized_window.resize(1280, 800)
    sized_window.show()
    sized_window.show_page(page)
    sized_window.page(page).open(ShowPageRequest(page, tuple(sessions)))
    body = sized_window.page(page).findChild(SHOWING[page])
    qtbot.waitUntil(body.isVisible)
    qtbot.wait(200)
    area = sized_window.centralWidget().findChild(QScrollArea)
    assert isinstance(area, QScrollArea)
    assert (sized_window.width(), area.horizontalScrollBar().maximum()) == (1280, 0)
    cut = [each.text() for each in sized_window.findChildren(QPushButton) if is_cut(each)]
    assert cut == []


def laid_out(page: QWidget) -> list[tuple[str, tuple[int, int, int, int]]]:
    """What is seen of a page, with its places."""
    seen = [each for each in page.findChildren(QWidget) if each.isVisible()]
    places = [QRect(each.mapTo(page, QPoint()), each.size()) for each in seen]
    return sorted((type(each).__name__, at.getRect()) for each, at in zip(seen, places, strict=True))


def laid_out_at_last(qtbot: QtBot, page: QWidget) -> list[tuple[str, tuple[int, int, int, int]]]:
    """The same once nothing moves any more: estimate and checks come later on a busy machine."""
    found, again = laid_out(page), []
    while found != again:
        qtbot.wait(500)
        found, again = laid_out(page), found
    return found


@pytest.mark.parametrize("page", ["bench", "live", "history", "compare"])
def test_at_the_usual_size_again_a_page_looks_as_before(
    sized_window: Window, context: WindowContext, qtbot: QtBot, page: str
) -> None:
    surveyed(context.home)  # else it is surveyed meanwhile
    sessions = keep_disturbed(context.home)  # a warning too
    sized_window.resize(1280, 800)
    sized_window.show()
    sized_window.show_page(page)
    shown = sized_window.page(page)
    shown.open(ShowPageRequest(page, tuple(sessions)))
    body = shown.findChild(SHOWING[page])
    qtbot.waitUntil(body.isVisible)
    before = laid_out_at_last(qtbot, shown)
    context.theme.set_text_size(150)
    assert laid_out_at_last(qtbot, shown) != before
    context.theme.set_text_size(100)
    qtbot.waitUntil(lambda: laid_out(shown) == before)


def is_cut(button: QPushButton) -> bool:
    return button.isVisible() and button.height() < button.minimumSizeHint().height()


def test_lines_of_tables_are_as_high_as_their_text(qtbot: QtBot, context: WindowContext) -> None:
    table = LineSelectTable("any")
    qtbot.addWidget(table)
    assert table.line_height == LINE_HEIGHT
    context.theme.set_text_size(150)
    large = LineSelectTable("another")
    qtbot.addWidget(large)
    for each in (table, large):
        each.show()
        assert each.verticalHeader().defaultSectionSize() >= each.fontMetrics().height() + 6


def test_a_page_of_usual_text_needs_no_scrolling(
    sized_window: Window, context: WindowContext, qtbot: QtBot
) -> None:
    """What wraps its lines makes a page no higher than the window."""
    with History(context.home) as history:
        sessions = sliced.keep(history, sliced.plan(rounds=1))
    sized_window.resize(1280, 800)
    sized_window.show()
    context.bus.wanted.emit(ShowPageRequest("live", tuple(sessions)))
    live = sized_window.page("live")
    charts = live.findChild(SessionCharts)
    qtbot.waitUntil(lambda: charts is not None and charts.isVisible())
    qtbot.wait(200)
    assert live.height() <= sized_window.centralWidget().height()


def test_a_narrow_column_of_texts_cuts_off_no_line(qtbot: QtBot, context: WindowContext) -> None:
    pairs = TitleTextGrid()
    column = boxed(in_column(pairs, 1))
    qtbot.addWidget(column)
    text = "850 EVO (SSD), xfs, 200.0 GiB of 400.0 GiB free"
    pairs.show_pairs([("Disk", text), ("System", text)])
    column.resize(160, 600)
    column.show()
    labels = [each for each in pairs.findChildren(QLabel) if each.text() == text]
    assert [each.height() >= each.heightForWidth(each.width()) for each in labels] == [True, True]


def test_an_empty_page_grows_with_its_text(qtbot: QtBot, context: WindowContext) -> None:
    page = EmptyPage("Nothing yet", "what belongs here, and what to do next, in some words " * 3)
    qtbot.addWidget(page)
    page.resize(1000, 600)
    page.show()
    context.theme.set_text_size(150)
    words = page.findChildren(QLabel)[1]
    qtbot.waitUntil(lambda: words.height() >= words.heightForWidth(words.width()))


def test_texts_of_a_chart_head_do_not_overlap_when_text_gets_larger(
    qtbot: QtBot, context: WindowContext
) -> None:
    head = ChartHead(context.theme, "Latency p95", "ms per query")
    qtbot.addWidget(head)
    names = ("mysql-9.7.4-innodb", "mysql-5.6.24-innodb")
    head.resize(900, 22)
    head.set_lines([ChartLine(name, name, context.theme.contender(0)) for name in names])
    head.set_values(["0.3950", "12.3950"])
    head.show()
    context.theme.set_text_size(150)
    width = head.fontMetrics().horizontalAdvance
    assert head.places[0].left() > width("Latency p95ms per query")
    for label, value, place in zip(names, head.values, head.places, strict=True):
        assert place.width() > width(label) + width(value)
    assert head.places[0].right() < head.places[1].left() or head.places[0].bottom() < head.places[1].top()
    head.resize(width("Latency"), head.height())
    shown = painted(head)
    assert (
        any(text.startswith("Lat") and text.endswith("…") for text in shown) and "ms per query" not in shown
    )


def test_curves_stand_below_each_other_with_larger_text(
    sized_window: Window, context: WindowContext, qtbot: QtBot
) -> None:
    keep(context, [whole(plan())])
    sized_window.resize(1280, 800)
    sized_window.show()
    sized_window.show_page("live")
    charts = sized_window.page("live").findChild(SessionCharts)
    assert isinstance(charts, SessionCharts)
    qtbot.waitUntil(charts.isVisible)
    qtbot.wait(500)
    context.theme.set_text_size(150)
    qtbot.wait(200)
    lefts = {each.area.plot.left() for each in charts.findChildren(Canvas) if each.isVisible()}
    assert len(lefts) == 1


def test_the_places_stay_as_high_when_the_look_changes(
    sized_window: Window, context: WindowContext, qtbot: QtBot
) -> None:
    sized_window.show()
    bar = sized_window.findChild(QToolBar)
    assert isinstance(bar, QToolBar)
    before = bar.height()
    context.theme.set_appearance("dark")
    qtbot.wait(50)
    assert bar.height() == before
