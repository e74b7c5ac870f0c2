"""The form of a custom SQL workload: name, title, text, and errors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QGridLayout,
    QLineEdit,
    QListWidget,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from app.catalog.custom_sql import Problem
from app.catalog.own_sql import FIGURES, OwnSql
from app.core.harmless import harmless
from ui.core.plain import Label, as_tip
from ui.core.theme import SPACE, Theme
from ui.widgets.code_editor import CodeEditor
from ui.widgets.highlighter import CUSTOM_SQL, Highlighter

HEIGHTS = (420, 120)
_FIGURES = {"rate": "queries a second", "latency": "mean latency (less is better)"}
_LINE = Qt.ItemDataRole.UserRole


class SqlForm(QWidget):
    """A form for a workload; a shipped one is read-only."""

    typed = Signal()  # in the text

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._given = OwnSql()
        self.name, self.title, self.figure = QLineEdit(), QLineEdit(), QComboBox()
        self.text, self.problems = CodeEditor(theme, "SQL"), QListWidget()
        self._colours = Highlighter(theme, self.text.document(), CUSTOM_SQL)
        for key in FIGURES:
            self.figure.addItem(_FIGURES[key], key)
        for part, name, tip in (
            (self.name, "Name", "Lowercase letters, digits and dashes"),
            (self.figure, "Result", "The value that Compare shows"),
            (self.title, "Title", "What it measures, in a few words"),
            (self.problems, "What is wrong", "Press Enter to go to the line"),
        ):
            part.setAccessibleName(name)
            part.setToolTip(as_tip(tip))
        self._build_layout()
        self.text.textChanged.connect(self.typed)
        self.problems.itemActivated.connect(lambda item: self.text.go_to_line(item.data(_LINE)))

    def _build_layout(self) -> None:
        fields = QGridLayout()
        fields.setHorizontalSpacing(2 * SPACE)
        fields.setVerticalSpacing(SPACE)
        for row, column, part, width in (
            (0, 0, self.name, 1), (0, 2, self.figure, 1), (1, 0, self.title, 3),
        ):  # fmt: skip
            label = Label(f"&{part.accessibleName()}")
            label.setBuddy(part)
            fields.addWidget(label, row, column)
            fields.addWidget(part, row, column + 1, 1, width)
        fields.setColumnStretch(1, 1)
        fields.setColumnStretch(3, 1)
        work = QSplitter(Qt.Orientation.Vertical)
        work.addWidget(self.text)
        work.addWidget(self.problems)
        work.setSizes(HEIGHTS)
        work.setChildrenCollapsible(False)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(SPACE)
        layout.addLayout(fields)
        layout.addWidget(work, 1)

    def show_sql(self, sql: OwnSql, is_new: bool) -> None:
        """Show another workload; only a new one can be named."""
        self._given = sql
        self.name.setText(sql.name)
        self.title.setText(sql.title)
        self.figure.setCurrentIndex(self.figure.findData(sql.figure))
        self.text.setPlainText(sql.text)
        self.name.setReadOnly(not is_new)
        for part in (self.title, self.text):
            part.setReadOnly(sql.shipped)
        self.figure.setEnabled(not sql.shipped)

    @property
    def written(self) -> OwnSql:
        """The workload as typed."""
        return replace(
            self._given,
            name=self.name.text().strip(),
            title=self.title.text(),
            figure=self.figure.currentData(),
            text=self.text.toPlainText(),
        )

    def show_problems(self, problems: Sequence[Problem]) -> None:
        self.problems.clear()
        for line, text in problems:
            self.problems.addItem(harmless(f"line {line}: {text}"))
            self.problems.item(self.problems.count() - 1).setData(_LINE, line)
        self.text.mark_lines({problem.line for problem in problems})
