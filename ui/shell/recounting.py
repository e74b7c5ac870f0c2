"""Counting sessions of an older version anew, in the background and in small slices, with progress."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QMainWindow

from ui.core.bus import PartsToReload
from ui.core.context import WindowContext
from ui.core.plain import PlainTextLabel, as_tip

if TYPE_CHECKING:
    from app.history.store.history import History
    from ui.widgets.message import MessageBar

SLICE_S = 0.05  # for which a pool thread is taken
PAUSE_MS = 50  # in which it is free for what people wait for
AGAIN_MS = 5000  # where another process writes for long
SHOWN_S = 10.0  # between two readings of what the pages show
_TIP = (
    "An older version of Dyno stored these sessions. If you close the window, the update continues next time."
)


class Recounting(QObject):
    """Starts when the window is idle."""

    def __init__(self, context: WindowContext, window: QMainWindow, message: MessageBar) -> None:
        super().__init__(window)
        self._context, self._message = context, message
        self._bar = window.statusBar()
        self._label: PlainTextLabel | None = None
        self._total = 0
        self._shown = time.monotonic()

    def begin(self) -> None:
        self._context.tasks.read(self, _uncounted, self._on_counted, self._message.show_failure)

    def _count(self) -> None:
        self._context.tasks.read(self, _recount, self._on_counted, self._on_failed)

    def _on_counted(self, left: int) -> None:
        self._total = max(self._total, left)
        if self._total:
            self._show(left)
        if left:
            QTimer.singleShot(PAUSE_MS, self, self._count)

    def _show(self, left: int) -> None:
        if self._label is None:
            self._label = PlainTextLabel()
            self._label.setToolTip(as_tip(_TIP))
            self._bar.addPermanentWidget(self._label)
        self._label.setText(f"Updating older sessions: {self._total - left:,} of {self._total:,}")
        if not left or time.monotonic() > self._shown + SHOWN_S:
            self._shown = time.monotonic()
            self._context.bus.changed.emit(PartsToReload(sessions=True))
        if not left:
            self._end()

    def _on_failed(self, error: Exception) -> None:
        from app.history.store.history import HistoryBusyError

        if isinstance(error, HistoryBusyError):
            QTimer.singleShot(AGAIN_MS, self, self._count)
        else:
            self._message.show_failure(error)
            self._end()

    def _end(self) -> None:
        if self._label is not None:
            self._bar.removeWidget(self._label)
            self._label.deleteLater()
            self._label = None


def _uncounted(history: History) -> int:
    from app.history.recorded.recounting import recount_backlog

    return recount_backlog(history)


def _recount(history: History) -> int:
    from app.history.recorded.recounting import recount_within_time

    return recount_within_time(history, SLICE_S)
