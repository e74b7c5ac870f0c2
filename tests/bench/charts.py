"""What the charts of the live page cost: 16 curves of ten hours at 1 Hz, in a window of 1600x900."""

from __future__ import annotations

import argparse
import os
import time
from typing import TYPE_CHECKING

from tests.bench.figure import Figure

if TYPE_CHECKING:
    from ui.widgets.charts.time_axis import TimeAxis
    from ui.widgets.charts.time_chart import TimeChart

CHARTS, CURVES = 4, 4  # charts under one another, curves in each
SAMPLES = 36_000  # ten hours at 1 Hz
WIDTH, HEIGHT = 1600, 900
FRAMES = 600
STEADY_S = 30
LAST = 600.0  # seconds shown where the newest are followed
FRAME_MS, SLOWEST_MS, CORE_PCT = 8, 16, 2  # goals


class Live:
    """A window with the charts of a live page, of which every tick adds a second."""

    def __init__(self) -> None:
        import numpy as np
        from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget

        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
        self.application = QApplication.instance() or QApplication([])
        from ui.widgets.charts.time_axis import TimeAxis

        self._random = np.random.default_rng(1)
        self._now = float(SAMPLES)
        self.window = QWidget()
        self.window.resize(WIDTH, HEIGHT)
        self.axis: TimeAxis = TimeAxis()
        self.charts = [self._chart(at) for at in range(CHARTS)]
        column = QVBoxLayout(self.window)
        for chart in self.charts:
            column.addWidget(chart)
            self.axis.add(chart)
        self.window.show()
        self.axis.reset()
        self.settle()

    def _chart(self, at: int) -> TimeChart:
        import numpy as np

        from ui.core.theme import Theme
        from ui.widgets.charts.lines import ChartLine, Span
        from ui.widgets.charts.time_chart import TimeChart

        theme = Theme()
        chart = TimeChart(theme, f"chart {at}", "1/s")
        chart.set_lines([ChartLine(str(n), f"curve {n}", theme.contender(n)) for n in range(CURVES)])
        chart.set_spans([Span(t, t + 120.0, "warmup") for t in range(0, SAMPLES, 1800)])
        t = np.arange(SAMPLES, dtype=float)
        for n in range(CURVES):
            wave = 1000 * (n + 2) + 300 * np.sin(t / (900 + 100 * n))
            chart.track(str(n)).extend(t, wave + self._random.normal(0, 60, SAMPLES))
        return chart

    def settle(self) -> None:
        for _ in range(20):
            self.application.processEvents()

    def tick(self) -> None:
        """A second more of every curve, and what is to be painted for it."""
        for chart in self.charts:
            for n in range(CURVES):
                chart.track(str(n)).extend([self._now], [1000.0 * (n + 2) + self._random.normal(0, 60)])
        self._now += 1.0
        self.axis.refresh()
        self.application.processEvents()

    def frames(self, name: str) -> list[Figure]:
        """CPU of the process a tick, until everything is painted."""
        spent = []
        for _ in range(FRAMES):
            begin = time.process_time()
            self.tick()
            spent.append((time.process_time() - begin) * 1000)
        spent.sort()
        slow = spent[int(len(spent) * 0.99)]
        return [
            Figure(f"{name}: frame, mean", sum(spent) / FRAMES, "ms CPU", FRAMES, "frames", at_most=FRAME_MS),
            Figure(f"{name}: frame, p99", slow, "ms CPU", FRAMES, "frames", at_most=SLOWEST_MS),
        ]

    def cursor(self) -> Figure:
        """CPU of a move of the mouse over the charts."""
        first, last = self.axis.range
        begin = time.process_time()
        for at in range(FRAMES):
            self.axis.set_cursor(first + (last - first) * at / FRAMES)
            self.application.processEvents()
        spent = (time.process_time() - begin) * 1000 / FRAMES
        return Figure("cursor moved", spent, "ms CPU", FRAMES, "moves", at_most=FRAME_MS)

    def steady(self, seconds: int) -> Figure:
        """A tick a second, and nothing else."""
        from PySide6.QtCore import QEventLoop, QTimer

        loop, timer = QEventLoop(), QTimer()
        timer.timeout.connect(self.tick)
        timer.start(1000)
        QTimer.singleShot(seconds * 1000, loop.quit)
        begin, at = time.process_time(), time.monotonic()
        loop.exec()
        share = (time.process_time() - begin) / (time.monotonic() - at) * 100
        return Figure("charts at 1 Hz", share, "% of a core", seconds, "s", at_most=CORE_PCT)


def live_frame(arguments: argparse.Namespace) -> list[Figure]:
    """The whole ten hours, then the last ten minutes; the cursor; the steady cost."""
    live = Live()
    found = live.frames("10 hours")
    found.append(live.cursor())
    live.axis.set_range(live.axis.whole[1] - LAST, live.axis.whole[1])
    live.axis.follow()
    found += live.frames("last 10 minutes")
    live.axis.reset()
    found.append(live.steady(arguments.seconds or STEADY_S))
    live.window.close()
    return found


FIGURES = {"live-frame": live_frame}
