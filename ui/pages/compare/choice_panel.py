"""A panel with one chart of curves, and a choice above it."""

from __future__ import annotations

from PySide6.QtWidgets import QComboBox, QHBoxLayout, QVBoxLayout, QWidget

from ui.core.plain import Label
from ui.core.theme import SPACE, Theme
from ui.widgets.charts.line_chart import LineChart

from .panel import Panel


class ChoicePanel(Panel):
    """The choice can be hidden; the chart is created when it is first needed."""

    def __init__(self, theme: Theme, label: str, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self.chart: LineChart | None = None
        self._choice = QComboBox()
        self._choice.setAccessibleName(label.replace("&", ""))
        self._choice.activated.connect(self._on_chosen)
        self._head, self._body = QWidget(), QWidget()
        self._build_layout(label)

    def _build_layout(self, text: str) -> None:
        label = Label(text)
        label.setBuddy(self._choice)
        row = QHBoxLayout(self._head)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(SPACE)
        row.addWidget(label)
        row.addWidget(self._choice)
        row.addStretch(1)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, SPACE, 0, 0)
        whole.addWidget(self._head)
        whole.addWidget(self._body, 1)
        self._column = QVBoxLayout(self._body)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.addWidget(self.remark)

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
