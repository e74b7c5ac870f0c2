"""The tab *Over time*: a step of the same work in all sessions of a contender, and where it changes."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QWidget

from app.comparison.answers.over_time import (
    OverTimeEntry,
    OverTimePointEntry,
    StepOverTimeEntry,
    means_between_changes,
    shares_of,
)
from app.comparison.texts.over_time_text import latest_change_sentence, latest_change_sign
from app.core.units import count_text, with_unit
from ui.core.plain import PlainTextLabel
from ui.core.theme import SPACE, Theme
from ui.widgets.actions import action, action_button
from ui.widgets.charts.dated_chart import UNIT, DatedChart
from ui.widgets.charts.lines import ChartLine
from ui.widgets.layouts import NATIVE, in_column, in_row

READING = "Reading the sessions of the same work…"


class OverTimePanel(QWidget):
    """Steps that change come first; all curves are in percent of their median."""

    compare_wanted = Signal(object)  # ids of the sessions around a change

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._found: OverTimeEntry | None = None
        self._choice, self._said = QComboBox(), PlainTextLabel(wraps=True)
        self._choice.setAccessibleName("Step over time")
        self._choice.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self._choice.activated.connect(lambda _: self._draw())
        self._chart = DatedChart(theme, "Over time")
        self._compare = action(
            self, "&Compare around the change", "",
            "Compare the last sessions before it with the first after it", self._on_compare,
        )  # fmt: skip
        theme.changed.connect(self._draw)
        line = in_row(self._choice, (self._said, 1), action_button(self._compare), spacing=NATIVE)
        half = SPACE // 2
        self.setLayout(in_column(line, (self._chart, 1), spacing=half, margins=(0, half, 0, 0)))

    def show_words(self, text: str) -> None:
        """Show words instead of sessions."""
        self._found = None
        self._choice.clear()
        self._said.setText(text)
        for part in (self._choice, self._chart):
            part.hide()
        self._compare.setEnabled(False)

    def show_found(self, found: OverTimeEntry) -> None:
        """Show these sessions; the chosen step stays if it is there."""
        wanted = self._choice.currentData()
        self._found = found
        self._choice.clear()
        for step in sorted(found["steps"], key=lambda step: not step["changes"]):
            self._choice.addItem(f"{latest_change_sign(step)} {step['step']}".strip(), step["step"])
        self._choice.setCurrentIndex(max(self._choice.findData(wanted), 0))
        for part in (self._choice, self._chart):
            part.show()
        self._draw()

    def _step(self) -> StepOverTimeEntry | None:
        steps = self._found["steps"] if self._found else []
        return next((step for step in steps if step["step"] == self._choice.currentData()), None)

    def _draw(self) -> None:
        step = self._step()
        if self._found is None or step is None:
            return
        points = self._found["points"]
        self._compare.setEnabled(bool(step["changes"]))
        self._said.setText(latest_change_sentence(step, self._found))
        texts = [_text(point, step, at) for at, point in enumerate(points)]
        self._chart.set_title(step["step"], UNIT)
        self._chart.set_dated([point["at"] for point in points], texts, self._curves(step))

    def _curves(self, step: StepOverTimeEntry) -> list[tuple[ChartLine, list[float | None]]]:
        """The figure, its means between changes, and the canaries of the machine."""
        assert self._found is not None  # a step of it is shown
        figure, faint = self._theme.contender(0), self._theme.colour("muted")
        curves = [(ChartLine("figure", "result", figure), step["values"])]
        if step["changes"]:
            curves.append(
                (ChartLine("mean", "mean between changes", figure, dashed=True), means_between_changes(step))
            )
        curves += [
            (ChartLine(name, f"canary, {name}", faint, dashed=name == "commits", faint=True), values)
            for name, values in self._found["canaries"].items()
            if any(values)
        ]
        usual = {"mean": step["values"]}
        return [(line, shares_of(values, usual.get(line.key, ()))) for line, values in curves]

    def _on_compare(self) -> None:
        step = self._step()
        if self._found is not None and step is not None and step["changes"]:
            at, points = step["changes"][-1]["at"], self._found["points"]
            before = max(place for place in range(at) if step["values"][place] is not None)
            self.compare_wanted.emit((*points[before]["sessions"], *points[at]["sessions"]))


def _text(point: OverTimePointEntry, step: StepOverTimeEntry, at: int) -> str:
    """Build, figure and number of sessions of a point; why it has no figure."""
    value = step["values"][at]
    if value is None:
        return ", ".join(filter(None, (point["build"], step["left_out"][at] or "no result")))
    n = count_text(step["n"][at], "session")
    return f"{point['build']}, {with_unit(value, step['unit'])}, {n}"
