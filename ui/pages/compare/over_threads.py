"""One step over the threads it was carried out with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from app.compare import RowEntry

from ...models.comparison import step_text
from ...theme import SPACE, Theme
from .panel import Panel, Shown

if TYPE_CHECKING:
    from ...widgets.chart import LineChart


class ThreadsPanel(Panel):
    title = "Over threads"
    tip = "The chosen step over the number of its threads"

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._chart: LineChart | None = None
        self._remark = QLabel()
        self._remark.setProperty("role", "muted")
        self._remark.setWordWrap(True)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, SPACE, 0, 0)
        self._column.addWidget(self._remark)

    @property
    def picture(self) -> QWidget:
        return self._chart or self

    def parts(self, shown: Shown) -> tuple[object, ...]:
        return (shown.comparison, shown.lines, shown.row and step_text(shown.row))

    def draw(self, shown: Shown) -> None:
        chart = self._provide()
        rows = steps_over_threads(shown)
        chart.setVisible(bool(rows))
        self._remark.setText(_remark(shown, rows))
        self._remark.setVisible(bool(self._remark.text()))
        if rows:
            _draw_rows(chart, rows, shown)
        self.drawn.emit()

    def _provide(self) -> LineChart:
        from ...widgets.chart import LineChart

        if self._chart is None:
            self._chart = LineChart(self.theme, self.title, "", self)
            self._column.addWidget(self._chart, 1)
            self._column.addStretch(0)
        return self._chart


def _draw_rows(chart: LineChart, rows: list[RowEntry], shown: Shown) -> None:
    xs = [float(row["threads"] or 0) for row in rows]
    curves = [(line, xs, [row["values"][at] for row in rows]) for at, line in enumerate(shown.lines)]
    title = f"{step_text(rows[0])}: {shown.measure.title}"
    chart.set_title(title, rows[0]["unit"])
    chart.set_curves(curves, "threads", rows[0]["unit"])


def steps_over_threads(shown: Shown) -> list[RowEntry]:
    """The chosen step at each number of threads, by the measure; none where it has no threads."""
    if shown.row is None:
        return []
    wanted = step_text(shown.row)
    rows = [
        row for row in shown.comparison["rows"] if step_text(row) == wanted and row["threads"] is not None
    ]
    return sorted(rows, key=lambda row: row["threads"] or 0)


def _remark(shown: Shown, rows: list[RowEntry]) -> str:
    if shown.row is None:
        return "Choose a step in the table."
    if not rows:
        return f"{step_text(shown.row)} has no number of threads."
    if len(rows) == 1:
        return f"{step_text(shown.row)} was carried out with one number of threads only."
    return ""
