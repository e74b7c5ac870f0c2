"""News over the head of the window: the page stays whole, and the news goes when acted on, or by Esc."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton, QStackedWidget, QToolBar, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from tests.ui.find import find
from tests.ui.watched import watched
from ui.core.bus import ShowPageRequest
from ui.core.context import WindowContext
from ui.core.page import MARGIN
from ui.shell.window import FIRST_SIZE, Window
from ui.widgets.message import Banner, MessageBar

RESULT = "MySQL 9.7.4 faster in update-index threads=2 (2.82 of MySQL 5.6.24's rate)"
SENTENCE = f"{RESULT}, slower in insert threads=2 (0.40)."
ENDED = "has ended, decided in part after 7 repeats: 8 repeats would not decide the rest"
LONGEST = f"duel on local {ENDED} (more on Compare)\n{SENTENCE}"


@pytest.fixture
def first_page(qtbot: QtBot) -> Iterator[QWidget]:
    """One of two pages of a window, filled by one part."""
    window, made = QStackedWidget(), QWidget()
    QVBoxLayout(made).addWidget(QPushButton("Run"))
    for each in (made, QWidget()):
        window.addWidget(each)
    window.resize(1000, 600)
    qtbot.addWidget(window)
    window.show()
    yield made


@pytest.fixture
def shown_window(context: WindowContext, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> Window:
    monkeypatch.setattr("ui.pages.bench.targets.panel.SOON_MS", 3_600_000)
    changed, plans = watched(context)
    monkeypatch.setattr(plans, "adopt", lambda: None)
    made = Window(changed)
    qtbot.addWidget(made)
    made.resize(FIRST_SIZE)
    with qtbot.waitActive(made):
        made.show()
        made.activateWindow()
    qtbot.waitUntil(lambda: "bench" in made.pages)
    return made


def place(of: QWidget) -> QRect:
    return QRect(of.mapTo(of.window(), QPoint()), of.size())


@pytest.mark.parametrize("width", [300, 1000])
def test_it_lies_over_the_upper_edge_and_moves_nothing(qtbot: QtBot, first_page: QWidget, width: int) -> None:
    banner, part = Banner(first_page), first_page.findChild(QPushButton)
    first_page.window().resize(width, 600)
    before = place(part)
    banner.show_warning("a line " * 30, QAction("Connect", first_page))
    qtbot.waitUntil(banner.isVisible)
    assert place(part) == before and first_page.window().rect().contains(place(banner))
    assert place(banner).top() < 10
    assert banner.buttons[0].isVisible() and not banner.buttons[1].isVisible()
    first_page.window().resize(width + 100, 700)
    assert first_page.window().rect().contains(place(banner)) and place(banner).right() > width + 50


def test_it_hides_with_its_page(first_page: QWidget) -> None:
    banner, stack = Banner(first_page), first_page.window()
    assert isinstance(stack, QStackedWidget)
    banner.show_info("2 sessions deleted")
    stack.setCurrentIndex(1)
    assert not banner.isVisible()
    stack.setCurrentIndex(0)
    assert banner.isVisible()
    banner.clear()
    stack.setCurrentIndex(1)
    banner.show_info("1 session deleted")  # about a page that is not shown
    assert not banner.isVisible()
    stack.setCurrentIndex(0)
    assert banner.isVisible()


def test_it_goes_when_it_is_acted_on_and_news_of_that_stays(first_page: QWidget) -> None:
    banner, undo, fail = Banner(first_page), QAction("Undo", first_page), QAction("Connect", first_page)
    banner.show_info("2 sessions deleted", undo)
    banner.buttons[0].click()
    assert not banner.isVisible() and banner.text == ""
    fail.triggered.connect(lambda: banner.show_error("nobody answers"))
    banner.show_warning("the plan is not followed", fail)
    banner.buttons[0].click()
    assert banner.text == "nobody answers" and banner.isVisible()


def test_how_a_plan_ended_covers_nothing_of_the_page(shown_window: Window) -> None:
    shown_window.message.show_info(LONGEST, QAction("Compare", shown_window))
    covered, page = place(shown_window.message), place(shown_window.page("bench"))
    assert covered.bottom() <= page.top() + MARGIN, "only the margin of the page"
    assert covered.left() > end_of_places(shown_window)


def end_of_places(window: Window) -> int:
    bar = window.findChild(QToolBar)
    return bar.mapTo(window, bar.actionGeometry(bar.actions()[-1]).topRight()).x()


@pytest.mark.parametrize("width", [800, 1000, 1200])
def test_the_places_are_free_in_a_narrow_window(shown_window: Window, width: int) -> None:
    shown_window.message.show_info(LONGEST, QAction("Compare", shown_window))
    shown_window.setMinimumSize(1, 1)  # other fonts and pages demand less
    shown_window.resize(width, 700)
    covered = place(shown_window.message)
    assert shown_window.width() == width and shown_window.rect().contains(covered)
    assert covered.left() > end_of_places(shown_window)


def test_esc_is_of_the_field_with_the_focus_and_then_closes_the_newest(
    shown_window: Window, qtbot: QtBot
) -> None:
    shown_window.show_page("history")
    page: Any = shown_window.page("history")
    page._bar.focus_text()
    line = QApplication.focusWidget()
    QTest.keyClicks(line, "xeon")
    shown_window.message.show_info("duel on local has ended")
    message = page.findChild(MessageBar)  # which lies over the window while it is shown
    message.show_info("2 sessions deleted")
    assert shown_window._dismissing.action.isEnabled()
    texts = []
    for _ in range(3):
        QTest.keyClick(line, Qt.Key.Key_Escape)
        texts.append((shown_window.message.text, message.text, line.text()))
    assert texts == [
        ("duel on local has ended", "2 sessions deleted", ""),
        ("duel on local has ended", "", ""),
        ("", "", ""),
    ]
    assert not shown_window._dismissing.action.isEnabled()


def test_keys_work_after_a_message_was_closed_by_mouse(shown_window: Window, qtbot: QtBot) -> None:
    shown_window.show_page("history")
    before = QApplication.focusWidget()
    shown_window.message.show_info("duel on local has ended")
    dismiss = find(shown_window.message, QPushButton, "Dismiss")
    dismiss.setFocus()
    qtbot.mouseClick(dismiss, Qt.MouseButton.LeftButton)
    assert QApplication.focusWidget() is before and shown_window.page("history").isAncestorOf(before)


def test_keys_work_after_what_had_the_focus_is_gone(shown_window: Window, qtbot: QtBot) -> None:
    shown_window.show_page("history")
    page = shown_window.page("history")
    gone = QPushButton("Chart", page)
    gone.show()
    gone.setFocus()
    gone.deleteLater()
    qtbot.waitUntil(lambda: page.isAncestorOf(QApplication.focusWidget() or shown_window))


def test_a_page_that_is_not_shown_cannot_keep_the_keyboard(shown_window: Window, qtbot: QtBot) -> None:
    for name in ("compare", "history"):
        shown_window.show_page(name)
    late: Any = shown_window.page("compare")
    late.chooser.show()
    late.chooser.offer([])  # its answer comes after its page was left
    assert late.isAncestorOf(QApplication.focusWidget())
    qtbot.waitUntil(
        lambda: shown_window.page("history").isAncestorOf(QApplication.focusWidget() or shown_window)
    )


@pytest.mark.parametrize("name", ["bench", "live", "history", "compare"])
def test_a_page_that_is_gone_to_has_the_keyboard(shown_window: Window, name: str) -> None:
    for each in ("bench", "live", "history", "compare", name):
        focus = QApplication.focusWidget()
        if focus is not None:
            focus.clearFocus()
        shown_window.show_page(each)
        assert shown_window.page(each).isAncestorOf(QApplication.focusWidget() or shown_window)


def test_a_key_presses_the_first_button_of_the_newest_message(shown_window: Window, qtbot: QtBot) -> None:
    done: list[str] = []
    compare, undo = QAction("Compare", shown_window), QAction("Undo", shown_window)
    compare.triggered.connect(lambda: done.append("compare"))
    undo.triggered.connect(lambda: done.append("undo"))
    shown_window.message.show_info("duel on local has ended", compare)
    shown_window.page("bench").message.show_info("1 session deleted", undo)
    for _ in range(3):
        QTest.keyClick(shown_window, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert done == ["undo", "compare"] and not shown_window.message.isVisible()


def test_the_first_button_says_its_key(shown_window: Window) -> None:
    shown_window.message.show_info("duel on local has ended", QAction("Compare", shown_window))
    assert "Ctrl+Return" in shown_window.message.buttons[0].toolTip()


def test_a_message_without_a_button_has_no_key(shown_window: Window) -> None:
    shown_window.message.show_info("duel on local has ended")
    act = next(each for each in shown_window.findChildren(QAction) if each.text() == "A&ct on message")
    assert not act.isEnabled()
    shown_window.message.show_info("duel on local has ended", QAction("Compare", shown_window))
    assert act.isEnabled()


def test_a_plan_that_starts_leaves_people_where_they_read(shown_window: Window, qtbot: QtBot) -> None:
    bus = shown_window.context.bus
    for place_of_reading in ("history", "compare"):
        shown_window.show_page(place_of_reading)
        bus.wanted.emit(ShowPageRequest("live", ("X",), is_of_start=True))
        assert shown_window.page(place_of_reading).isVisible()
    shown_window.show_page("bench")
    bus.wanted.emit(ShowPageRequest("live", (), is_of_start=True))
    assert shown_window.page("live").isVisible()
