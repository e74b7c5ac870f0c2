"""The quiet panel: lines of the server's error log, what the agent says, notes and moments."""

from __future__ import annotations

import re
from collections.abc import Iterable

from PySide6.QtGui import QColor, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QPlainTextEdit

from app.core.harmless import harmless
from app.history.steps.remarks import JournalRemark
from ui.core.theme import Theme
from ui.widgets.charts.scale import time_text
from ui.widgets.table import tabular

MOST = 5000  # lines that are kept here; all of them are in the history
# what a server puts before each line: its clock, thread and level have columns of their own
_STAMP = re.compile(r"^\d{4}-\d\d-\d\d[T ]\s?[\d:.]+Z?\s+\d+ \[\w+\] ")


class RemarksPanel(QPlainTextEdit):
    """Scrolls with new lines while the end is visible."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._remarks: list[JournalRemark] = []
        self.setReadOnly(True)
        self.setMaximumBlockCount(MOST)
        self.setFont(tabular(self.font()))
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.WidgetWidth)
        self.setTabChangesFocus(True)
        self.setPlaceholderText(
            "Lines of the server's error log, messages of the agent and notes appear here"
        )
        self.setAccessibleName("Log: server, agent, notes")
        theme.changed.connect(self._on_theme_changed)

    def set_remarks(self, remarks: Iterable[JournalRemark]) -> None:
        self._remarks = list(remarks)[-MOST:]
        self.clear()
        self._append(self._remarks)

    def add_remarks(self, remarks: Iterable[JournalRemark]) -> None:
        """Add new remarks."""
        new = list(remarks)
        self._remarks = [*self._remarks, *new][-MOST:]
        self._append(new)
        if any(each.kind == "note" for each in new):  # somebody waits to see it
            self.verticalScrollBar().setValue(self.verticalScrollBar().maximum())

    def _on_theme_changed(self) -> None:
        self.set_remarks(self._remarks)

    def _append(self, remarks: Iterable[JournalRemark]) -> None:
        bar = self.verticalScrollBar()
        is_at_end = bar.value() >= bar.maximum()
        cursor = QTextCursor(self.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        cursor.beginEditBlock()
        for remark in remarks:
            if not self.document().isEmpty():
                cursor.insertBlock()
            cursor.insertText(f"{time_text(remark.t)}  ", self._format("muted"))
            cursor.insertText(harmless(remark_text(remark)), self._format(_role(remark)))
        cursor.endEditBlock()
        if is_at_end:
            bar.setValue(bar.maximum())

    def _format(self, role: str) -> QTextCharFormat:
        made = QTextCharFormat()
        made.setForeground(QColor(self._theme.colour(role)))
        return made


def remark_text(remark: JournalRemark) -> str:
    """A remark in one line."""
    if remark.kind == "log":
        return f"{remark.about}: {_STAMP.sub('', remark.text)}"
    if remark.kind == "note":
        return f"note: {remark.text}"
    if remark.kind == "mark":
        return remark.moment_text
    return f"unknown event {remark.about}"


def _role(remark: JournalRemark) -> str:
    if remark.kind == "note":
        return "accent"
    if remark.about == "crash" or remark.about.endswith(" error"):
        return "bad"
    return "warn" if remark.about.endswith(" warning") else "muted" if remark.kind == "mark" else "text"
