"""The latency of the chosen step second by second: a heat map for each column."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QWidget

from app.comparison.cells.cell import Row
from app.comparison.charts import NOTHING
from app.comparison.charts.heat import heat_numbers, heats_of
from app.comparison.charts.points import ChartNumbers
from app.comparison.verdicts.compare import sessions_of
from app.history.steps.stretches import WHY_NONE
from app.history.store.history import History
from app.history.store.second_latencies import SecondLatencies, latencies_by_session
from app.protocol.latency import BUCKETS
from ui.core.context import WindowContext
from ui.core.tasks import NewestAnswerRunner
from ui.core.theme import SPACE
from ui.models.comparison import step_with_threads
from ui.widgets.charts.lines import ChartLine, Span
from ui.widgets.image import LEAST
from ui.widgets.layouts import NATIVE, boxed, in_column

from .panel import ComparePanelData, Panel

if TYPE_CHECKING:
    from ui.widgets.charts.heat_chart import HeatChart
    from ui.widgets.charts.heat_track import HeatTrack
    from ui.widgets.charts.time_axis import TimeAxis

_LEAST = 130  # pixels of a chart
_IN_PICTURE = 180


@dataclass(frozen=True)
class _Read:
    found: dict[str, SecondLatencies]  # by session
    tracks: list[tuple[HeatTrack, int]]  # of each column, and how many sessions are in it


class HeatPanel(Panel):
    title = "Heat map"
    tip = "The latency of the chosen step second by second; repeats are added up"

    def __init__(self, context: WindowContext) -> None:
        super().__init__(context.theme)
        self._latest = NewestAnswerRunner(context.tasks, self)
        self._made: list[HeatChart] = []
        self.charts: list[HeatChart] = []  # those of columns
        self._axis: TimeAxis | None = None
        self._numbers: Callable[[], ChartNumbers] | None = None
        self._stack = in_column()
        self._body = boxed(self._stack)
        parts = (self.remark, (self._body, 1), 0)
        self.setLayout(in_column(*parts, spacing=NATIVE, margins=(0, SPACE, 0, 0)))
        self.hidden.changed.connect(self._show_columns)

    @property
    def picture(self) -> QWidget:
        return self._body

    @property
    def notes(self) -> str:
        return self.remark.text()

    @property
    def least(self) -> QSize:
        return QSize(LEAST.width(), max(LEAST.height(), _IN_PICTURE * len(self.charts)))

    def csv(self) -> str:
        return self._numbers().to_csv() if self._numbers else ""

    def parts(self, shown: ComparePanelData) -> tuple[object, ...]:
        return (shown.whole, shown.lines, shown.step)

    def draw(self, shown: ComparePanelData) -> None:
        if (row := shown.row) is None:
            self.remark.setText("Choose a step in the table.")
            self._body.hide()
            return
        ids, comparison = sessions_of(shown.comparison), shown.comparison

        def work(history: History) -> _Read:
            found = latencies_by_session(history, ids, row.workload, row.coordinates)
            return _Read(found, [(_track(heat), n) for heat, n in heats_of(comparison, found)])

        self._latest.read(work, lambda found: self._on_read(shown, row, found), self.failed.emit)

    def _on_read(self, shown: ComparePanelData, row: Row, read: _Read) -> None:
        what = "all events of the repeats together" if read.found else f"{NOTHING['heat']}. {WHY_NONE}"
        self.remark.setText(f"{step_with_threads(row)}: {what}")
        self._numbers = (lambda: heat_numbers(shown.comparison, read.found)) if read.found else None
        self._body.setVisible(bool(read.found))
        self._provide(len(read.tracks))
        limits = _limits([track for track, _ in read.tracks])
        for chart, line, (track, n) in zip(self.charts, shown.lines, read.tracks, strict=True):
            _fill(chart, line, track, limits, f"ms/{row.latency_per}, n = {n}")
        self._show_columns()
        if self._axis is not None:
            self._axis.reset()
            self._axis.refresh()
        self.drawn.emit()

    def _provide(self, count: int) -> None:
        """Have a chart for each column; they share their axis, and further ones wait."""
        from ui.widgets.charts.heat_chart import HeatChart
        from ui.widgets.charts.time_axis import TimeAxis

        self._axis = self._axis or TimeAxis(self)
        while len(self._made) < count:
            chart = HeatChart(self.theme, "Latency", "", self._body)
            self.take(chart)
            chart.setMinimumHeight(_LEAST)
            self._made.append(chart)
            self._stack.addWidget(chart, 1)
        for chart in self._made[count : len(self.charts)]:
            self._axis.remove(chart)
        for chart in self._made[len(self.charts) : count]:
            self._axis.add(chart)
        self.charts = self._made[:count]

    def _show_columns(self) -> None:
        """Show the columns that are not hidden, with the times below the last one."""
        lines = self.shown.lines if self.shown else ()
        hidden = self.hidden.of(lines)
        shown = [chart for chart, line in zip(self.charts, lines, strict=False) if line.owner not in hidden]
        for chart in self._made:
            chart.setVisible(chart in shown)
            chart.set_times_shown(chart in shown[-1:])


def _track(heat: SecondLatencies | None) -> HeatTrack:
    from ui.widgets.charts.heat_track import HeatTrack

    track = HeatTrack(BUCKETS)
    if heat is not None:
        track.extend(heat.t, heat.dt, heat.events.sizes, heat.events.buckets, heat.events.counts)
        track.prepare()
    return track


def _limits(tracks: Sequence[HeatTrack]) -> tuple[int, int, int]:
    """Limits that hold all columns, so that equal colours mean equal numbers."""
    return (
        min(track.low for track in tracks),
        max(track.high for track in tracks),
        max(track.most for track in tracks),
    )


def _fill(
    chart: HeatChart, line: ChartLine, track: HeatTrack, limits: tuple[int, int, int], unit: str
) -> None:
    chart.set_title("Latency", unit)
    chart.nothing = NOTHING["heat"]
    chart.show_heat(track, line, limits)
    first = track.first or 0.0
    chart.set_spans([Span(first, 0.0, "warmup", "")] if first < 0 else [])
