"""*Dismiss message*: one key closes the newest message over the window."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt, Slot
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QMainWindow, QWidget

from ui.core.shortcuts import SHORTCUTS
from ui.widgets.message import Banner


class Dismissing(QObject):
    """The action is enabled only while a message is shown.

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
        self.action.setEnabled(False)

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
        self.action.setEnabled(bool(self._shown()))

    def _on_triggered(self) -> None:
        for banner in self._shown()[-1:]:
            banner.clear()

    def _shown(self) -> list[Banner]:
        """The newest last: Qt moves what is raised to the end."""
        return [each for each in self._window.findChildren(Banner) if not each.isHidden()]
