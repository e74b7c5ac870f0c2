"""Python's search for cycles, kept on the GUI thread and short.

Left to itself it begins on whatever thread allocates: there it would delete widgets off the GUI thread, and a
search through everything that the window is made of stops all threads for a tenth of a second.
"""

from __future__ import annotations

import gc
import sys

from PySide6.QtCore import QObject, QTimer

YOUNG_MS = 5_000  # between two collections of new objects
OLD_EVERY = 24  # collections until one of everything newer than the window's parts


class GarbageCollectionTimer(QObject):
    """While it exists, garbage is collected only by its timer."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._looks = self._modules = 0
        gc.disable()
        timer = QTimer(self, interval=YOUNG_MS)
        timer.timeout.connect(self._on_timeout)
        timer.start()

    def settle(self) -> None:
        """Exclude existing modules, pages and widgets from the search for garbage."""
        gc.freeze()

    def close(self) -> None:
        gc.enable()
        gc.unfreeze()

    def _on_timeout(self) -> None:
        self._looks += 1
        gc.collect(2 if self._looks % OLD_EVERY == 0 else 1)
        if len(sys.modules) != self._modules:  # a part of the window was made
            self._modules = len(sys.modules)
            self.settle()
