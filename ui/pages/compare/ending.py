"""What is drawn from the end of the chosen step: read when it is seen, of all sessions at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.comparison.cells.cell import Row
from app.comparison.charts.points import ChartNumbers
from app.comparison.verdicts.compare import sessions_of
from app.history.steps.step_results import endings
from ui.core.context import WindowContext
from ui.core.tasks import NewestAnswerRunner
from ui.core.theme import SPACE
from ui.models.comparison import step_with_threads
from ui.widgets.charts.still import StillChart
from ui.widgets.layouts import NATIVE, in_column

from .panel import ComparePanelData, Panel

Ended = Mapping[str, Mapping[str, Any]]  # the end of the step, by session


class RemarkedChartPanel(Panel):
    """A panel with a remark above a chart of the given kind."""

    nothing = ""  # what is said where none of the sessions has it

    def __init__(self, context: WindowContext) -> None:
        super().__init__(context.theme)
        self._latest = NewestAnswerRunner(context.tasks, self)
        self.chart: StillChart | None = None
        self._numbers: ChartNumbers | None = None
        self._column = in_column(self.remark, spacing=NATIVE, margins=(0, SPACE, 0, 0))
        self.setLayout(self._column)

    def made(self) -> StillChart:
        """The chart, created on first use."""
        raise NotImplementedError

    def fill(self, shown: ComparePanelData, row: Row, ended: Ended) -> tuple[ChartNumbers, str] | None:
        """Draw the chart; returns its numbers and remark. None: nothing to draw."""
        raise NotImplementedError

    def csv(self) -> str:
        return self._numbers.to_csv() if self._numbers else ""

    def parts(self, shown: ComparePanelData) -> tuple[object, ...]:
        return (shown.whole, shown.lines, shown.step)

    def draw(self, shown: ComparePanelData) -> None:
        if (row := shown.row) is None:
            self._show(None, "Choose a step in the table.")
            return
        ids = sessions_of(shown.comparison)
        self._latest.read(
            lambda history: endings(history, ids, row.workload, row.coordinates),
            lambda ended: self._on_read(shown, row, ended),
            self.failed.emit,
        )

    def _on_read(self, shown: ComparePanelData, row: Row, ended: Ended) -> None:
        if self.chart is None:
            self.chart = self.made()
            self.take(self.chart)
            self._column.addWidget(self.chart, 1)
            self._column.addStretch(0)
        found = self.fill(shown, row, ended)
        told = found[1] if found else self.nothing
        self._show(found and found[0], f"{step_with_threads(row)}: {told}")
        self.drawn.emit()

    def _show(self, numbers: ChartNumbers | None, remark: str) -> None:
        self._numbers = numbers
        self.remark.setText(remark)
        if self.chart is not None:
            self.chart.setVisible(numbers is not None)
