"""The chosen step at each of its rates: a percentile of its latency over the events sent per second."""

from __future__ import annotations

from app.comparison.cells.cell import Row
from app.comparison.cells.labels import names_of
from app.comparison.charts import NOTHING
from app.comparison.charts.points import error_bars_legend
from app.comparison.charts.rates import (
    AXIS,
    PERCENTILES,
    latencies,
    missed_rates_text,
    rows_at_rates,
    target_rate_numbers,
)
from app.comparison.charts.sweeps import step_name_off_axis
from ui.core.theme import Theme
from ui.widgets.charts.line_chart import LineChart

from .choice_panel import ChartWithChoice
from .panel import ComparePanelData

X_NAME = "events/s"


class RatesPanel(ChartWithChoice):
    title = "Rates"
    tip = "Latency over throughput: the chosen step at each of its rates"

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "&Percentile")
        self._choice.addItems(PERCENTILES)
        self._choice.setCurrentText(PERCENTILES[-1])

    def csv(self) -> str:
        if self.shown is None or not rows_at_rates(self.shown.whole, self.shown.row):
            return ""
        return target_rate_numbers(self.shown.whole, self.shown.row).to_csv()

    def parts(self, shown: ComparePanelData) -> tuple[object, ...]:
        return (shown.whole, shown.lines, shown.step, self._choice.currentText())

    def draw(self, shown: ComparePanelData) -> None:
        rows = rows_at_rates(shown.whole, shown.row)
        has_curve = len(rows) > 1
        self._head.setVisible(has_curve)
        chart = self._provide()
        chart.setVisible(has_curve)
        self.remark.setText(_remark(shown, rows) if has_curve else NOTHING["rates"])
        self.remark.setVisible(bool(self.remark.text()))
        if has_curve:
            _draw_rows(chart, rows, self._choice.currentText(), shown)
        self.drawn.emit()


def _draw_rows(chart: LineChart, rows: list[Row], percentile: str, shown: ComparePanelData) -> None:
    xs = [float(row.coordinates[AXIS]) for row in rows]
    points = [latencies(row, percentile) for row in rows]
    curves = [(line, xs, [each[at].value for each in points]) for at, line in enumerate(shown.lines)]
    reaches = {line.key: [each[at].reach for each in points] for at, line in enumerate(shown.lines)}
    unit = f"ms/{rows[0].latency_per}, less is better"
    chart.set_title(f"{step_name_off_axis(rows[0], AXIS)}: {percentile} over {X_NAME}", unit)
    chart.set_curves(curves, X_NAME, unit, True, reaches)


def _remark(shown: ComparePanelData, rows: list[Row]) -> str:
    bars = error_bars_legend(figure.n for row in rows for figure in row.measures["p99_ms"])
    missed = missed_rates_text(rows, names_of(shown.whole))
    return "\n".join(filter(None, (bars, missed)))
