"""The dialog of canary runs: the speed of the machine before each session of a long plan."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QDialog, QDialogButtonBox, QWidget

from app.comparison.texts.canary_text import FIGURES, NONE, canary_ratios, machine_variation_text
from app.remote.target import Target
from ui.core.context import WindowContext
from ui.core.plain import PlainTextLabel
from ui.core.theme import SPACE, Theme
from ui.widgets.charts.dated_chart import DatedChart
from ui.widgets.charts.lines import ChartLine
from ui.widgets.layouts import dialog_buttons, lay_out_dialog
from ui.widgets.message import MessageBar

if TYPE_CHECKING:
    from app.history.machines.canaries import CanaryRun
    from app.history.store.history import History

WIDTH, HEIGHT = 110 * SPACE, 60 * SPACE
ABOUT = (
    "Before each session of a plan of more than ten minutes, a small fixed server reads by key and commits."
    " If its speed changes, the machine has changed, not a contender."
)


class CanaryChart(DatedChart):
    """Canary runs in percent of the usual, the oldest first; the cursor names the session."""

    def __init__(self, theme: Theme) -> None:
        self._runs: list[CanaryRun] = []
        super().__init__(theme, "Canary")

    def set_runs(self, newest_first: Sequence[CanaryRun]) -> None:
        self._runs = list(reversed(newest_first))
        shares = {name: canary_ratios(self._runs, name) for name in FIGURES}
        curves: list[tuple[ChartLine, Sequence[float | None]]] = [
            (ChartLine(name, f"{name}/s", self._theme.contender(at)), shares[name])
            for at, name in enumerate(FIGURES)
        ]
        reads = zip(shares["reads"], self._runs, strict=True)
        spoilt = [share if run.disturbed else None for share, run in reads]
        if any(run.disturbed for run in self._runs):
            curves.append((ChartLine("disturbed", "disturbed", self._theme.colour("warn")), spoilt))
        texts = [", ".join(filter(None, (run.session, run.disturbed))) for run in self._runs]
        self.set_dated([run.at for run in self._runs], texts, curves)

    def _on_theme_changed(self) -> None:
        super()._on_theme_changed()
        self.set_runs(list(reversed(self._runs)))


class CanariesDialog(QDialog):
    """Reads the history when it opens."""

    def __init__(self, context: WindowContext, target: Target, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._target = target
        self.setWindowTitle(f"Canaries of {target.name}")
        self.resize(WIDTH, HEIGHT)
        self.message = MessageBar()
        self.chart = CanaryChart(context.theme)
        self.chart.menu.saved.connect(context.bus.saved)
        self.chart.menu.failed.connect(self.message.show_failure)
        self.said = PlainTextLabel(wraps=True)
        about = PlainTextLabel(ABOUT, "muted", wraps=True)
        buttons = dialog_buttons(self, QDialogButtonBox.StandardButton.Close)
        lay_out_dialog(self, self.message, about, (self.chart, 1), self.said, buttons)
        self.finished.connect(self.deleteLater)

    def begin(self) -> None:
        name = self._target.name

        def work(history: History) -> list[CanaryRun]:
            from app.history.lists.sessions import latest_machine_key
            from app.history.machines.canaries import canary_runs

            return canary_runs(history, latest_machine_key(history, name))

        self.said.setText(NONE)
        self._context.tasks.read(self, work, self._on_read, self.message.show_failure)
        self.open()

    def _on_read(self, runs: Sequence[CanaryRun]) -> None:
        self.chart.setVisible(bool(runs))
        self.said.setText(machine_variation_text(runs))
        if runs:
            self.chart.set_runs(runs)
