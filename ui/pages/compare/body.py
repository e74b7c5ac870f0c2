"""The table with its charts next to it, or below if the table needs the width."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSplitter, QTabWidget, QWidget

from app.comparison.cells.cell import Comparison, Row
from app.comparison.cells.measures import measure_named
from ui.core.context import WindowContext
from ui.widgets.charts.hidden import HiddenChartLines
from ui.widgets.layouts import in_column

from .bars import BarsPanel
from .chosen import ShownComparison
from .differing import DifferencesPanel
from .heat import HeatPanel
from .latency import LatencyPanel
from .one_table import OneTablePanel, OperationsPanel, RolesPanel, SoakPanel
from .pairs import BeforeAfterPanel
from .panel import ComparePanelData, Panel, lines_of
from .rates import RatesPanel
from .seconds import SecondsPanel
from .sizes import SizesPanel
from .sweeps import SweepChartPanel
from .table import ComparisonTable
from .versions import VersionsPanel
from .why import CAUSES, WhyPanel

CHART_WIDTH = 560  # pixels that charts need next to the table
_TABLE_SHARE, _CHART_SHARE = 1, 1
_FIRST_COLUMN = 4  # where the keyboard is at first: the column after the base


class CompareBody(QWidget):
    """Draws a comparison; its panels read only what they need."""

    failed = Signal(Exception)

    def __init__(self, context: WindowContext) -> None:
        super().__init__()
        self._context = context
        self.table = ComparisonTable(context.theme)
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        self.tabs.setAccessibleName("Charts")
        self._why, self._seconds = WhyPanel(context), SecondsPanel(context)
        self.panels: list[Panel] = [
            BarsPanel(context.theme), SweepChartPanel(context.theme), RatesPanel(context.theme),
            self._seconds, HeatPanel(context), LatencyPanel(context), SizesPanel(context),
            BeforeAfterPanel(context.theme), RolesPanel(context.theme), OperationsPanel(context.theme),
            SoakPanel(context.theme), VersionsPanel(context.theme), self._why, DifferencesPanel(context),
        ]  # fmt: skip
        self._splitter = QSplitter()
        self._splitter.setChildrenCollapsible(False)
        self._shown: ComparePanelData | None = None
        self._arranged: tuple[Qt.Orientation | None, str, int] = (None, "", 0)
        self._build()
        self.table.cell_chosen.connect(self._on_cell_chosen)
        self.table.activated.connect(lambda _index: self.show_why())
        self.tabs.currentChanged.connect(lambda at: context.memory.keep("compare/tab", at))
        self._splitter.splitterMoved.connect(self._on_splitter_moved)

    def _build(self) -> None:
        for panel in self.panels:
            panel.failed.connect(self.failed)
            panel.saved.connect(self._context.bus.saved)
            panel.hidden.changed.connect(self._on_hidden)
            self.tabs.addTab(panel, panel.title)
            self.tabs.setTabToolTip(self.tabs.count() - 1, panel.tip)
        self.tabs.setCurrentIndex(self._context.memory.value("compare/tab", 0))
        self._splitter.addWidget(self.table)
        self._splitter.addWidget(self.tabs)
        self.setLayout(in_column(self._splitter))

    @property
    def comparison(self) -> Comparison | None:
        """The comparison as shown: by the measure, with groups together."""
        return self._shown.comparison if self._shown else None

    @property
    def is_relative(self) -> bool:
        return self._shown is not None and self._shown.is_relative

    @property
    def panel(self) -> Panel:
        return self.panels[self.tabs.currentIndex()]

    def show_comparison(
        self, compared: ShownComparison, is_relative: bool, has_details: bool, is_by_effect: bool = False
    ) -> None:
        """Show a comparison, measure or view; the focus stays on its step."""
        whole, comparison = compared.comparison, compared.shown
        if whole is None or comparison is None:
            return
        measure = measure_named(compared.look.measure)
        before, column = self.table.chosen_step, self.table.currentIndex().column()
        self.table.figures.show(comparison, is_relative, has_details, is_by_effect)
        self.table.refresh()
        lines = lines_of(comparison, self._context.theme)
        self._shown = ComparePanelData(comparison, whole, measure, is_relative, lines, None)
        for at, panel in enumerate(self.panels):
            if isinstance(panel, OneTablePanel):
                self.tabs.setTabVisible(at, panel.has_any(whole))
        self._arrange()
        self.table.choose(
            self.table.figures.find(before) if before else -1, column if before else _FIRST_COLUMN
        )
        self._on_cell_chosen(self.table.chosen_step)

    def show_why(self) -> None:
        """Show the costs of the chosen step, and focus them."""
        self._why.go_to(CAUSES)
        self.tabs.setCurrentWidget(self._why)

    def show_seconds(self) -> None:
        """Show the chosen step second by second."""
        self.tabs.setCurrentWidget(self._seconds)

    def _on_cell_chosen(self, row: Row | None) -> None:
        if self._shown is not None:
            self._shown = replace(self._shown, row=row, column=self.table.chosen_column)
            for panel in self.panels:
                panel.update_from(self._shown)

    def _on_hidden(self) -> None:
        """Hide a column in all charts."""
        hidden = self.sender()
        if isinstance(hidden, HiddenChartLines):
            for panel in self.panels:
                panel.hidden.restore(hidden.state)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        """Place the charts below the table if they are too narrow next to it."""
        if self._shown is None:
            return
        least = self.table.least_width
        is_beside = self.width() - least >= self._beside
        wanted = Qt.Orientation.Horizontal if is_beside else Qt.Orientation.Vertical
        if (wanted, self._columns, least) != self._arranged:
            self._arranged = (wanted, self._columns, least)
            self._splitter.setOrientation(wanted)
            self._restore(wanted)

    @property
    def _beside(self) -> int:
        """The width that the charts need next to the table: all tabs, the widest of these, the handle."""
        tabs = self.tabs
        widest = max(CHART_WIDTH, tabs.tabBar().sizeHint().width(), tabs.minimumSizeHint().width())
        return widest + self._splitter.handleWidth()

    @property
    def _columns(self) -> str:
        """The number of columns, and whether they are wide."""
        count = len(self._shown.lines) if self._shown else 0
        return f"{count}-detailed" if self.table.figures.has_details else f"{count}"

    def _restore(self, orientation: Qt.Orientation) -> None:
        """Restore the chosen sizes for this number of columns, else give the table what it needs."""
        kept = [int(size) for size in self._context.memory.value(self._key, [])]
        if len(kept) == 2:
            self._splitter.setSizes(kept)
        elif orientation == Qt.Orientation.Horizontal:
            most = min(self.width() * 45 // 100, self.width() - self._beside)
            wanted = max(self.table.least_width, min(self.table.best_width, most))
            self._splitter.setSizes([wanted, self.width() - wanted])
        else:
            parts = self.height() // (_TABLE_SHARE + _CHART_SHARE)
            self._splitter.setSizes([parts * _TABLE_SHARE, parts * _CHART_SHARE])

    def _on_splitter_moved(self) -> None:
        self._context.memory.keep(self._key, self._splitter.sizes())

    @property
    def _key(self) -> str:
        is_beside = self._splitter.orientation() == Qt.Orientation.Horizontal
        return f"compare/{'beside' if is_beside else 'below'}-{self._columns}"
