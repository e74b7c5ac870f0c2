"""The dialog of a report: its title, its sections, the person's own text."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QLineEdit,
    QPlainTextEdit,
    QWidget,
)

from app.core.harmless import harmless
from app.report.content import SECTIONS
from ui.core.plain import as_tip
from ui.core.theme import SPACE
from ui.widgets.layouts import dialog_buttons, in_column, lay_out_dialog

_WORDS = {
    "summary": "Summary: which is better, and by how much",
    "setup": "What was compared: machine, build, engine, preset",
    "differences": "Differences between them",
    "results": "Results: tables by group",
    "charts": "Charts: bars, and curves over each sweep",
    "cost": "What a query costs",
    "stacks": "What the servers did: flame graphs of profiled and counted steps",
    "caveats": "Notes: n, noise, unsteady steps, failures, parity",
    "repeat": "How to repeat it: description, presets, script",
}
_INTERACTIVE = (
    "Readers choose the base, hide contenders and open the seconds of a cell. "
    "The page fetches nothing; without its script it is the plain report"
)


class ReportDialog(QDialog):
    """Accepted means: save the report."""

    scripts_wanted = Signal()

    def __init__(self, title: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle("Report")
        self._title = QLineEdit(harmless(title))
        self._ticks = {name: QCheckBox(_WORDS[name]) for name in SECTIONS}
        self._text = QPlainTextEdit(placeholderText="Your own text at the top, in Markdown")
        self._text.setAccessibleName("Your own text, in Markdown")
        self._text.setTabChangesFocus(True)
        self._text.setMinimumSize(480, 96)
        for tick in self._ticks.values():
            tick.setChecked(True)
        self._interactive = QCheckBox("&Interactive web page")
        self._interactive.setToolTip(as_tip(_INTERACTIVE))
        form = QFormLayout()
        form.setHorizontalSpacing(16)
        form.setVerticalSpacing(12)
        form.addRow("&Title", self._title)
        form.addRow("Sections", in_column(*self._ticks.values()))
        form.addRow("&Your text", self._text)
        form.addRow("", self._interactive)
        buttons = dialog_buttons(self, QDialogButtonBox.StandardButton.Cancel)
        scripts = buttons.addButton("S&cripts…", QDialogButtonBox.ButtonRole.ActionRole)
        scripts.setToolTip("Save a shell script per column that does the same with sysbench, without Dyno")
        scripts.clicked.connect(self.scripts_wanted)
        save = buttons.addButton("&Save…", QDialogButtonBox.ButtonRole.AcceptRole)
        save.setProperty("accent", True)
        lay_out_dialog(self, form, buttons, spacing=2 * SPACE)

    @property
    def title(self) -> str:
        return self._title.text().strip()

    @property
    def own_text(self) -> str:
        return self._text.toPlainText()

    @property
    def is_interactive(self) -> bool:
        return self._interactive.isChecked()

    @property
    def sections(self) -> tuple[str, ...]:
        return tuple(name for name, tick in self._ticks.items() if tick.isChecked())
