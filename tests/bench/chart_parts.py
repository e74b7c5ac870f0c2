"""Parts of charts that Dyno paints by hand, against pyqtgraph's items for them.

The items are bare: no names in rows, no hatched bars, no names beside curves, no cursor.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from statistics import median
from typing import TYPE_CHECKING, Any
from unittest.mock import DEFAULT, patch

from tests.bench.charts import Live
from tests.bench.figure import Figure

if TYPE_CHECKING:
    from ui.core.theme import Theme
    from ui.widgets.charts.lines import ChartLine

CONTENDERS, CHARTS, STEPS = 8, 8, 8  # steps of each chart of bars
THREADS = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0]
TIMES = 21
FRAMES, ROUNDS = 120, 5
BAR = 0.76 / CONTENDERS  # of the place of a step
IMPORTS = """
import gc, time
gc.disable()
import PySide6.QtCore, PySide6.QtGui, PySide6.QtWidgets, ui.widgets.charts.bar_chart
def resident():
    return int(open("/proc/self/statm").read().split()[1]) * 4096 / 2**20
before, began = resident(), time.process_time()
import numpy, pyqtgraph
print(time.process_time() - began, resident() - before)
"""

Values = list[list[float]]  # by contender
Draw = Callable[[Values], None]


def measure_chart_parts(_: argparse.Namespace) -> list[Figure]:
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    live = Live()  # makes the application, too
    return [*_imported(), *_bars(live), *_curves(live), *_live(live)]


def _imported() -> list[Figure]:
    """What a window pays that shows Compare and no curve over time."""
    outs = [subprocess.check_output([sys.executable, "-c", IMPORTS], text=True) for _ in range(7)]
    found = [[float(part) for part in out.split()] for out in outs[1:]]  # the first makes .pyc files
    spent, grown = (median(each[at] for each in found) for at in range(2))
    return [
        Figure("numpy and pyqtgraph imported", spent * 1000, "ms CPU", 6, "starts", digits=0),
        Figure("their memory", grown, "MiB", 6, "starts", digits=1),
    ]


def _bars(live: Live) -> list[Figure]:
    from ui.widgets.charts.bar_chart import BarChart

    theme, lines = _lines()
    names = [f"read-only.range{at}" for at in range(STEPS)]
    ours = [BarChart(theme, "", "", live.window) for _ in range(CHARTS)]

    def draw(values: Values) -> None:
        bars = list(zip(lines, values, strict=True))
        for chart in ours:
            chart.set_bars(names, bars, "", 1.0, {line.key: _reaches(each) for line, each in bars})

    plots = [_plot(live) for _ in range(CHARTS)]
    found = {
        "BarChart": _redrawn(live, ours, draw),
        "BarGraphItem, ErrorBarItem": _redrawn(live, plots, _bar_items(plots, lines, names)),
        "the same, values as TextItem": _redrawn(live, plots, _bar_items(plots, lines, names, True)),
    }
    return _figures(f"{CHARTS} charts of {CONTENDERS} x {STEPS} bars", found)


def _curves(live: Live) -> list[Figure]:
    from ui.widgets.charts.line_chart import LineChart

    theme, lines = _lines()
    ours = LineChart(theme, "", "", live.window)

    def draw(values: Values) -> None:
        curves = [(line, THREADS, each) for line, each in zip(lines, values, strict=True)]
        reaches = {line.key: _reaches(each) for line, _, each in curves}
        ours.set_curves(curves, "threads", "queries/s", True, reaches)

    plot = _plot(live)
    found = {
        "LineChart": _redrawn(live, [ours], draw),
        "PlotCurveItem, ScatterPlotItem, ErrorBarItem": _redrawn(live, [plot], _curve_items(plot, lines)),
    }
    return _figures(f"a sweep of {CONTENDERS} curves", found)


def _live(live: Live) -> list[Figure]:
    """Of the Live page, over ten hours."""
    from ui.widgets.charts.frame import ChartBackground

    whole = "Live, 10 hours, a frame: all as it is"
    spans, axes = "its warm-ups as LinearRegionItem", "its grid and times by AxisItem"
    spent: dict[str, list[float]] = {whole: [], spans: [], axes: []}
    for _ in range(ROUNDS):
        spent[whole].append(_frame(live))
        with patch.object(ChartBackground, "_draw_span"), _added(live, _warmups):
            spent[spans].append(_frame(live))
        with (
            patch.multiple(ChartBackground, _draw_grid=DEFAULT, _draw_texts_below=DEFAULT),
            _added(live, _axes),
        ):
            spent[axes].append(_frame(live))
    return [
        Figure(name, median(each), "ms CPU", ROUNDS * FRAMES, "frames", digits=1)
        for name, each in spent.items()
    ]


def _frame(live: Live) -> float:
    began = time.process_time()
    for _ in range(FRAMES):
        live.tick()
    return (time.process_time() - began) * 1000 / FRAMES


def _lines() -> tuple[Theme, list[ChartLine]]:
    from ui.core.theme import Theme
    from ui.widgets.charts.lines import ChartLine

    theme = Theme()
    return theme, [ChartLine(str(at), f"contender-{at}", theme.contender(at)) for at in range(CONTENDERS)]


def _reaches(values: list[float]) -> list[tuple[float, float]]:
    return [(value * 0.9, value * 1.1) for value in values]


def _plot(live: Live) -> Any:
    from pyqtgraph import PlotWidget  # type: ignore[import-untyped]

    return PlotWidget(live.window, background="w", enableMenu=False)


def _bar_items(plots: list[Any], lines: list[ChartLine], names: list[str], has_values: bool = False) -> Draw:
    """All bars of a chart are one item, which is the quickest."""
    import numpy as np
    from pyqtgraph import BarGraphItem, TextItem

    brushes = [line.colour for line in lines for _ in names]
    x = np.concatenate([np.arange(STEPS) + (at - CONTENDERS / 2) * BAR for at in range(CONTENDERS)])

    def draw(values: Values) -> None:
        heights = np.concatenate(values)
        for plot in plots:
            plot.clear()
            plot.getAxis("bottom").setTicks([list(enumerate(names))])
            plot.addItem(BarGraphItem(x=x, height=heights, width=BAR, pen=None, brushes=brushes))
            plot.addItem(_error_bars(x, heights))
            for left, value in zip(x, heights, strict=True) if has_values else ():
                plot.addItem(text := TextItem(f"{value:.2f}", anchor=(0.5, 1.0)))
                text.setPos(left, value)

    return draw


def _curve_items(plot: Any, lines: list[ChartLine]) -> Draw:
    """All points are one item, which is the quickest; an item has one pen, so error bars are one a curve."""
    import numpy as np
    from pyqtgraph import PlotCurveItem, ScatterPlotItem

    x = np.log2(THREADS)
    brushes = [line.colour for line in lines for _ in THREADS]

    def draw(values: Values) -> None:
        plot.clear()
        plot.getAxis("bottom").setTicks([[(at, f"{n:g}") for at, n in zip(x, THREADS, strict=True)]])
        for line, each in zip(lines, values, strict=True):
            plot.addItem(PlotCurveItem(x, np.array(each), pen=line.colour, antialias=True))
            plot.addItem(_error_bars(x, np.array(each), line.colour))
        plot.addItem(ScatterPlotItem(np.tile(x, len(lines)), np.concatenate(values), brush=brushes, size=6))

    return draw


def _error_bars(x: Any, values: Any, pen: object = "k") -> Any:
    from pyqtgraph import ErrorBarItem

    return ErrorBarItem(x=x, y=values, height=values * 0.2, beam=BAR / 2, pen=pen)


def _redrawn(live: Live, widgets: list[Any], draw: Draw) -> float:
    """CPU of new numbers and their first paint, the median."""
    from PySide6.QtWidgets import QVBoxLayout, QWidget

    window = QWidget()
    window.resize(1200, max(168 * len(widgets), 540))
    column = QVBoxLayout(window)
    for widget in widgets:
        column.addWidget(widget)
    window.show()
    live.settle()
    chance, spent = random.Random(1), []
    for _ in range(TIMES):
        values = [[0.5 + chance.random() for _ in range(STEPS)] for _ in range(CONTENDERS)]
        began = time.process_time()
        draw(values)
        live.settle()
        spent.append((time.process_time() - began) * 1000)
    for widget in widgets:
        widget.setParent(live.window)
        widget.hide()
    window.close()
    return median(spent)


def _figures(name: str, found: dict[str, float]) -> list[Figure]:
    return [
        Figure(f"{name}: {part}", spent, "ms CPU", TIMES, "times", digits=1) for part, spent in found.items()
    ]


@contextmanager
def _added(live: Live, make: Callable[[Any], list[Any]]) -> Iterator[None]:
    """With these items in each of the charts."""
    made = [(chart.canvas.scene(), item) for chart in live.charts for item in make(chart.canvas)]
    live.settle()
    yield
    for scene, item in made:
        scene.removeItem(item)


def _warmups(canvas: Any) -> list[Any]:
    from pyqtgraph import LinearRegionItem

    spans = [(t, t + 120.0) for t in range(0, 36000, 1800)]
    items = [LinearRegionItem(span, movable=False, brush=(240, 230, 210)) for span in spans]
    for item in items:
        item.setZValue(-50)
        canvas._box.addItem(item, ignoreBounds=True)
    return items


def _axes(canvas: Any) -> list[Any]:
    from pyqtgraph import AxisItem
    from PySide6.QtCore import QRectF

    plot, found = canvas.area.plot, []
    for side, place in (
        ("bottom", QRectF(plot.left(), plot.bottom(), plot.width(), canvas.bottom)),
        ("left", QRectF(0, plot.top(), plot.left(), plot.height())),
    ):
        axis = AxisItem(side)
        axis.linkToView(canvas._box)
        axis.enableAutoSIPrefix(False)
        # a tenth of what it takes with its own style
        axis.setStyle(tickLength=0, maxTickLevel=0, tickAlpha=255, autoExpandTextSpace=False)
        axis.setGrid(255)
        axis.setZValue(-200)  # behind the curves
        canvas.scene().addItem(axis)
        axis.setGeometry(place)
        found.append(axis)
    return found


FIGURES = {"chart-parts": measure_chart_parts}
