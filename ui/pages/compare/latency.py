"""The latency of the chosen step over its percentiles, a curve a column."""

from __future__ import annotations

from app.comparison.cells.cell import Row
from app.comparison.charts import NOTHING
from app.comparison.charts.of_one_step import PERCENTS, TICKS, latency_curves, latency_numbers, place
from app.comparison.charts.points import ChartNumbers
from ui.widgets.charts.line_chart import PercentileChart
from ui.widgets.charts.still import StillChart

from .ending import Ended, RemarkedChartPanel
from .panel import ComparePanelData

_WHERE = {percent: place(percent) for percent in PERCENTS}


class LatencyPanel(RemarkedChartPanel):
    title = "Latency"
    tip = "The latency of the chosen step by percentile, up to the last percentile with enough events"
    nothing = NOTHING["latency"]

    def made(self) -> StillChart:
        return PercentileChart(self.theme, self.title, "", self)

    def fill(self, shown: ComparePanelData, row: Row, ended: Ended) -> tuple[ChartNumbers, str] | None:
        found = latency_curves(shown.comparison, ended)
        assert isinstance(self.chart, PercentileChart)
        curves = [
            (line, list(curve), [point.value for point in curve.values()])
            for line, curve in zip(shown.lines, found, strict=True)
        ]
        self.chart.set_title(f"Latency of {row.workload} over percentiles", "")
        self.chart.set_percentiles(curves, f"ms/{row.latency_per}", _WHERE, TICKS)
        if not any(found):
            return None
        most = max(point.n for curve in found for point in curve.values())
        of = f"all events of up to {most} repeats together" if most > 1 else "of one session"
        return latency_numbers(
            shown.comparison, row, found
        ), f"{of}; a curve ends where there are too few events"
