"""All that a window shows as text: of its widgets, tables and menus, beside the mouse, and painted."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from typing import Any

from PySide6.QtCore import QAbstractItemModel, QAbstractListModel, QBuffer, QModelIndex, QPoint, QSize, Qt
from PySide6.QtGui import QAction, QPainter
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QComboBox,
    QGroupBox,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QTabWidget,
    QTextBrowser,
    QWidget,
)

Seen = tuple[str, str]  # where, and the text
ROLES = {
    "cell": Qt.ItemDataRole.DisplayRole,
    "tip of a cell": Qt.ItemDataRole.ToolTipRole,
    "description of a cell": Qt.ItemDataRole.AccessibleDescriptionRole,
}


def texts_of(window: QWidget) -> Iterator[Seen]:
    """Where each text is, and the text."""
    yield "title", window.windowTitle()
    for widget in [window, *window.findChildren(QWidget)]:
        yield f"tip of {_name(widget)}", widget.toolTip()
        for text in _own(widget):
            yield _name(widget), text
    for action in window.findChildren(QAction):
        yield f"action {action.text()}", f"{action.text()} {action.statusTip()}"
        yield f"tip of action {action.text()}", action.toolTip()
    yield from (("painted", text) for text in painted(window))


def _own(widget: QWidget) -> Iterator[str]:
    match widget:
        case QLabel() | QAbstractButton():
            yield widget.text()
        case QLineEdit():
            yield f"{widget.text()} {widget.placeholderText()}"
        case QPlainTextEdit() | QTextBrowser():
            yield widget.toPlainText()
        case QGroupBox():
            yield widget.title()
        case QTabWidget():
            yield from (widget.tabText(at) for at in range(widget.count()))
        case QComboBox() | QAbstractItemView():
            if widget.model() is not None:
                yield from _of_model(widget.model())


def _of_model(model: QAbstractItemModel, parent: QModelIndex = QModelIndex()) -> Iterator[str]:  # noqa: B008
    columns = 1 if isinstance(model, QAbstractListModel) else model.columnCount(parent)
    for role in ROLES.values():
        heads = [model.headerData(at, Qt.Orientation.Horizontal, role) for at in range(columns)]
        yield from (head for head in heads if isinstance(head, str))
    for row in range(model.rowCount(parent)):
        for column in range(columns):
            index = model.index(row, column, parent)
            yield from (said for role in ROLES.values() if isinstance(said := index.data(role), str))
        yield from _of_model(model, model.index(row, 0, parent))


def painted(widget: QWidget) -> Iterator[str]:
    """What stands in a picture of it, as SVG has it."""
    buffer = QBuffer()
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setSize(QSize(widget.width(), widget.height()))
    painter = QPainter(generator)
    widget.render(painter, QPoint())
    painter.end()
    svg = bytes(buffer.data().data()).decode("utf-8", "replace")
    yield from (unescape(text) for text in re.findall(r"<text[^>]*>(.*?)</text>", svg, re.DOTALL))


def formatted(window: QWidget) -> list[str]:
    """Labels that take what looks like markup for markup."""
    return [
        f"{_name(label)}: {label.text()!r}"
        for label in window.findChildren(QLabel)
        if label.textFormat() != Qt.TextFormat.PlainText and "ev[il]" in label.text()
    ]


def _name(widget: Any) -> str:
    chain = [widget.accessibleName() or type(widget).__name__]
    parent = widget.parentWidget()
    while parent is not None and len(chain) < 4:
        chain.append(type(parent).__name__)
        parent = parent.parentWidget()
    return " in ".join(chain)
