"""What tests see of the Compare page, and do to it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QPushButton, QWidget
from pytestqt.qtbot import QtBot

from tests.ui.find import find
from ui.models.comparison import FIXED
from ui.pages.compare import ComparePage
from ui.pages.compare.panel import Panel

T = TypeVar("T", bound=QWidget)
FAILED = {(1, "read-only")}
Open = Callable[..., tuple[str, ...]]


def columns_of(page: ComparePage) -> int:
    return page.body.table.figures.columnCount() - len(FIXED)


def texts(page: ComparePage) -> list[list[str]]:
    """Of all cells, row by row; a heading is its text and nothing more."""
    model = page.body.table.figures
    return [
        [str(model.index(row, at).data() or "") for at in range(model.columnCount())]
        for row in range(model.rowCount())
    ]


def base_of(page: ComparePage) -> str:
    assert page.body.comparison
    return page.body.comparison.base_id


def ids_of(page: ComparePage) -> list[str]:
    assert page.body.comparison
    return [column.id for column in page.body.comparison.columns]


def head_centre(page: ComparePage, column: int) -> QPoint:
    head = page.body.table.horizontalHeader()
    section = column + len(FIXED)
    return QPoint(head.sectionViewportPosition(section) + head.sectionSize(section) // 2, head.height() // 2)


def click_head(qtbot: QtBot, page: ComparePage, column: int) -> None:
    viewport = page.body.table.horizontalHeader().viewport()
    qtbot.mouseClick(viewport, Qt.MouseButton.LeftButton, pos=head_centre(page, column))


def choose(page: ComparePage, step: str, column: int = 0) -> None:
    model = page.body.table.figures
    rows = [row for row in range(model.rowCount()) if (found := model.row_at(row)) and found.workload == step]
    page.body.table.choose(rows[0], column + len(FIXED))


def panel(qtbot: QtBot, page: ComparePage, kind: type[T]) -> T:
    """Brought to the front."""
    at, found = next((at, each) for at, each in enumerate(page.body.panels) if isinstance(each, kind))
    page.body.tabs.setCurrentIndex(at)
    qtbot.waitUntil(found.isVisible)
    assert isinstance(found, kind)
    return found


def offered(page: ComparePage) -> list[Panel]:
    """The panels that have a tab."""
    return [each for at, each in enumerate(page.body.panels) if page.body.tabs.isTabVisible(at)]


def button(part: QWidget, text: str) -> QPushButton:
    return find(part, QPushButton, text)
