"""The keyboard is always somewhere in the page that is shown: else none of its keys works."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer, Slot
from PySide6.QtWidgets import QApplication, QWidget

from ui.core.page import Page


class Keyboard(QObject):
    """Gives the focus back to the page that is shown when what has it was hidden, disabled or deleted.

    A page that is not shown can still take it: Qt asks only whether a widget itself was hidden.
    """

    def __init__(self, window: QWidget, page: Callable[[], QWidget | None]) -> None:
        super().__init__(window)
        self._window, self._page = window, page
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        application.focusChanged.connect(self._on_focus_changed)

    @Slot(QWidget, QWidget)
    def _on_focus_changed(self, _before: QWidget | None, now: QWidget | None) -> None:
        if self._is_lost(now) and self._window.isActiveWindow():
            QTimer.singleShot(0, self, self._give)  # the next may have it by then

    def _give(self) -> None:
        page = self._page()
        is_lost = self._is_lost(QApplication.focusWidget())
        if is_lost and self._window.isActiveWindow() and isinstance(page, Page):
            page.take_focus()

    def _is_lost(self, at: QWidget | None) -> bool:
        """A part of the page itself that is hidden keeps it: it is shown when it has something to show."""
        if at is None:
            return True
        page = self._page()
        is_in_page = page is not None and page.isAncestorOf(at)
        return not at.isVisible() and not is_in_page and at.window() is self._window
