"""The same tests before the writes and after them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from app.comparison.cells.cell import Row
from app.comparison.charts import NOTHING
from app.comparison.charts.of_all_steps import before_after_points, before_after_rows, pair_numbers
from app.comparison.charts.points import PointWithRange
from app.comparison.why.before_after import BeforeAfterTest, before_after_tests
from ui.models.comparison import drawn_points, drawn_unit
from ui.widgets.charts.lines import ChartLine

from .bars import (
    BarChartContents,
    BarsPanel,
    Group,
    categories,
    group_of,
    less_is_better_text,
    ratio_measure_title,
)
from .panel import ComparePanelData


class BeforeAfterPanel(BarsPanel):
    """Tests before and after the writes: relative as after / before, absolute with both values."""

    title = "Before/after"
    tip = "The same tests before (.pre) and after the writes"
    nothing = NOTHING["before-after"]

    @property
    def notes(self) -> str:
        return ""  # nothing is judged: each column relates to itself

    def csv(self) -> str:
        found = self.shown and pair_numbers(self.shown.comparison, before_after_tests(self.shown.comparison))
        return found.to_csv() if found else ""

    def grouped(self, shown: ComparePanelData) -> list[BarChartContents]:
        found: dict[Group, list[BeforeAfterTest]] = {}
        for pair in before_after_tests(shown.comparison):
            _, after = before_after_rows(shown.comparison, pair)
            found.setdefault(group_of(after), []).append(pair)
        draw = _ratios if shown.is_relative else _both
        return [draw(group, of_group, shown) for group, of_group in found.items()]

    def remark_text(self, counts: Sequence[int]) -> str:
        remark = super().remark_text(counts)
        is_relative = self.shown is not None and self.shown.is_relative
        return remark if is_relative or not counts else f"paler: before the writes; {remark}"


def _ratios(group: Group, of_group: Sequence[BeforeAfterTest], shown: ComparePanelData) -> BarChartContents:
    points = [before_after_points(pair) for pair in of_group]
    bars = [(line, [each[at] for each in points]) for at, line in enumerate(shown.lines)]
    title = f"{ratio_measure_title(group, shown)}, after by before{less_is_better_text(group)}"
    steps = [before_after_rows(shown.comparison, pair)[1] for pair in of_group]
    return BarChartContents(group[0], title, categories(steps), bars, 1.0)


def _both(group: Group, of_group: Sequence[BeforeAfterTest], shown: ComparePanelData) -> BarChartContents:
    rows = [before_after_rows(shown.comparison, pair) for pair in of_group]
    before = _points([each[0] for each in rows])
    after = _points([each[1] for each in rows])
    bars: list[tuple[ChartLine, list[PointWithRange]]] = []
    for at, line in enumerate(shown.lines):
        pale = replace(line, key=f"{line.key} before", label=f"{line.label} before", faint=True)
        bars += [(pale, [each[at] for each in before]), (line, [each[at] for each in after])]
    title = f"{drawn_unit(group[1])}{less_is_better_text(group)}"
    return BarChartContents(group[0], title, categories([each[1] for each in rows]), bars, None)


def _points(rows: Sequence[Row]) -> list[list[PointWithRange]]:
    return [drawn_points(row) for row in rows]
