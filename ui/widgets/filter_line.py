"""Words to look for in a list."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit

from ui.core.plain import as_tip


class FilterLine(QLineEdit):
    """Down and Enter go to the list, Escape clears."""

    left = Signal()  # towards the list

    def __init__(self, name: str, empty: str, tip: str = "") -> None:
        super().__init__(placeholderText=empty, clearButtonEnabled=True)
        self.setAccessibleName(name)
        self.setToolTip(as_tip(tip))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Down):
            self.left.emit()
        elif event.key() == Qt.Key.Key_Escape and self.text():
            self.clear()
        else:
            super().keyPressEvent(event)
