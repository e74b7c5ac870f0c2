"""A bar chart a group of steps, with error bars where a step was repeated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QWidget

from app.comparison.cells.cell import Row
from app.comparison.cells.measures import FIGURE
from app.comparison.charts import NOTHING
from app.comparison.charts.of_all_steps import bar_numbers
from app.comparison.charts.points import PointWithRange, error_bars_legend, relative_points
from app.comparison.texts.text import unjudged_texts
from ui.core.theme import SPACE, Theme
from ui.models.comparison import drawn_points, drawn_unit, step_text
from ui.widgets.charts.bar_chart import BarChart
from ui.widgets.charts.head import ChartHead
from ui.widgets.charts.lines import ChartLine
from ui.widgets.layouts import boxed, in_column, in_row

from .panel import ComparePanelData, Panel

_HEIGHT = 168  # pixels of a chart: three lines of them on a small screen
_NARROWEST = 240  # pixels of a chart
_BAR, _CATEGORY = 24, 96  # pixels of a bar, of the name below its group
_ABOVE = 2  # what is above the charts: legend and remark

Group = tuple[str, str, str]  # name, unit, direction


@dataclass(frozen=True)
class BarChartContents:
    """The contents of a chart: a line with a point for each category."""

    title: str
    unit: str
    categories: Sequence[str]
    bars: Sequence[tuple[ChartLine, Sequence[PointWithRange]]]
    base: float | None  # where a line is

    @property
    def width(self) -> int:
        """The wanted width in pixels."""
        return max(_NARROWEST, len(self.categories) * max(len(self.bars) * _BAR, _CATEGORY))

    @property
    def counts(self) -> list[int]:
        return [point.n for _, points in self.bars for point in points]

    def draw_on(self, chart: BarChart) -> None:
        bars = [(line, [point.value for point in points]) for line, points in self.bars]
        reaches = {line.key: [point.reach for point in points] for line, points in self.bars}
        chart.set_title(self.title, self.unit)
        chart.set_bars(self.categories, bars, self.unit, self.base, reaches)


class BarsPanel(Panel):
    title = "Bars"
    tip = "One chart per group of steps"
    nothing = NOTHING["bars"]

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self.charts: list[BarChart] = []
        self._lines: list[tuple[QWidget, QHBoxLayout]] = []
        self._widths: list[int] = []
        self._packed: list[list[int]] | None = None
        self.legend = ChartHead(theme, "", "")
        self.legend.share(self.hidden)
        parts = (self.legend, self.remark, 0)  # the last where there are no charts
        self._column = in_column(*parts, margins=(0, SPACE, 0, SPACE))
        self._body = boxed(self._column)
        area = QScrollArea()
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setWidgetResizable(True)
        area.setAccessibleName(f"{self.title} by group")
        area.setWidget(self._body)
        self.setLayout(in_column(area))

    @property
    def picture(self) -> QWidget:
        return self._body

    @property
    def notes(self) -> str:
        """In the window the table next to the bars has the signs."""
        return "\n".join(unjudged_texts(self.shown.comparison)) if self.shown else ""

    def csv(self) -> str:
        return bar_numbers(self.shown.comparison).to_csv() if self.shown else ""

    def grouped(self, shown: ComparePanelData) -> list[BarChartContents]:
        """The contents of all charts."""
        return [_group(group, rows, shown) for group, rows in by_unit(shown.comparison.rows).items()]

    def remark_text(self, counts: Sequence[int]) -> str:
        """The remark on all charts, by the repeats of their points."""
        return error_bars_legend(counts) if counts else self.nothing

    def draw(self, shown: ComparePanelData) -> None:
        found = self.grouped(shown)
        self.legend.set_lines(shown.lines, widest="888,888")
        self.legend.setVisible(bool(found))
        self.remark.setText(self.remark_text([n for each in found for n in each.counts]))
        self._provide(len(found))
        for chart, each in zip(self.charts, found, strict=False):
            each.draw_on(chart)
        self._widths = [each.width for each in found]
        self._build_layout()
        self.drawn.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._build_layout()

    def _on_values_shown(self, values: list[str]) -> None:
        """Show the values at one chart's cursor in the legend of all."""
        if self.shown is not None and len(values) == len(self.shown.lines):
            self.legend.set_values(values)

    def _provide(self, count: int) -> None:
        """Provide this number of charts; surplus ones are hidden, not deleted."""
        while len(self.charts) < count:
            self.charts.append(BarChart(self.theme, "", "", self._body))
            self.charts[-1].hide_legend()
            self.take(self.charts[-1])
            self.charts[-1].values_shown.connect(self._on_values_shown)
            self.charts[-1].least_height = _HEIGHT
        for at, chart in enumerate(self.charts):
            chart.setVisible(at < count)

    def _build_layout(self) -> None:
        """Lay out charts; small groups go side by side."""
        packed = pack(self._widths, self.width())
        is_one_alone = any(chart.menu.maximised.is_on for chart in self.charts)
        if packed == self._packed or is_one_alone:
            return
        self._packed = packed
        self._provide_lines(len(packed))
        for at, (row, line) in enumerate(self._lines):
            for chart in self.charts:
                line.removeWidget(chart)
            row.setVisible(at < len(packed))
            self._column.setStretch(_ABOVE + at, int(at < len(packed)))
        for (_, line), its_charts in zip(self._lines, packed, strict=False):
            for at in its_charts:
                line.addWidget(self.charts[at], self._widths[at])
                self.charts[at].show()  # at once: in another row Qt would show it later

    def _provide_lines(self, count: int) -> None:
        """Provide lines as widgets that can be hidden; nested layouts cannot, and must never be deleted.

        PySide crashes after one was deleted: it takes a later layout at the same address for an item of it.
        """
        while len(self._lines) < count:
            row, line = QWidget(self._body), in_row()
            row.setLayout(line)
            self._column.insertWidget(_ABOVE + len(self._lines), row)
            self._lines.append((row, line))


