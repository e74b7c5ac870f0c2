"""A chart of the Compare page without the window: what `dyno chart --out` saves as a picture."""

from __future__ import annotations

import os
from pathlib import Path

from PySide6.QtCore import QEventLoop, Qt, QTimer
from PySide6.QtWidgets import QApplication

from app.comparison.cells.measures import measure_named
from app.comparison.charts.request import ChartComparison, ChartRequest, chart_numbers, load_chart
from app.core.settings import home, read_settings
from app.history.store.history import History
from ui.core.context import WindowContext
from ui.pages.compare.bars import BarsPanel
from ui.pages.compare.heat import HeatPanel
from ui.pages.compare.latency import LatencyPanel
from ui.pages.compare.pairs import BeforeAfterPanel
from ui.pages.compare.panel import ComparePanelData, Panel, lines_of
from ui.pages.compare.rates import RatesPanel
from ui.pages.compare.seconds import SecondsPanel
from ui.pages.compare.sizes import SizesPanel
from ui.pages.compare.sweeps import SweepChartPanel
from ui.pages.compare.versions import VersionsPanel
from ui.widgets.image import LEAST, save_image, temporarily_enlarged

from .application import close_context, log_to, make_application, make_window_context


def draw_chart(request: ChartRequest, path: Path) -> None:
    """Draw a chart in the colours of the settings; raises InputError if there is nothing to draw."""
    directory = home()
    with History(directory) as history:
        loaded = load_chart(history, request)
        chart_numbers(history, loaded)
    os.environ["QT_QPA_PLATFORM"] = "offscreen"  # nobody needs a screen for it
    _application = make_application()
    log_to(directory / "log")
    context = make_window_context(directory)
    try:
        context.theme.set_appearance(read_settings(directory).appearance)
        panel = _panel(context, request)
        _draw(panel, _shown(context, loaded))
        with temporarily_enlarged(panel.picture, panel.least) as picture:
            save_image(picture, path, panel.caption)
    finally:
        close_context(context)


def _panel(context: WindowContext, request: ChartRequest) -> Panel:
    match request.chart:
        case "bars":
            return BarsPanel(context.theme)
        case "before-after":
            return BeforeAfterPanel(context.theme)
        case "versions":
            return VersionsPanel(context.theme)
        case "sweep":
            return SweepChartPanel(context.theme, request.over)
        case "rates":
            return RatesPanel(context.theme)
        case "seconds":
            return SecondsPanel(context, request.series)
        case "heat":
            return HeatPanel(context)
        case "latency":
            return LatencyPanel(context)
    return SizesPanel(context)


def _shown(context: WindowContext, loaded: ChartComparison) -> ComparePanelData:
    measure, lines = measure_named(loaded.request.measure), lines_of(loaded.comparison, context.theme)
    return ComparePanelData(
        loaded.comparison, loaded.whole, measure, loaded.request.is_relative, lines, loaded.row
    )


def _draw(panel: Panel, shown: ComparePanelData) -> None:
    """Draw everything, including data that must be read first."""
    waiting, failures = QEventLoop(), list[Exception]()
    panel.drawn.connect(waiting.quit)
    panel.failed.connect(failures.append)
    panel.failed.connect(waiting.quit)
    panel.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
    panel.resize(LEAST)
    panel.show()
    QTimer.singleShot(0, lambda: panel.update_from(shown))
    waiting.exec()
    if failures:
        raise failures[0]
    QApplication.processEvents()  # what was drawn finds its places
