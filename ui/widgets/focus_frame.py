"""Shows the focus to people who use the keyboard."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QFocusEvent
from PySide6.QtWidgets import QWidget

_BY_KEYBOARD = (
    Qt.FocusReason.TabFocusReason,
    Qt.FocusReason.BacktabFocusReason,
    Qt.FocusReason.ShortcutFocusReason,
)


class FocusFrame(QWidget):
    """A widget that draws a frame when the keyboard reaches it."""

    is_framed = False

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._frame(event.reason() in _BY_KEYBOARD)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._frame(False)

    def _frame(self, is_framed: bool) -> None:
        self.is_framed = is_framed
        self.update()
