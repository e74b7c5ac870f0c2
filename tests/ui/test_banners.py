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

from tests.ui.watched import watched
from ui.core.context import WindowContext
from ui.core.page import MARGIN
from ui.shell.notices import MOST_SENTENCES
from ui.shell.window import FIRST_SIZE, Window
from ui.widgets.message import Banner

SENTENCE = "update-nonindex threads=2: rocksdb-default is slower, 0.50 (0.48 to 0.52)."
LONGEST = "\n".join(["duel on local has ended (more on Compare)", *[SENTENCE] * MOST_SENTENCES])


@pytest.fixture
def page(qtbot: QtBot) -> Iterator[QWidget]:
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
def window(context: WindowContext, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> Window:
    monkeypatch.setattr("ui.pages.bench.targets.panel.SOON_MS", 3_600_000)
    changed, plans = watched(context)
    monkeypatch.setattr(plans, "adopt", lambda: None)
    made = Window(changed)
    qtbot.addWidget(made)
    made.resize(FIRST_SIZE)
    with qtbot.waitActive(made):
        made.show()
        made.activateWindow()
    qtbot.waitUntil(lambda: "bench" in made._pages)
    return made


def place(of: QWidget) -> QRect:
    return QRect(of.mapTo(of.window(), QPoint()), of.size())


@pytest.mark.parametrize("width", [300, 1000])
def test_it_lies_over_the_upper_edge_and_moves_nothing(qtbot: QtBot, page: QWidget, width: int) -> None:
    banner, part = Banner(page), page.findChild(QPushButton)
    page.window().resize(width, 600)
    before = place(part)
    banner.show_warning("a line " * 30, QAction("Connect", page))
    qtbot.waitUntil(banner.isVisible)
    assert place(part) == before and page.window().rect().contains(place(banner))
    assert place(banner).top() < 10
    assert banner.buttons[0].isVisible() and not banner.buttons[1].isVisible()
    page.window().resize(width + 100, 700)
    assert page.window().rect().contains(place(banner)) and place(banner).right() > width + 50


def test_it_hides_with_its_page(page: QWidget) -> None:
    banner, stack = Banner(page), page.window()
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


def test_it_goes_when_it_is_acted_on_and_news_of_that_stays(page: QWidget) -> None:
    banner, undo, fail = Banner(page), QAction("Undo", page), QAction("Connect", page)
    banner.show_info("2 sessions deleted", undo)
    banner.buttons[0].click()
    assert not banner.isVisible() and banner.text == ""
    fail.triggered.connect(lambda: banner.show_error("nobody answers"))
    banner.show_warning("the plan is not followed", fail)
    banner.buttons[0].click()
    assert banner.text == "nobody answers" and banner.isVisible()


def test_how_a_plan_ended_covers_nothing_of_the_page(window: Window) -> None:
    window.message.show_info(LONGEST, QAction("Compare", window))
    covered, page = place(window.message), place(window.page("bench"))
    assert covered.bottom() <= page.top() + MARGIN, "only the margin of the page"
    assert covered.left() > end_of_places(window)


def end_of_places(window: Window) -> int:
    bar = window.findChild(QToolBar)
    return bar.mapTo(window, bar.actionGeometry(bar.actions()[-1]).topRight()).x()


@pytest.mark.parametrize("width", [800, 1000, 1200])
def test_the_places_are_free_in_a_narrow_window(window: Window, width: int) -> None:
    window.message.show_info(LONGEST, QAction("Compare", window))
    window.setMinimumSize(1, 1)  # other fonts and pages demand less
    window.resize(width, 700)
    covered = place(window.message)
    assert window.width() == width and window.rect().contains(covered)
    assert covered.left() > end_of_places(window)


def test_esc_is_of_the_field_with_the_focus_and_then_closes_the_newest(window: Window, qtbot: QtBot) -> None:
    window.show_page("history")
    page: Any = window.page("history")
    page._bar.focus_text()
    line = QApplication.focusWidget()
    QTest.keyClicks(line, "xeon")
    window.message.show_info("duel on local has ended")
    page._message.show_info("2 sessions deleted")
    assert window._dismissing.action.isEnabled()
    texts = []
    for _ in range(3):
        QTest.keyClick(line, Qt.Key.Key_Escape)
        texts.append((window.message.text, page._message.text, line.text()))
    assert texts == [
        ("duel on local has ended", "2 sessions deleted", ""),
        ("duel on local has ended", "", ""),
        ("", "", ""),
    ]
    assert not window._dismissing.action.isEnabled()


def test_keys_work_after_a_message_was_closed_by_mouse(window: Window, qtbot: QtBot) -> None:
    window.show_page("history")
    before = QApplication.focusWidget()
    window.message.show_info("duel on local has ended")
    dismiss = next(each for each in window.message.findChildren(QPushButton) if each.text() == "Dismiss")
    dismiss.setFocus()
    qtbot.mouseClick(dismiss, Qt.MouseButton.LeftButton)
    assert QApplication.focusWidget() is before and window.page("history").isAncestorOf(before)


def test_keys_work_after_what_had_the_focus_is_gone(window: Window, qtbot: QtBot) -> None:
    window.show_page("history")
    page = window.page("history")
    gone = QPushButton("Chart", page)
    gone.show()
    gone.setFocus()
    gone.deleteLater()
    qtbot.waitUntil(lambda: page.isAncestorOf(QApplication.focusWidget() or window))


def test_a_page_that_is_not_shown_cannot_keep_the_keyboard(window: Window, qtbot: QtBot) -> None:
    for name in ("compare", "history"):
        window.show_page(name)
    late: Any = window.page("compare")
    late.chooser.show()
    late.chooser.offer([])  # its answer comes after its page was left
    assert late.isAncestorOf(QApplication.focusWidget())
    qtbot.waitUntil(lambda: window.page("history").isAncestorOf(QApplication.focusWidget() or window))


@pytest.mark.parametrize("name", ["bench", "live", "history", "compare"])
def test_a_page_that_is_gone_to_has_the_keyboard(window: Window, name: str) -> None:
    for each in ("bench", "live", "history", "compare", name):
        focus = QApplication.focusWidget()
        if focus is not None:
            focus.clearFocus()
        window.show_page(each)
        assert window.page(each).isAncestorOf(QApplication.focusWidget() or window)
