"""A panel with one chart of curves, and a choice above it."""

from __future__ import annotations

from PySide6.QtWidgets import QComboBox, QWidget

from ui.core.plain import PlainTextLabel
from ui.core.theme import SPACE, Theme
from ui.widgets.charts.line_chart import LineChart
from ui.widgets.layouts import NATIVE, boxed, in_column, in_row

from .panel import Panel


class ChartWithChoice(Panel):
    """The choice can be hidden; the chart is created when it is first needed."""

    def __init__(self, theme: Theme, label: str) -> None:
        super().__init__(theme)
        self.chart: LineChart | None = None
        self._choice = QComboBox()
        self._choice.setAccessibleName(label.replace("&", ""))
        self._choice.activated.connect(self._on_chosen)
        self._head = boxed(in_row(PlainTextLabel(label, buddy=self._choice), self._choice, 1))
        self._column = in_column(self.remark, spacing=NATIVE)
        self._body = boxed(self._column)
        self.setLayout(in_column(self._head, (self._body, 1), spacing=NATIVE, margins=(0, SPACE, 0, 0)))

    @property
    def picture(self) -> QWidget:
        return self._body

    def _on_chosen(self, _at: int) -> None:
        if self.shown is not None:
            self.update_from(self.shown)

    def _provide(self) -> LineChart:
        if self.chart is None:
            self.chart = LineChart(self.theme, self.title, "", self)
            self.take(self.chart)
            self._column.addWidget(self.chart, 1)
            self._column.addStretch(0)
        return self.chart
