"""A combo box that gives way where the window is narrow, and whose list is as wide as its entries."""

from __future__ import annotations

from PySide6.QtWidgets import QComboBox

from ui.core.theme import SPACE

_WIDEST = 80 * SPACE


class WideListComboBox(QComboBox):
    """Its list shows entries that the box itself has no room for."""

    def showPopup(self) -> None:
        view = self.view()
        width = view.sizeHintForColumn(0) + view.verticalScrollBar().sizeHint().width() + SPACE
        view.setMinimumWidth(min(width, _WIDEST))
        super().showPopup()
