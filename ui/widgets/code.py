"""A file to be read: one width of letters, nothing wrapped, nothing changed."""

from __future__ import annotations

from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from app.core.harmless import harmless_text


class CodeView(QPlainTextEdit):
    """Text to select and copy; Tab leaves it."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setReadOnly(True)
        self.setTabChangesFocus(True)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))

    def show_text(self, text: str) -> None:
        """Show a text; the same one keeps its place."""
        shown = harmless_text(text)
        if shown != self.toPlainText():
            self.setPlainText(shown)
