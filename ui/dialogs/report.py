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
    QVBoxLayout,
    QWidget,
)

from app.core.harmless import harmless
from app.report.content import SECTIONS

_WORDS = {
    "summary": "Summary: which is better, and by how much",
    "setup": "What was compared: machine, build, engine, preset",
    "differences": "Differences between them",
    "results": "Results: tables by group",
    "charts": "Charts: bars, and curves over each sweep",
    "cost": "What a query costs",
    "stacks": "Where the time went: flame graphs of profiled steps",
    "caveats": "Notes: n, noise, unsteady steps, failures, parity",
    "repeat": "How to repeat it: description, presets, script",
}


class ReportDialog(QDialog):
    """Accepted means: save the report."""

    scripts_wanted = Signal()

    def __init__(self, title: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle("Report")
        self._title = QLineEdit(harmless(title))
        self._ticks = {name: QCheckBox(_WORDS[name]) for name in SECTIONS}
        self._text = QPlainTextEdit()
        self._text.setPlaceholderText("Your own text at the top, in Markdown")
        self._text.setAccessibleName("Your own text, in Markdown")
        self._text.setTabChangesFocus(True)
        self._text.setMinimumSize(480, 96)
        sections = QVBoxLayout()
        sections.setSpacing(8)
        for tick in self._ticks.values():
            tick.setChecked(True)
            sections.addWidget(tick)
        form = QFormLayout()
        form.setHorizontalSpacing(16)
        form.setVerticalSpacing(12)
        form.addRow("&Title", self._title)
        form.addRow("Sections", sections)
        form.addRow("&Your text", self._text)
        buttons = QDialogButtonBox()
        scripts = buttons.addButton("S&cripts…", QDialogButtonBox.ButtonRole.ActionRole)
        scripts.setToolTip("Save a shell script per column that does the same with sysbench, without Dyno")
        scripts.clicked.connect(self.scripts_wanted)
        save = buttons.addButton("&Save…", QDialogButtonBox.ButtonRole.AcceptRole)
        save.setProperty("accent", True)
        buttons.addButton(QDialogButtonBox.StandardButton.Cancel)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(24, 24, 24, 16)
        layout.setSpacing(16)
        layout.addLayout(form)
        layout.addWidget(buttons)

    @property
    def title(self) -> str:
        return self._title.text().strip()

    @property
    def own_text(self) -> str:
        return self._text.toPlainText()

    @property
    def sections(self) -> tuple[str, ...]:
        return tuple(name for name, tick in self._ticks.items() if tick.isChecked())
