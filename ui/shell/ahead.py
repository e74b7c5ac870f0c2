"""What pages need is imported by a thread before a person turns to them, half a second in all.

PySide makes a class when it is first named, and crashes if two threads do so at once. So the GUI thread names
all classes before, a few each turn; the parts of Qt that only pyqtgraph uses are named by the thread alone.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from importlib import import_module
from types import ModuleType

from PySide6 import QtCore, QtGui, QtSvg, QtWidgets
from PySide6.QtCore import QObject, QTimer

from ui.core.context import WindowContext

NAMED = (QtCore, QtGui, QtWidgets, QtSvg)
ON_A_THREAD = (
    "numpy",
    "ui.core.following",
    "app.comparison.charts.of_all_steps",
    "app.comparison.why.why",
    "app.following.under_way",
    "app.history.lists.browsing",
    "app.history.steps.timeline",
    "ui.widgets.charts.canvas",
    "ui.pages.live",
    "ui.pages.history",
    "ui.pages.compare",
)
TURN_S = 0.005  # of the GUI thread; one class may take a few milliseconds more
PAUSE_MS = 10  # between two turns, for what a person does meanwhile


class ImportAhead(QObject):
    def __init__(self, context: WindowContext, parent: QObject) -> None:
        super().__init__(parent)
        self._context = context
        self._left = _classes()
        self._timer = QTimer(self, interval=PAUSE_MS)
        self._timer.timeout.connect(self._on_timeout)

    def begin(self) -> None:
        self._timer.start()

    def _on_timeout(self) -> None:
        end = time.perf_counter() + TURN_S
        for module, name in self._left:
            getattr(module, name)
            if time.perf_counter() > end:
                return
        self._timer.stop()
        self._context.tasks.run(self, _import_pages, lambda _: None, lambda _: None)


def _classes() -> Iterator[tuple[ModuleType, str]]:
    return ((module, name) for module in NAMED for name in dir(module))


def _import_pages() -> None:
    for name in ON_A_THREAD:
        import_module(name)
