"""The keyboard is always somewhere in the page that is shown: else none of its keys works."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Qt, QTimer, Slot
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QApplication, QMainWindow, QWidget
from shiboken6 import isValid

from ui.core.page import Page
from ui.core.shortcuts import SHORTCUTS
from ui.widgets.message import Banner


class FocusRestorer(QObject):
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


# *Dismiss message* and *Act on message*: a key each for the newest message over the window


class MessageDismisser(QObject):
    """The actions are enabled only while a message is shown, or one with a button.

    Charts and fields use the same key: the window gets it only if the widget with the focus did not.
    """

    def __init__(self, window: QMainWindow) -> None:
        super().__init__(window)
        self._window = window
        self.action = QAction("&Dismiss message", window)
        self.action.setShortcut(QKeySequence(SHORTCUTS["dismiss"]))
        self.action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)  # shown in the menu, not caught
        self.action.setStatusTip("Close the newest message over the page")
        self.action.triggered.connect(self._on_triggered)
        self.act = QAction("A&ct on message", window)
        self.act.setShortcut(QKeySequence(SHORTCUTS["act on message"]))
        self.act.setStatusTip("Press the first button of the newest message over the page")
        self.act.triggered.connect(self._on_act_triggered)
        for each in (self.action, self.act):
            each.setEnabled(False)

    @property
    def actions(self) -> tuple[QAction, QAction]:
        return self.act, self.action

    def take(self, event: QKeyEvent) -> bool:
        """Whether a key that no widget used has closed a message."""
        is_mine = QKeySequence(event.keyCombination()) == self.action.shortcut() and self.action.isEnabled()
        if is_mine:
            self.action.trigger()
        return is_mine

    def watch(self, part: QWidget) -> None:
        """Watch the messages of a page, or one message."""
        own = [part] if isinstance(part, Banner) else []
        for banner in (*own, *part.findChildren(Banner)):
            banner.turned.connect(self._on_turned)

    @Slot()
    def _on_turned(self) -> None:
        if not isValid(self._window):  # it is being deleted, and its messages are hidden with it
            return
        shown = self._shown()
        self.action.setEnabled(bool(shown))
        self.act.setEnabled(bool(shown) and shown[-1].has_action)

    def _on_triggered(self) -> None:
        for banner in self._shown()[-1:]:
            banner.clear()

    def _on_act_triggered(self) -> None:
        for banner in self._shown()[-1:]:
            banner.buttons[0].click()

    def _shown(self) -> list[Banner]:
        """The newest last: Qt moves what is raised to the end."""
        return [each for each in self._window.findChildren(Banner) if not each.isHidden()]
