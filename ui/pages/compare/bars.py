"""A bar chart a group of steps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from app.compare import RowEntry
from app.measures import FIGURE

from ...models.comparison import drawn_unit, drawn_values, step_text
from ...theme import SPACE, Theme
from ...widgets.head import Head
from .panel import Panel, Shown

if TYPE_CHECKING:
    from ...widgets.chart import BarChart

_HEIGHT = 184  # pixels of a chart: three lines of them on a small screen
_NARROWEST = 240  # pixels of a chart
_BAR, _CATEGORY = 24, 96  # pixels of a bar, of the name below its group

Group = tuple[str, str, str]  # name, unit, direction


class BarsPanel(Panel):
    title = "Bars"
    tip = "A chart for each group of steps"

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._charts: list[BarChart] = []
        self._widths: list[int] = []
        self._packed: list[list[int]] = []
        self._body = QWidget()
        self._legend = Head(theme, "", "")
        self._column = QVBoxLayout(self._body)
        self._column.setContentsMargins(0, SPACE, 0, SPACE)
        self._column.setSpacing(SPACE)
        self._column.addWidget(self._legend)
        area = QScrollArea()
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setWidgetResizable(True)
        area.setAccessibleName("Bars by group")
        area.setWidget(self._body)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(area)

    @property
    def picture(self) -> QWidget:
        return self._body

    def draw(self, shown: Shown) -> None:
        groups = grouped(shown.comparison["rows"])
        self._legend.set_lines(shown.lines)
        self._provide(len(groups))
        for chart, (group, rows) in zip(self._charts, groups.items(), strict=False):
            _draw_group(chart, group, rows, shown)
        self._widths = [_wanted_width(rows, shown) for rows in groups.values()]
        self._lay_out()
        self.drawn.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._lay_out()

    def _provide(self, count: int) -> None:
        """So many charts; they are kept and hidden where fewer are needed."""
        from ...widgets.chart import BarChart

        while len(self._charts) < count:
            self._charts.append(BarChart(self.theme, "", "", self._body))
            self._charts[-1].hide_legend()
            self._charts[-1].setMinimumHeight(_HEIGHT)
        for at, chart in enumerate(self._charts):
            chart.setVisible(at < count)

    def _lay_out(self) -> None:
        """Groups of few bars beside one another."""
        packed = pack(self._widths, self.width())
        if packed == self._packed:
            return
        self._packed = packed
        while (item := self._column.takeAt(1)) is not None:
            if (row := item.layout()) is not None:
                row.deleteLater()
        for line in packed:
            beside = QHBoxLayout()
            beside.setSpacing(SPACE)
            for at in line:
                beside.addWidget(self._charts[at], self._widths[at])
            self._column.addLayout(beside, 1)


def pack(widths: Sequence[int], room: int) -> list[list[int]]:
    """Which charts share a line, in their order."""
    found: list[list[int]] = []
    left = 0
    for at, width in enumerate(widths):
        if width > left:
            found.append([])
            left = room
        found[-1].append(at)
        left -= width
    return found


def _wanted_width(rows: Sequence[RowEntry], shown: Shown) -> int:
    return max(_NARROWEST, len(rows) * max(len(shown.lines) * _BAR, _CATEGORY))


def grouped(rows: Sequence[RowEntry]) -> dict[Group, list[RowEntry]]:
    """Figures of one unit beside one another: rows a second are no seconds."""
    found: dict[Group, list[RowEntry]] = {}
    for row in rows:
        found.setdefault((row["group"] or "other steps", row["unit"], row["direction"]), []).append(row)
    return found


def _draw_group(chart: BarChart, group: Group, rows: Sequence[RowEntry], shown: Shown) -> None:
    name, unit, direction = group
    better = ", less is better" if direction == "lower" else ""
    heights = [row["relative"] if shown.is_relative else drawn_values(row) for row in rows]
    bars = [(line, [each[at] for each in heights]) for at, line in enumerate(shown.lines)]
    of = unit if shown.measure is FIGURE else shown.measure.title
    told = f"{of}, of the base{better}" if shown.is_relative else f"{drawn_unit(unit)}{better}"
    chart.set_title(name, told)
    chart.set_bars(_categories(rows), bars, told, 1.0 if shown.is_relative else None)


def _categories(rows: Sequence[RowEntry]) -> list[str]:
    """The steps; with their threads where these differ."""
    counts = {row["threads"] for row in rows}
    return [
        f"{step_text(row)} x{row['threads']}"
        if len(counts - {None}) > 1 and row["threads"]
        else step_text(row)
        for row in rows
    ]
