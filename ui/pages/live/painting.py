"""When the curves of the Live page are painted: soon, seldom, and never while nobody sees them."""

from __future__ import annotations

from PySide6.QtCore import QElapsedTimer, QTimer
from PySide6.QtWidgets import QWidget

from .charts import SessionCharts
from .watching import MUCH

FRAME_MS = 100  # between two paints of the curves
CALM_MS = 150  # without more of them it is over
PATIENCE_MS = 2000  # the longest that nothing is painted meanwhile


class Painting(QTimer):
    def __init__(self, charts: SessionCharts, page: QWidget) -> None:
        super().__init__(page, singleShot=True)
        self._charts, self._page = charts, page
        self._painted = QElapsedTimer()
        self._is_marked = True  # bounds and notes are drawn as they are known
        self.timeout.connect(self.paint)

    def request(self, samples: int) -> None:
        """Paint now if the last paint is long ago, else as soon as possible.

        Where a lot comes together more is to come: painting waits for the end of it, for the thread that
        takes it in and the paint would keep each other waiting.
        """
        gone = self._painted.elapsed() if self._painted.isValid() else PATIENCE_MS
        if not self._page.isVisible() or (self.isActive() and samples < MUCH):
            return
        wait = FRAME_MS - gone if samples < MUCH else min(CALM_MS, PATIENCE_MS - gone)
        self.start(max(0, wait))

    def request_marks(self) -> None:
        """Steps or notes have changed."""
        self._is_marked = False
        self.request(1)

    def paint(self) -> None:
        self._painted.start()
        if not self._is_marked:
            self._is_marked = True
            self._charts.mark()
        self._charts.advance()
        self._charts.axis.refresh()