def pack(widths: Sequence[int], room: int) -> list[list[int]]:
    """The charts that share a line, in order."""
    found: list[list[int]] = []
    left = 0
    for at, width in enumerate(widths):
        if width > left:
            found.append([])
            left = room
        found[-1].append(at)
        left -= width
    return found


def group_of(row: Row) -> Group:
    return (row.group or "other steps", row.unit, row.direction)


def by_unit(rows: Sequence[Row]) -> dict[Group, list[Row]]:
    """Groups with one unit each: rows per second are not seconds."""
    found: dict[Group, list[Row]] = {}
    for row in rows:
        found.setdefault(group_of(row), []).append(row)
    return found


def _group(group: Group, rows: Sequence[Row], shown: ComparePanelData) -> BarChartContents:
    """A group relative to the base, unless the base is alone: its bars would all be 1."""
    name, unit, _ = group
    base, is_relative = shown.comparison.base, shown.is_relative and len(shown.lines) > 1
    points = [relative_points(row, base) if is_relative else drawn_points(row) for row in rows]
    bars = [(line, [each[at] for each in points]) for at, line in enumerate(shown.lines)]
    title = f"{ratio_measure_title(group, shown)}, base = 1" if is_relative else drawn_unit(unit)
    return BarChartContents(
        name, f"{title}{less_is_better_text(group)}", categories(rows), bars, 1.0 if is_relative else None
    )


def ratio_measure_title(group: Group, shown: ComparePanelData) -> str:
    """The measure of a ratio."""
    return group[1] if shown.measure is FIGURE else shown.measure.title_of(group[1])


def less_is_better_text(group: Group) -> str:
    return ", less is better" if group[2] == "lower" else ""


def categories(rows: Sequence[Row]) -> list[str]:
    """The names of steps, with threads if these differ."""
    counts = {row.threads for row in rows}
    return [
        f"{step_text(row)} x{row.threads}" if len(counts - {None}) > 1 and row.threads else step_text(row)
        for row in rows
    ]
