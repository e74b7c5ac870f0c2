"""Counted steps over versions: what each does for an event, relative to the base."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QWidget

from app.comparison.cells.cell import Row
from app.comparison.cells.labels import row_label
from app.comparison.charts import NOTHING
from app.comparison.charts.points import PointWithRange
from app.comparison.charts.versions import (
    VersionPlace,
    counted_rows,
    line_colours,
    version_line,
    version_numbers,
    version_places,
    versions_remark,
)
from app.comparison.texts.text import unjudged_texts
from ui.core.theme import SPACE, Theme
from ui.widgets.charts.line_chart import Curve, NamedLineChart
from ui.widgets.charts.lines import ChartLine
from ui.widgets.layouts import NATIVE, boxed, in_column

from .panel import ComparePanelData, Panel

_TITLE, _UNIT = "Instructions of an event over versions", "of the base, less is less work"


class VersionsPanel(Panel):
    title = "Versions"
    tip = "Counted instructions of an event over versions, relative to the base: work, not speed"

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self.chart = NamedLineChart(theme, _TITLE, _UNIT, self)
        self.take(self.chart)
        self._body = boxed(in_column(self.remark, (self.chart, 1), spacing=NATIVE, margins=(0, SPACE, 0, 0)))
        self.setLayout(in_column(self._body))

    @property
    def picture(self) -> QWidget:
        return self._body

    @property
    def notes(self) -> str:
        return "\n".join(unjudged_texts(self.shown.comparison)) if self.shown else ""

    def csv(self) -> str:
        return version_numbers(self.shown.whole).to_csv() if self.shown and self.chart.isVisible() else ""

    def parts(self, shown: ComparePanelData) -> tuple[object, ...]:
        return (shown.whole, shown.lines)

    def draw(self, shown: ComparePanelData) -> None:
        rows, places = counted_rows(shown.whole), version_places(shown.whole)
        self.chart.setVisible(bool(rows))
        self.remark.setText(versions_remark(shown.whole) if rows else NOTHING["versions"])
        coloured = zip(line_colours(rows), rows, strict=True)
        curves = [self._curve(colour, row, places, shown) for colour, row in coloured]
        self.chart.set_named({place.x: place.name for place in places}, curves, _UNIT)
        self.drawn.emit()

    def _curve(self, colour: int, row: Row, places: Sequence[VersionPlace], shown: ComparePanelData) -> Curve:
        """The line of a step; its starts differ by less than a dot, so there are no error bars."""
        label = row_label(row)
        line = ChartLine(label, label, self.theme.contender(colour), dashed=row.counts_writes)
        return (line, *_with_gaps(places, version_line(row, shown.whole, places)))


def _with_gaps(
    places: Sequence[VersionPlace], points: Sequence[PointWithRange]
) -> tuple[list[float], list[float | None]]:
    """Places and values, with a gap wherever the family changes: lines end there."""
    xs, values = list[float](), list[float | None]()
    for place, point in zip(places, points, strict=True):
        if xs and place.x - xs[-1] > 1:
            xs.append(place.x - 1)
            values.append(None)
        xs.append(place.x)
        values.append(point.value)
    return xs, values
