"""The chosen step second by second: the sessions' curves over each other from the step's start."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QComboBox, QWidget

from app.comparison.cells.cell import Row
from app.comparison.cells.labels import names_of
from app.comparison.charts import NOTHING
from app.comparison.charts.of_one_step import second_numbers
from app.comparison.charts.points import ChartNumbers
from app.comparison.texts.text import cell_session_remarks
from app.comparison.verdicts.compare import sessions_of
from app.core.harmless import harmless
from app.core.units import unit_text
from app.history.steps.curves import SecondsCurve, all_series, curves
from app.history.steps.series import ALIASES
from app.history.store.history import History
from ui.core.context import WindowContext
from ui.core.plain import PlainTextLabel
from ui.core.tasks import NewestAnswerRunner
from ui.core.theme import SPACE
from ui.models.comparison import step_with_threads
from ui.widgets.charts.lines import ChartLine
from ui.widgets.elided import ElidedLabel
from ui.widgets.layouts import NATIVE, in_column, in_row

from .panel import ComparePanelData, Panel

if TYPE_CHECKING:
    from ui.widgets.charts.time_chart import TimeChart

QPS = "load.queries"
_TOLD = 3  # lines of what is to be known of the seconds

Series = tuple[str, str, str]  # name, label, unit


@dataclass(frozen=True)
class _Read:
    curves: dict[str, SecondsCurve]  # by session
    series: list[Series]


class SecondsPanel(Panel):
    title = "Seconds"
    tip = "The chosen step second by second; all sessions begin at its start"

    def __init__(self, context: WindowContext, series: str = "") -> None:
        super().__init__(context.theme)
        self._context = context
        self._latest = NewestAnswerRunner(context.tasks, self)
        self.chart: TimeChart | None = None
        self._step = ""  # that is drawn
        self._missing = ""  # columns without a curve
        self._numbers: Callable[[], ChartNumbers] | None = None
        self._series = ALIASES.get(series, series) or context.memory.value("compare/series", QPS)
        self._chooser = QComboBox()
        self._chooser.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self._chooser.setAccessibleName("Series")
        self._chooser.setToolTip("The series to draw")
        self._chooser.activated.connect(self._on_series_chosen)
        self.remark = ElidedLabel(role="muted")  # in one line with the choice of a series
        self._told = PlainTextLabel(
            role="warn", wraps=True
        )  # whether they were steady, and which of them count
        head = in_row(self._chooser, (self.remark, 1), spacing=NATIVE)
        self._column = in_column(head, self._told, spacing=NATIVE, margins=(0, SPACE, 0, 0))
        self.setLayout(self._column)

    @property
    def picture(self) -> QWidget:
        return self.chart or self

    @property
    def notes(self) -> str:
        return self.remark.text()

    def csv(self) -> str:
        return self._numbers().to_csv() if self._numbers else ""

    def parts(self, shown: ComparePanelData) -> tuple[object, ...]:
        return (shown.whole, shown.lines, shown.step, self._series)

    def draw(self, shown: ComparePanelData) -> None:
        if shown.row is None:
            self.remark.setText("Choose a step in the table.")
            return
        row, sessions, series = shown.row, sessions_of(shown.comparison), self._series

        def work(history: History) -> _Read:
            found = curves(history, sessions, row.workload, row.coordinates, series)
            return _Read(found, all_series(history, sessions))

        self._latest.read(work, lambda found: self._on_read(shown, row, found), self.failed.emit)

    def _on_read(self, shown: ComparePanelData, row: Row, found: _Read) -> None:
        self._fill_chooser(found.series)
        self._step = step_with_threads(row)
        self._missing = _missing(shown, found.curves)
        self.remark.setText("; ".join(filter(None, (self._step, self._missing))))
        self._tell(shown, row)
        _, label, unit = next((each for each in found.series if each[0] == self._series), ("", "", ""))
        self._numbers = lambda: second_numbers(shown.comparison, found.curves, label, unit)
        self._draw_curves(shown, found.curves, label, unit)

    def _tell(self, shown: ComparePanelData, row: Row) -> None:
        """Show why a result is not of steady seconds, or not of all."""
        names = names_of(shown.comparison)
        lines = [
            f"{name}: {text}" for at, name in enumerate(names) for text in cell_session_remarks(row.cells[at])
        ]
        self._told.show_first(lines, _TOLD)

    def _draw_curves(
        self, shown: ComparePanelData, found: dict[str, SecondsCurve], label: str, unit: str
    ) -> None:
        from ui.widgets.charts.lines import Span
        from ui.widgets.charts.pyramid import GrowingTimeSeries

        chart = self._provide()
        chart.set_title(f"{label}, {self._step}", unit_text(unit))
        tracks = {session: GrowingTimeSeries() for session in found}
        for session, curve in found.items():
            tracks[session].extend(curve.seconds, curve.values)
        chart.set_lines([])
        chart.set_tracks(tracks)
        chart.set_lines([line for line in repeat_curves(shown) if line.key in found])
        firsts = [curve.seconds[0] for curve in found.values() if len(curve.seconds)]
        first = float(min(firsts, default=0))
        chart.set_spans([Span(first, 0.0, "warmup", "warm-up")] if first < 0 else [])
        chart.axis.reset()
        chart.axis.refresh()
        self.drawn.emit()

    def _provide(self) -> TimeChart:
        from ui.widgets.charts.time_chart import TimeChart

        if self.chart is None:
            self.chart = TimeChart(self.theme, "QPS", "queries/s", self)
            self.take(self.chart)
            self._column.addWidget(self.chart, 1)
        return self.chart

    def _fill_chooser(self, series: Sequence[Series]) -> None:
        names = [name for name, _, _ in series]
        if [self._chooser.itemData(at) for at in range(self._chooser.count())] != names:
            self._chooser.clear()
            for name, label, unit in series:
                self._chooser.addItem(harmless(f"{label} ({unit_text(unit)})" if unit else label), name)
        self._chooser.setCurrentIndex(self._chooser.findData(self._series))

    def _on_series_chosen(self, at: int) -> None:
        self._series = self._chooser.itemData(at)
        self._context.memory.keep("compare/series", self._series)
        if self.shown is not None:
            self.update_from(self.shown)


def _missing(shown: ComparePanelData, found: Mapping[str, SecondsCurve]) -> str:
    """Text on columns without a curve."""
    columns = zip(shown.comparison.columns, names_of(shown.comparison), strict=True)
    without = [name for column, name in columns if not found.keys() & column.ids]
    if not found:
        return NOTHING["seconds"]
    return f"{NOTHING['seconds']} of {', '.join(without)}" if without else ""


def repeat_curves(shown: ComparePanelData) -> list[ChartLine]:
    """A line for each session; repeats have their column's colour, the later ones fainter."""
    found = []
    for column, line in zip(shown.comparison.columns, shown.lines, strict=True):
        for at, id_ in enumerate(column.ids):
            label = f"repeat {at + 1}" if at else line.label
            full = f"{line.full}, {label}" if at else line.full
            found.append(replace(line, key=id_, label=label, faint=at > 0, full=full, contender=line.key))
    return found
