"""The same tests before the writes and after them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from app.comparison.cells.cell import Row
from app.comparison.charts import NOTHING
from app.comparison.charts.of_all_steps import pair_numbers, ratio_points, rows_of
from app.comparison.charts.points import Point
from app.comparison.why.before_after import PairOfSteps, pairs
from ui.models.comparison import drawn_points, drawn_unit
from ui.widgets.charts.lines import Line

from .bars import BarsPanel, Group, Grouped, better, categories, group_of, measured
from .panel import PanelContent


class PairsPanel(BarsPanel):
    """Tests before and after the writes: relative as after / before, absolute with both values."""

    title = "Before/after"
    tip = "The same tests before (.pre) and after the writes"
    nothing = NOTHING["before-after"]

    @property
    def notes(self) -> str:
        return ""  # nothing is judged: each column relates to itself

    def csv(self) -> str:
        found = self.shown and pair_numbers(self.shown.comparison, pairs(self.shown.comparison))
        return found.to_csv() if found else ""

    def grouped(self, shown: PanelContent) -> list[Grouped]:
        found: dict[Group, list[PairOfSteps]] = {}
        for pair in pairs(shown.comparison):
            _, after = rows_of(shown.comparison, pair)
            found.setdefault(group_of(after), []).append(pair)
        draw = _ratios if shown.is_relative else _both
        return [draw(group, of_group, shown) for group, of_group in found.items()]

    def remark_text(self, counts: Sequence[int]) -> str:
        remark = super().remark_text(counts)
        is_relative = self.shown is not None and self.shown.is_relative
        return remark if is_relative or not counts else f"paler: before the writes; {remark}"


def _ratios(group: Group, of_group: Sequence[PairOfSteps], shown: PanelContent) -> Grouped:
    points = [ratio_points(pair) for pair in of_group]
    bars = [(line, [each[at] for each in points]) for at, line in enumerate(shown.lines)]
    title = f"{measured(group, shown)}, after by before{better(group)}"
    steps = [rows_of(shown.comparison, pair)[1] for pair in of_group]
    return Grouped(group[0], title, categories(steps), bars, 1.0)


def _both(group: Group, of_group: Sequence[PairOfSteps], shown: PanelContent) -> Grouped:
    rows = [rows_of(shown.comparison, pair) for pair in of_group]
    before = _points([each[0] for each in rows])
    after = _points([each[1] for each in rows])
    bars: list[tuple[Line, list[Point]]] = []
    for at, line in enumerate(shown.lines):
        pale = replace(line, key=f"{line.key} before", label=f"{line.label} before", faint=True)
        bars += [(pale, [each[at] for each in before]), (line, [each[at] for each in after])]
    title = f"{drawn_unit(group[1])}{better(group)}"
    return Grouped(group[0], title, categories([each[1] for each in rows]), bars, None)


def _points(rows: Sequence[Row]) -> list[list[Point]]:
    return [drawn_points(row) for row in rows]
