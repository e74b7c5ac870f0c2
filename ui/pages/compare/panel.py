"""A panel next to the table: drawn when it is visible, and only if something has changed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QShowEvent
from PySide6.QtWidgets import QWidget

from app.comparison.cells.cell import Comparison, Row
from app.comparison.cells.measures import Measure
from ui.core.plain import PlainTextLabel, fitted
from ui.core.theme import Theme
from ui.models.comparison import columns_shown
from ui.widgets.charts.hidden import HiddenChartLines
from ui.widgets.charts.lines import ChartLine
from ui.widgets.charts.still import StillChart
from ui.widgets.image import LEAST

if TYPE_CHECKING:
    from ui.widgets.charts.time_chart import TimeChart

_LABEL = 200  # pixels of a name in a chart


@dataclass(frozen=True)
class ComparePanelData:
    """All that a panel may draw; `comparison` is by the measure."""

    comparison: Comparison
    whole: Comparison  # as it was read: with all steps and measures
    measure: Measure
    is_relative: bool
    lines: tuple[ChartLine, ...]  # one a column
    row: Row | None  # where the keyboard is in the table
    column: int = -1  # of the comparison; -1: before the figures

    @property
    def step(self) -> tuple[str, str] | None:
        """What the step of the row is called, wherever it stands."""
        return (self.row.workload, str(self.row.coordinates)) if self.row else None


def lines_of(comparison: Comparison, theme: Theme) -> tuple[ChartLine, ...]:
    """The columns as lines of charts."""
    metrics = QFontMetrics(PlainTextLabel().font())
    return tuple(
        ChartLine(column.id, fitted(metrics, shown.short, Qt.TextElideMode.ElideMiddle, _LABEL), shown.colour,
             shown.is_dashed, full=shown.name)
        for column, shown in zip(comparison.columns, columns_shown(comparison, theme), strict=True)
    )  # fmt: skip


def columns_caption(comparison: Comparison, theme: Theme) -> str:
    """`duel-innodb (base, n = 5), duel-rocksdb (n = 5), on shelf`."""
    names = [f"{each.name} ({'base, ' * each.is_base}{each.n})" for each in columns_shown(comparison, theme)]
    targets = ", ".join(dict.fromkeys(column.target for column in comparison.columns))
    return f"{', '.join(names)}, on {targets}"


def _lines(*texts: str) -> str:
    """Each line once."""
    return "\n".join(dict.fromkeys(line for text in texts for line in text.splitlines()))


class Panel(QWidget):
    """A panel that only remembers what to show while hidden."""

    title = ""
    tip = ""
    drawn = Signal()  # all that is shown is there, also what had to be read
    failed = Signal(Exception)
    saved = Signal(object, str)  # Path of a picture, one line about it

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self.shown: ComparePanelData | None = None
        self._drawn: tuple[object, ...] = ()
        self.hidden = HiddenChartLines(self)  # columns that a person has hidden
        self.remark = PlainTextLabel(
            role="muted", wraps=True
        )  # above the charts: what is to be known of them
        self.setAccessibleName(self.title)

    def take(self, chart: StillChart | TimeChart) -> None:
        """Add a chart of the panel; all charts share what is hidden."""
        chart.share_hidden(self.hidden)
        chart.menu.caption = lambda: _lines(self.caption, self.remark.text())  # which is above the chart
        chart.menu.saved.connect(self.saved)
        chart.menu.failed.connect(self.failed)

    def parts(self, shown: ComparePanelData) -> tuple[object, ...]:
        """The parts that this panel draws; if they are the same, it does nothing."""
        return (shown.comparison, shown.is_relative, shown.lines)

    def draw(self, shown: ComparePanelData) -> None:
        """Draw this, and report that it is drawn."""

    @property
    def picture(self) -> QWidget:
        """The widget that is saved as a picture."""
        return self

    @property
    def caption(self) -> str:
        """What the image does not show: whose figures they are, with n, and notes."""
        return _lines(columns_caption(self.shown.comparison, self.theme), self.notes) if self.shown else ""

    @property
    def notes(self) -> str:
        """What the window shows elsewhere."""
        return ""

    @property
    def least(self) -> QSize:
        """The smallest size of that picture that shows all of it."""
        return LEAST

    def csv(self) -> str:
        """The numbers behind the panel as CSV; empty without any."""
        return ""

    def update_from(self, shown: ComparePanelData) -> None:
        self.shown = shown
        if self.isVisible():
            self._draw()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._draw()

    def _draw(self) -> None:
        if self.shown is not None and (parts := self.parts(self.shown)) != self._drawn:
            self._drawn = parts
            self.draw(self.shown)
