"""The size on disk after the chosen step, a bar for each column, by part."""

from __future__ import annotations

from app.comparison.cells.cell import Row
from app.comparison.charts import NOTHING
from app.comparison.charts.of_one_step import PARTS, disk_size_parts, size_numbers, sizes_of
from app.comparison.charts.points import ChartNumbers
from ui.widgets.charts.bar_chart import StackedBars
from ui.widgets.charts.lines import ChartLine
from ui.widgets.charts.still import StillChart

from .ending import Ended, RemarkedChartPanel
from .panel import ComparePanelData

_UNITS = (("GiB", 2.0**30), ("MiB", 2.0**20))
_FEW = 4.0  # of a unit: less is shown in the next smaller one


class SizesPanel(RemarkedChartPanel):
    title = "Size"
    tip = "Size on disk after the chosen step, by part"
    nothing = NOTHING["size"]

    def made(self) -> StillChart:
        return StackedBars(self.theme, self.title, "", self)

    def fill(self, shown: ComparePanelData, row: Row, ended: Ended) -> tuple[ChartNumbers, str] | None:
        found = sizes_of(shown.comparison, ended)
        most = max((sum(sizes.values()) for sizes in found), default=0.0)
        unit, of = next((each for each in _UNITS if most >= _FEW * each[1]), _UNITS[-1])
        bars = [
            (
                ChartLine(part, PARTS.get(part, part), self.theme.part(part)),
                [_in(sizes.get(part), of) for sizes in found],
            )
            for part in disk_size_parts(found)
        ]
        assert isinstance(self.chart, StackedBars)
        self.chart.set_title(f"Size after {row.workload}", unit)
        self.chart.set_bars([line.label for line in shown.lines], bars, f"{unit}, less is better", None)
        if not bars:
            return None
        is_repeated = any(len(column.ids) > 1 for column in shown.comparison.columns)
        title = "by part" + ("; of repeats the one in the middle" if is_repeated else "")
        return size_numbers(shown.comparison, found), title


def _in(size: float | None, of: float) -> float | None:
    return None if size is None else size / of
