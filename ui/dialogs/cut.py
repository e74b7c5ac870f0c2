"""Which seconds of a step count: its curve, the chosen range, and the result of that range."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QSpinBox,
    QWidget,
)

from app.core.errors import InputError
from app.core.harmless import harmless
from app.core.units import capitalised, unit_text, with_unit
from app.history.lists.edits import MAX_NAME
from app.history.recorded.counting import Cut, CuttableStep
from app.stats import Steadiness
from ui.core.plain import PlainTextLabel
from ui.core.theme import SPACE, Theme
from ui.widgets.charts.lines import ChartLine, Span
from ui.widgets.charts.pyramid import GrowingTimeSeries
from ui.widgets.charts.time_axis import TimeAxis
from ui.widgets.charts.time_chart import TimeChart
from ui.widgets.layouts import dialog_buttons, in_row, lay_out_dialog

_NAN = float("nan")
_HINT = "Drag over the curve, or enter the bounds. Dyno stores all seconds; costs cover the whole step."


class _ChoosingAxis(TimeAxis):
    """An axis that shows the whole step; dragging chooses a range and does not zoom."""

    chosen = Signal(float, float)

    def set_range(self, first: float, last: float) -> None:
        self.chosen.emit(first, last)

    def zoom(self, factor: float, around: float) -> None:
        pass

    def pan(self, by: float) -> None:
        pass


class CutDialog(QDialog):
    """When accepted, `cut` is the chosen range; with `is_undone` all seconds count again."""

    def __init__(self, name: str, step: CuttableStep, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle("Seconds that count")
        self._step, self._theme = step, theme
        self._whole = len(step.seconds.values)
        self.is_undone = False
        cut = step.cut or Cut(0, self._whole - 1)
        self._first = self._spin("From second", cut.first_s)
        self._end = self._spin("To second", cut.last_s + 1)
        self._reason = QLineEdit(harmless(cut.reason))
        self._told = PlainTextLabel(wraps=True)
        self.chart = TimeChart(theme, step.label, unit_text(step.unit))
        self.chart.menu.saved.connect(lambda _path, text: self._say(text, is_wrong=False))
        self.chart.menu.failed.connect(lambda error: self._say(capitalised(str(error)), is_wrong=True))
        self._axis = _ChoosingAxis(self)
        self._build(name)
        self._draw()
        self._tell()

    @property
    def cut(self) -> Cut:
        return Cut(self._first.value(), self._end.value() - 1, self._reason.text().strip())

    def _spin(self, name: str, value: int) -> QSpinBox:
        spin = QSpinBox()
        spin.setRange(0, self._whole)
        spin.setValue(value)
        spin.setMinimumWidth(8 * SPACE)
        spin.setAccessibleName(name)
        spin.valueChanged.connect(lambda _: self._tell())
        return spin

    # ---- building

    def _build(self, name: str) -> None:
        title, hint = (
            PlainTextLabel(f"{name}: {self._step.label}", "title"),
            PlainTextLabel(_HINT, "muted", wraps=True),
        )
        self.chart.setMinimumSize(70 * SPACE, 26 * SPACE)
        self._reason.setMaxLength(MAX_NAME)
        self._reason.setPlaceholderText("Reason; stored with the session")
        self._reason.setAccessibleName("Why")
        self._told.setMinimumHeight(5 * SPACE)
        parts = ((self.chart, 1), self._make_bounds(), self._told, self._make_buttons())
        lay_out_dialog(self, title, hint, *parts, spacing=2 * SPACE)

    def _make_bounds(self) -> QHBoxLayout:
        first, end = PlainTextLabel("&From second", buddy=self._first), PlainTextLabel("&to", buddy=self._end)
        why = PlainTextLabel("&Why", buddy=self._reason)
        return in_row(first, self._first, end, self._end, why, (self._reason, 1))

    def _make_buttons(self) -> QDialogButtonBox:
        self._keep = QPushButton("&Count these seconds")
        self._keep.setProperty("accent", True)
        buttons = dialog_buttons(self, QDialogButtonBox.StandardButton.Cancel)
        buttons.addButton(self._keep, QDialogButtonBox.ButtonRole.AcceptRole)
        if self._step.cut is not None:
            undo = buttons.addButton("Count &all again", QDialogButtonBox.ButtonRole.ResetRole)
            undo.clicked.connect(self._undo)
        return buttons

    # ---- the curve, and what was chosen of it

    def _draw(self) -> None:
        track = GrowingTimeSeries()
        values = [_NAN if value is None else value for value in self._step.seconds.values]
        track.extend([float(s) for s in range(self._whole)], values)
        self._axis.add(self.chart)
        self.chart.set_tracks({"": track})
        self.chart.set_lines([ChartLine("", "each second", self._theme.colour("accent"))])
        self._axis.reset()
        self._axis.chosen.connect(self._on_drawn)

    def _on_drawn(self, first: float, last: float) -> None:
        """Take the seconds that the drawn range touches."""
        bounds = max(0, int(first)), min(self._whole, int(last) + 1)
        for spin, value in zip((self._first, self._end), bounds, strict=True):
            spin.setValue(value)

    def _tell(self) -> None:
        """Show the result of these seconds, or why they cannot represent the step."""
        cut, seconds = self.cut, self._step.seconds
        of_all = f"All {self._whole}: {self._figure(self._step.whole, seconds.steadiness())}"
        try:
            seconds.check(cut)
        except InputError as error:
            is_whole = (cut.first_s, cut.last_s) == (0, self._whole - 1)  # nobody has chosen any yet
            self._say(of_all if is_whole else capitalised(str(error)), is_wrong=not is_whole)
            self._keep.setEnabled(False)
        else:
            figure = self._figure(seconds.mean(cut) or 0.0, seconds.steadiness(cut))
            self._say(f"Seconds {cut.first_s} to {cut.last_s + 1}: {figure}\n{of_all}", is_wrong=False)
            self._keep.setEnabled(True)
        out = [
            Span(0.0, float(cut.first_s), "warmup"),
            Span(float(cut.last_s + 1), float(self._whole), "warmup"),
        ]
        self.chart.set_spans([span for span in out if span.last > span.first])

    def _figure(self, value: float, found: Steadiness) -> str:
        return f"{with_unit(value, self._step.unit)}, {found.word}: {found.text}"

    def _say(self, text: str, is_wrong: bool) -> None:
        self._told.setText(text)
        self._told.set_role("bad" if is_wrong else "")

    def _undo(self) -> None:
        self.is_undone = True
        self.accept()
