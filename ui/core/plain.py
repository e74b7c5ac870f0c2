"""Text as it is: what targets, files and people wrote is never read as markup, and steers nothing.

Every label is a `PlainTextLabel`, every tooltip is made by `as_tip`; a test finds those that are not.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

from PySide6.QtCore import QEvent
from PySide6.QtCore import Qt as QtCore
from PySide6.QtGui import QFontMetrics, QFontMetricsF, QResizeEvent, Qt
from PySide6.QtWidgets import QLabel, QMessageBox, QWidget

from app.core.errors import DynoError
from app.core.harmless import LONGEST, harmless, harmless_text
from ui.core.index import Index

DEFECT = "Dyno met something it did not expect"
_ROLE = QtCore.ItemDataRole
_TIPS = (_ROLE.ToolTipRole, _ROLE.AccessibleDescriptionRole)


class PlainTextLabel(QLabel):
    """A label that shows text as it is; its role is its look in the style."""

    def __init__(
        self,
        text: str = "",
        role: str = "",
        *,
        wraps: bool = False,
        selectable: bool = False,
        buddy: QWidget | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setTextFormat(QtCore.TextFormat.PlainText)
        self.setWordWrap(wraps)
        if selectable:
            self.setTextInteractionFlags(QtCore.TextInteractionFlag.TextSelectableByMouse)
        if buddy is not None:
            self.setBuddy(buddy)  # the key of its text leads there
        if role:
            self.setProperty("role", role)
        self.setText(text)

    def setText(self, text: str) -> None:
        super().setText(as_shown(text))

    def show_first(self, lines: Sequence[str], most: int) -> None:
        """Show the first lines, all of them in the tooltip; hidden where there are none."""
        self.setText(first_lines(lines, most))
        self.setToolTip(as_tip("\n".join(lines) if len(lines) > most else ""))
        self.setVisible(bool(lines))

    def set_role(self, role: str) -> None:
        if role != self.property("role"):
            self.setProperty("role", role)
            self.style().polish(self)


class WholeTextLabel(PlainTextLabel):
    """A wrapped text of which no line is cut off where room is scarce: its page scrolls."""

    def __init__(self) -> None:
        super().__init__(wraps=True, selectable=True)

    def setText(self, text: str) -> None:
        super().setText(text)
        self._take_room()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._take_room()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._take_room()

    def _take_room(self) -> None:
        self.setMinimumHeight(0)  # else the height that it has is part of the answer
        self.setMinimumHeight(max(self.heightForWidth(self.width()), self._least_height()))

    def _least_height(self) -> int:
        """Without a text."""
        return 0


def first_lines(lines: Sequence[str], most: int) -> str:
    """The first of these lines, and how many more there are."""
    more = [f"and {len(lines) - most} more"] if len(lines) > most else []
    return "\n".join([*lines[:most], *more])


def as_shown(text: str) -> str:
    """A text with its lines, cut to what a person reads."""
    return harmless_text(text if len(text) <= LONGEST else f"{text[:LONGEST]}…")


def as_tip(text: str) -> str:
    """A tooltip as plain text: Qt would read text like HTML as such."""
    said = as_shown(text)
    if not Qt.mightBeRichText(said):
        return said
    from html import escape  # with the names of all characters: not for the first window

    return f"<p style='white-space:pre-wrap'>{escape(said)}</p>"


def fitted(metrics: QFontMetrics | QFontMetricsF, text: str, mode: Any, width: float) -> str:
    """As much of a text as fits."""
    return metrics.elidedText(harmless(text), mode, int(width))


def plain_box(box: QMessageBox, question: str, consequence: str) -> None:
    """A question box with plain text."""
    box.setTextFormat(QtCore.TextFormat.PlainText)
    box.setText(as_shown(question))
    box.setInformativeText(as_shown(consequence))


def plain_text_cells(data: Callable[..., Any]) -> Callable[..., Any]:
    """Wraps `data` or `headerData` of a model so that cells and tooltips are plain text."""

    @wraps(data)
    def shown(self: Any, *asked: Any, **named: Any) -> Any:
        value = data(self, *asked, **named)
        if not isinstance(value, str):
            return value
        role = named.get("role", asked[-1] if asked else _ROLE.DisplayRole)
        if role in _TIPS:
            return as_tip(value)
        is_shown = isinstance(role, Index) or role == _ROLE.DisplayRole
        return as_shown(value) if is_shown else value

    return shown


def error_with_details(error: Exception) -> tuple[str, str]:
    """The line for a person, and details for a developer if it is a defect."""
    if isinstance(error, DynoError):
        return error.window_text or str(error), ""
    return f"{DEFECT}: {error!r}", "".join(traceback.format_exception(error))
