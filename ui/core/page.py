"""What all places of the window have in common: they hear of changes, and read anew when they are seen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from PySide6.QtGui import QAction, QShowEvent
from PySide6.QtWidgets import QWidget

from .bus import PartsToReload, ShowPageRequest
from .context import WindowContext
from .theme import SPACE

MARGIN = 2 * SPACE  # pixels around what a page shows
HEAD = 28  # of a line with buttons: headings next to it have the same height


class Page(QWidget):
    """A hidden page only remembers that it is stale."""

    title: ClassVar[str] = ""

    def __init__(self, context: WindowContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.context = context
        self._is_stale = True
        self.setAccessibleName(self.title)
        context.bus.changed.connect(self._on_changed)

    def concerns(self, changes: PartsToReload) -> bool:
        """Whether the change concerns what this page shows."""
        return changes.sessions

    def reload(self) -> None:
        """Read again what is shown."""

    def open(self, wanted: ShowPageRequest) -> None:
        """Show these sessions."""

    def page_actions(self) -> Sequence[QAction | None]:
        """The actions of the page's menu; None is a separator."""
        return ()

    def first_focus(self) -> QWidget | None:
        """The widget with the keyboard focus when the page is first shown."""
        return None

    def take_focus(self) -> None:
        """Focus the part that had it last, or the first: keys of a page work only while it has the focus."""
        for each in (self.focusWidget(), self.first_focus(), self):
            if each is not None and each.isEnabled() and each.isVisibleTo(self):
                each.setFocus()
                return

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._reload_if_stale()

    def _on_changed(self, changes: PartsToReload) -> None:
        if self.concerns(changes):
            self._is_stale = True
            if self.isVisible():
                self._reload_if_stale()

    def _reload_if_stale(self) -> None:
        if self._is_stale:
            self._is_stale = False
            self.reload()
