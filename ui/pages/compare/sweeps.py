"""One step over what was swept: its threads, cores, rows or rates."""

from __future__ import annotations

from app.comparison.cells.cell import Row
from app.comparison.cells.measures import FIGURE
from app.comparison.charts import AXES
from app.comparison.charts.points import error_bars_legend
from app.comparison.charts.sweeps import (
    axes_of,
    is_logarithmic,
    no_sweep_text,
    step_name_off_axis,
    sweep_numbers,
    swept,
)
from ui.core.theme import Theme
from ui.models.comparison import drawn_points, drawn_unit
from ui.widgets.charts.line_chart import LineChart

from .choice_panel import ChartWithChoice
from .panel import ComparePanelData


class SweepChartPanel(ChartWithChoice):
    title = "Sweep"
    tip = "The chosen step over its threads, cores, rows or rates"

    def __init__(self, theme: Theme, axis: str = "") -> None:
        super().__init__(theme, "&Over")
        self._wanted = axis  # the one that was chosen last
        self._axis = ""  # the one that is drawn
        self._choice.setToolTip("What varies along the curves; everything else is as in the chosen line")

    def csv(self) -> str:
        if self.shown is None or not self._axis:
            return ""
        return sweep_numbers(self.shown.comparison, self.shown.row, self._axis).to_csv()

    def parts(self, shown: ComparePanelData) -> tuple[object, ...]:
        return (shown.comparison, shown.lines, shown.step, self._wanted)

    def draw(self, shown: ComparePanelData) -> None:
        axes = axes_of(shown.comparison.rows, shown.row)
        axis = self._wanted if self._wanted in axes else next(iter(axes), "threads")
        self._fill(axes, axis)
        rows = swept(shown.comparison.rows, shown.row, axis)
        self._axis = axis if rows else ""
        chart = self._provide()
        chart.setVisible(bool(rows))
        self.remark.setText(_remark(shown.row, rows, axis))
        self.remark.setVisible(bool(self.remark.text()))
        if rows:
            _draw_rows(chart, rows, axis, shown)
        self.drawn.emit()

    def _fill(self, axes: list[str], axis: str) -> None:
        """Fill the choice of axes; hidden if there is only one."""
        self._head.setVisible(len(axes) > 1)
        self._choice.clear()
        for each in axes:
            self._choice.addItem(AXES[each], each)
        self._choice.setCurrentIndex(self._choice.findData(axis))

    def _on_chosen(self, at: int) -> None:
        self._wanted = self._choice.itemData(at)
        super()._on_chosen(at)


def _draw_rows(chart: LineChart, rows: list[Row], axis: str, shown: ComparePanelData) -> None:
    xs = [float(row.coordinates[axis]) for row in rows]
    points = [drawn_points(row) for row in rows]
    curves = [(line, xs, [each[at].value for each in points]) for at, line in enumerate(shown.lines)]
    reaches = {line.key: [each[at].reach for each in points] for at, line in enumerate(shown.lines)}
    better = ", less is better" if rows[0].direction == "lower" else ""
    measure = "" if shown.measure is FIGURE else f": {shown.measure.title_of(rows[0].unit)}"
    unit = f"{drawn_unit(rows[0].unit)}{better}"
    chart.set_title(f"{step_name_off_axis(rows[0], axis)} over {AXES[axis]}{measure}", unit)
    chart.set_curves(curves, AXES[axis], unit, is_logarithmic(rows, axis), reaches)


def _remark(row: Row | None, rows: list[Row], axis: str) -> str:
    if row is None:
        return "Choose a step in the table."
    if not rows:
        return no_sweep_text(row, axis)
    if len(rows) == 1:
        return f"{row.workload} ran with only one number of {AXES[axis]}."
    return error_bars_legend(cell.n for each in rows for cell in each.cells)
