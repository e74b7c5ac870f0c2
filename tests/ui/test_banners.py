"""News that lies over a page: nothing of the page moves, and it goes when it is acted on."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QPoint, QRect
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QPushButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from ui.widgets.message import Banner


@pytest.fixture
def page(qtbot: QtBot) -> Iterator[QWidget]:
    """One part that fills it, within a window."""
    window, made = QWidget(), QWidget()
    for outer, inner in ((window, made), (made, QPushButton("Run"))):
        QVBoxLayout(outer).addWidget(inner)
    window.resize(1000, 600)
    qtbot.addWidget(window)
    window.show()
    yield made


def place(of: QWidget) -> QRect:
    return QRect(of.mapTo(of.window(), QPoint()), of.size())


@pytest.mark.parametrize("width", [300, 1000])
def test_it_lies_over_the_lower_edge_and_moves_nothing(qtbot: QtBot, page: QWidget, width: int) -> None:
    banner, part = Banner(page), page.findChild(QPushButton)
    page.window().resize(width, 600)
    before = place(part)
    banner.show_warning("a line " * 30, QAction("Connect", page))
    qtbot.waitUntil(banner.isVisible)
    assert place(part) == before and place(page).contains(place(banner))
    assert place(banner).bottom() > place(page).bottom() - 20
    assert banner.buttons[0].isVisible() and not banner.buttons[1].isVisible()
    page.window().resize(width + 100, 700)
    assert place(page).contains(place(banner)) and place(banner).bottom() > place(page).bottom() - 20


def test_the_one_of_a_page_lies_above_the_one_of_the_window(page: QWidget) -> None:
    news, of_window = Banner(page), Banner(page.window())
    news.show_info("2 sessions deleted")
    of_window.show_info("the plan has ended")
    assert place(news).bottom() < place(of_window).top()


def test_it_goes_when_it_is_acted_on_and_news_of_that_stays(page: QWidget) -> None:
    banner, undo, fail = Banner(page), QAction("Undo", page), QAction("Connect", page)
    banner.show_info("2 sessions deleted", undo)
    banner.buttons[0].click()
    assert not banner.isVisible() and banner.text == ""
    fail.triggered.connect(lambda: banner.show_error("nobody answers"))
    banner.show_warning("the plan is not followed", fail)
    banner.buttons[0].click()
    assert banner.text == "nobody answers" and banner.isVisible()
