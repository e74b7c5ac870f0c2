"""Columns and rows of widgets, the frame of a dialog and its buttons."""

from __future__ import annotations

from typing import TypeVar

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QBoxLayout,
    QDialog,
    QDialogButtonBox,
    QGridLayout,
    QHBoxLayout,
    QLayout,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from ui.core.theme import SPACE

from .actions import action_button

Part = QWidget | QLayout | int | tuple[QWidget | QLayout, int]  # with its stretch; a number is empty room
NATIVE = -1  # spacing as the style has it
Margins = tuple[int, int, int, int]  # left, top, right, bottom
Box = TypeVar("Box", bound=QBoxLayout)


def in_column(*parts: Part, spacing: int = SPACE, margins: Margins = (0, 0, 0, 0)) -> QVBoxLayout:
    return _fill(QVBoxLayout(), parts, spacing, margins)


def in_row(*parts: Part, spacing: int = SPACE, margins: Margins = (0, 0, 0, 0)) -> QHBoxLayout:
    return _fill(QHBoxLayout(), parts, spacing, margins)


def in_grid(across: int, down: int, margins: Margins = (0, 0, 0, 0)) -> QGridLayout:
    """An empty grid with so much room between its columns and rows."""
    made = QGridLayout()
    made.setContentsMargins(*margins)
    made.setHorizontalSpacing(across)
    made.setVerticalSpacing(down)
    return made


def split(orientation: Qt.Orientation, *parts: tuple[QWidget, int, int]) -> QSplitter:
    """Widgets with a handle between them: their first sizes in pixels, and shares of what is left."""
    made = QSplitter(orientation)
    for at, (widget, _, share) in enumerate(parts):
        made.addWidget(widget)
        made.setStretchFactor(at, share)
    made.setSizes([size for _, size, _ in parts])
    made.setChildrenCollapsible(False)
    made.setHandleWidth(SPACE)
    return made


def boxed(layout: QLayout) -> QWidget:
    """A widget with this layout: unlike a layout it can be hidden, and be in a tab."""
    made = QWidget()
    made.setLayout(layout)
    return made


class GrowingDialog(QDialog):
    """A dialog that becomes higher where what appears in it needs that: Qt would lay it over the rest."""

    def event(self, event: QEvent) -> bool:
        handled = super().event(event)
        if event.type() == QEvent.Type.LayoutRequest and (layout := self.layout()) is not None:
            self.resize(self.width(), max(self.height(), layout.totalHeightForWidth(self.width())))
        return handled


def lay_out_dialog(dialog: QDialog, *parts: Part, spacing: int = SPACE) -> None:
    """Lay out a dialog as a column."""
    dialog.setLayout(in_column(*parts, spacing=spacing, margins=(2 * SPACE,) * 4))


def open_disposable_dialog(dialog: QDialog) -> None:
    """Open a dialog that is deleted when it closes."""
    dialog.finished.connect(dialog.deleteLater)
    dialog.open()


def dialog_buttons(dialog: QDialog, *parts: QAction | QDialogButtonBox.StandardButton) -> QDialogButtonBox:
    """The buttons of a dialog, which accept or reject it; those of actions do not take Enter."""
    box = QDialogButtonBox()
    for each in parts:
        if isinstance(each, QAction):
            button = action_button(each, has_mnemonic=True)
            button.setAutoDefault(False)
            box.addButton(button, QDialogButtonBox.ButtonRole.ActionRole)
        else:
            box.addButton(each)
    box.accepted.connect(dialog.accept)
    box.rejected.connect(dialog.reject)
    return box


def _fill(box: Box, parts: tuple[Part, ...], spacing: int, margins: Margins) -> Box:
    box.setSpacing(spacing)
    box.setContentsMargins(*margins)
    for part in parts:
        if isinstance(part, int):
            box.addStretch(part)
            continue
        each, stretch = part if isinstance(part, tuple) else (part, 0)
        if isinstance(each, QLayout):
            box.addLayout(each, stretch)
        else:
            box.addWidget(each, stretch)
    return box
