"""The page that the window opens on: Live if a plan runs, else Bench."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QWidget

from ui.core.context import WindowContext

if TYPE_CHECKING:
    from app.history.store.history import History

PATIENCE_MS = 2000  # with a history that is being brought up to date, or is locked
FIRST_MS = 300  # time of the first page: asking targets at once would delay it
FOUND_MS = 15_000  # a plan that is found later moves nobody to another page
_INPUT = (QEvent.Type.MouseButtonPress, QEvent.Type.KeyPress, QEvent.Type.Wheel, QEvent.Type.TouchBegin)


class WindowStartup(QObject):
    """Reads the history at once; asks the targets when the page is shown."""

    def __init__(
        self,
        context: WindowContext,
        window: QWidget,
        show_first: Callable[[str], bool],
        show_page: Callable[[str], None],
    ) -> None:
        super().__init__(window)
        self._context = context
        self._window = window
        self._show_first = show_first
        self._show_page = show_page
        self._is_open = False
        self._waits = False  # for a plan that only its target knows, while nobody touches the window

    def begin(self) -> None:
        self._context.tasks.read(self, _is_under_way, self._open, lambda _: self._open(False))
        QTimer.singleShot(PATIENCE_MS, self, self._open_without_answer)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in _INPUT:
            self._stay()
        return super().eventFilter(watched, event)

    def _open_without_answer(self) -> None:
        self._open(is_under_way=False)

    def _open(self, is_under_way: bool) -> None:
        if self._is_open:
            return
        self._is_open = True
        is_free = self._show_first("live" if is_under_way else "bench")
        if is_free and not is_under_way:
            self._wait()
        QTimer.singleShot(FIRST_MS, self, self._context.plans.adopt)

    def _wait(self) -> None:
        self._waits = True
        self._window.windowHandle().installEventFilter(self)
        self._context.plans.found.connect(self._on_found)
        QTimer.singleShot(FOUND_MS, self, self._stay)

    def _on_found(self, _plan: str) -> None:
        if self._waits:
            self._stay()
            self._show_page("live")

    def _stay(self) -> None:
        if self._waits:
            self._waits = False
            self._window.windowHandle().removeEventFilter(self)


def _is_under_way(history: History) -> bool:
    from app.following.under_way import session_under_way

    return bool(session_under_way(history))
