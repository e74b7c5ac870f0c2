"""The keyboard is always somewhere in the page that is shown: else none of its keys works."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer, Slot
from PySide6.QtWidgets import QApplication, QWidget

from ui.core.page import Page


class Keyboard(QObject):
    """Gives the focus back to the page when what had it was hidden, disabled or deleted."""

    def __init__(self, window: QWidget, page: Callable[[], QWidget | None]) -> None:
        super().__init__(window)
        self._window, self._page = window, page
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        application.focusChanged.connect(self._on_focus_changed)

    @Slot(QWidget, QWidget)
    def _on_focus_changed(self, _before: QWidget | None, now: QWidget | None) -> None:
        if now is None and self._window.isActiveWindow():
            QTimer.singleShot(0, self, self._give)  # the next may have it by then

    def _give(self) -> None:
        page = self._page()
        if QApplication.focusWidget() is None and self._window.isActiveWindow() and isinstance(page, Page):
            page.take_focus()
