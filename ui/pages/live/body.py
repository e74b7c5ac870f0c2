"""The parts of the Live page and where they stand."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QTabWidget, QWidget

from app.history.steps.timeline import SessionResults
from ui.core.context import WindowContext
from ui.core.page import MARGIN
from ui.core.theme import SPACE
from ui.models.results import ResultsModel
from ui.widgets.layouts import in_column, split
from ui.widgets.message import Banner
from ui.widgets.table import LineSelectTable

from .charts import SessionCharts
from .choices import ChartChoices
from .engine_panel import EngineFiguresPanel
from .header import PlanHeader, RunningPlansBar
from .queue_line import QueueSummaryRow
from .remarks import RemarksPanel
from .so_far import SoFarRow
from .steering import Steering
from .waits import WaitsPanel
from .watching import LoadedSession

WIDTHS = (17, 8, 20, 11, 11, 11, 12, 10, 10, 7, 8)  # of the results, until a person changes them


class LiveBody(QWidget):
    """Strip above, charts in the middle, results and log below; stores their sizes."""

    def __init__(self, context: WindowContext, page: QWidget) -> None:
        super().__init__(page)
        self.plans = RunningPlansBar(context.theme)
        self.message = Banner(self)
        self.queue = QueueSummaryRow(context, page)
        self.header = PlanHeader(context.theme)
        self.so_far = SoFarRow(context, page)
        self.steering = Steering(context, page)
        self.charts = SessionCharts(context.theme)
        self.choices = ChartChoices(context, self.charts.axis, self.charts, page)
        self.results = ResultsModel(context.theme)
        self.table = LineSelectTable("Results, step by step")
        self.engine = EngineFiguresPanel(context.theme)
        self.tabs = QTabWidget()
        self.remarks = RemarksPanel(context.theme)
        self.waits = WaitsPanel(context)
        self._in_sight = ("", -1)  # session and step whose line was scrolled to
        self._arrange(context)

    def bring_in_sight(self, session: str, step: int) -> None:
        """Scroll to the line of a step that has just begun."""
        if (session, step) != self._in_sight and step < self.results.rowCount():
            self._in_sight = (session, step)
            table, model = self.table, self.results
            QTimer.singleShot(0, table, lambda: table.scrollTo(model.index(step, 0)))  # once it has its size

    def show_engine(self, loaded: LoadedSession | None, overview: SessionResults | None) -> None:
        """Show the figures of the engine: now while the running step is followed, else of the chosen step."""
        if loaded is None or overview is None or not self.engine.isVisible():
            return
        self.engine.show_engine(overview.session["contender"]["engine"])
        current = loaded.curves.current
        if self.charts.axis.is_following and current is not None and current.ended_t is None:
            self.engine.show_now(loaded.curves)
        else:
            row = self.table.currentIndex().row()
            self.engine.show_step(overview.steps[row] if 0 <= row < len(overview.steps) else None)

    def _arrange(self, context: WindowContext) -> None:
        self._make_table(context)
        self._make_tabs()
        self.header.buttons.addWidget(self.steering)
        below = split(Qt.Orientation.Horizontal, (self.tabs, 128 * SPACE, 3), (self.remarks, 27 * SPACE, 1))
        whole = split(Qt.Orientation.Vertical, (self.charts, 52 * SPACE, 5), (below, 16 * SPACE, 2))
        parts = (self.plans, self.header, self.so_far, self.queue, self.choices, (whole, 1))
        self.setLayout(in_column(*parts, margins=(MARGIN,) * 4))
        context.memory.restore_splitter(whole, "live/split")
        context.memory.restore_splitter(below, "live/below")

    def _make_tabs(self) -> None:
        self.tabs.setDocumentMode(True)
        self.tabs.setAccessibleName("Results, engine and waits")
        self.tabs.addTab(self.table, "Results")
        self.tabs.addTab(self.engine, "Engine")
        self.tabs.setTabToolTip(1, "The figures of the engine that matter, of the running or the chosen step")
        self.tabs.addTab(self.waits, "Waits")
        self.tabs.setTabToolTip(2, "What threads waited for in the chosen step, by name, once it has ended")
        self.tabs.setCornerWidget(self.engine.heading)
        self.tabs.currentChanged.connect(lambda at: self.engine.heading.setVisible(at == 1))

    def _make_table(self, context: WindowContext) -> None:
        self.table.setModel(self.results)
        self.table.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        header = self.table.horizontalHeader()
        header.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        for at, width in enumerate(WIDTHS):
            self.table.setColumnWidth(at, width * SPACE)
        context.memory.restore_header(header, "live/results")
