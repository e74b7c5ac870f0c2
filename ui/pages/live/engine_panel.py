"""The panel of the engine: the figures that matter, of this second or of a step that has ended."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence

from PySide6.QtWidgets import QWidget

from app.core.units import with_unit
from app.engines import engine_of
from app.engines.panel import BETTER, EngineFigure, parts_of
from app.history.steps.figures import StepEntry
from app.history.steps.step_text import named
from ui.core.plain import PlainTextLabel, as_tip
from ui.core.theme import SPACE, Theme
from ui.widgets.figure_cell import FigureWithTrend
from ui.widgets.layouts import in_grid

from .curves import RECENT_S, SessionCurves

LINES = 2
MISSING = "\u2013"
NO_PANEL = "Dyno does not know the figures of this engine"
NO_FIGURES = "No figures of the engine: an older Dyno did not store them, or the step has not ended"


class EngineFiguresPanel(QWidget):
    """Cells in two lines, for the engine of the session that is shown."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.engine = ""
        self.cells: dict[str, FigureWithTrend] = {}  # by the name of a figure
        self._curves: SessionCurves | None = None
        self._done = 0  # samples of these curves that the trends have
        self._latest: Mapping[str, float | None] = {}  # series of the latest of them
        self._trends: dict[str, deque[float | None]] = {}  # by the name of a figure
        self.heading = PlainTextLabel(role="muted")
        self._grid = in_grid(2 * SPACE, SPACE // 2, margins=(SPACE, SPACE // 2, SPACE, SPACE // 2))
        self.setLayout(self._grid)

    @property
    def _panel(self) -> Sequence[EngineFigure]:
        return engine_of(self.engine).panel if self.engine else ()

    def show_engine(self, engine: str) -> None:
        """Make the cells of this engine."""
        if engine == self.engine:
            return
        for cell in self.cells.values():
            self._grid.removeWidget(cell)
            cell.deleteLater()
        self.engine = engine
        self.cells = {figure.name: FigureWithTrend(self._theme, self) for figure in self._panel}
        columns = -(-len(self.cells) // LINES)
        for at, (figure, cell) in enumerate(zip(self._panel, self.cells.values(), strict=True)):
            cell.name(figure.title)
            self._grid.addWidget(cell, at // columns, at % columns)

    def show_now(self, curves: SessionCurves) -> None:
        """The figures of the latest second, with the trend of the last minute."""
        if curves is not self._curves:
            self._curves, self._done, self._latest = curves, 0, {}
            self._trends = {figure.name: deque(maxlen=RECENT_S) for figure in self._panel}
        fresh, self._done = curves.latest(self._done), curves.arrived
        self._latest = fresh[-1] if fresh else self._latest
        for figure in self._panel:
            trend = self._trends[figure.name]
            trend.extend(figure.value(second) for second in fresh)
            self._show(figure, figure.value(self._latest), tuple(trend), parts_of(figure, self._latest))
        self.heading.setText("now" if self._panel else NO_PANEL)

    def show_step(self, step: StepEntry | None) -> None:
        """The figures over the measured seconds of a step."""
        found = step["engine_figures"] if step else {}
        for figure in self._panel:
            self._show(figure, found.get(figure.name), (), {})
        about = named(step["name"], step["coordinates"]) if step else ""
        self.heading.setText(NO_PANEL if not self._panel else about if found else NO_FIGURES)

    def _show(
        self,
        figure: EngineFigure,
        value: float | None,
        trend: Sequence[float | None],
        parts: Mapping[str, float],
    ) -> None:
        text = MISSING if value is None else _text(value, figure.unit)
        more = ", ".join(f"{label} {_text(each, figure.part_unit)}" for label, each in parts.items())
        cell = self.cells[figure.name]
        cell.show_value(f"{text} ({more})" if more else text, () if more else trend)
        cell.setToolTip(as_tip("\n".join(filter(None, (_about(figure), more)))))


def _about(figure: EngineFigure) -> str:
    return f"{figure.title}: {figure.meaning} {BETTER[figure.direction].capitalize()}."


def _text(value: float, unit: str) -> str:
    """`12.0 /s`, `98.3 %`, `0.25`."""
    return with_unit(value, unit).replace(" 1/s", " /s").strip()
