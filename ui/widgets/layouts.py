"""Columns and rows of widgets, and the frame of a dialog."""

from __future__ import annotations

from typing import TypeVar

from PySide6.QtWidgets import QBoxLayout, QDialog, QHBoxLayout, QLayout, QVBoxLayout, QWidget

from ui.core.theme import SPACE

Part = QWidget | QLayout | int | tuple[QWidget | QLayout, int]  # with its stretch; a number is empty room
NATIVE = -1  # spacing as the style has it
Margins = tuple[int, int, int, int]  # left, top, right, bottom
Box = TypeVar("Box", bound=QBoxLayout)


def in_column(*parts: Part, spacing: int = SPACE, margins: Margins = (0, 0, 0, 0)) -> QVBoxLayout:
    return _fill(QVBoxLayout(), parts, spacing, margins)


def in_row(*parts: Part, spacing: int = SPACE, margins: Margins = (0, 0, 0, 0)) -> QHBoxLayout:
    return _fill(QHBoxLayout(), parts, spacing, margins)


def frame(dialog: QDialog, *parts: Part, spacing: int = SPACE) -> None:
    """Lay out a dialog as a column."""
    dialog.setLayout(in_column(*parts, spacing=spacing, margins=(2 * SPACE,) * 4))


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
