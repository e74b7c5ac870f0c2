"""The dialog with name, version and licence."""

from __future__ import annotations

from importlib.metadata import version

from PySide6.QtCore import Qt, qVersion
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QVBoxLayout, QWidget

from ui.core.context import Context
from ui.core.plain import Label


class AboutDialog(QDialog):
    def __init__(self, context: Context, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle("About Dyno")
        heading = Label(f"Dyno {version('dyno')}")
        heading.setProperty("role", "title")
        text = Label(
            "The test bench for MySQL storage engines.\n\n"
            f"Qt {qVersion()}, PySide6 {version('PySide6-Essentials')} (LGPL), MIT licence.\n"
            f"Everything is stored in {context.home}"
        )
        text.setWordWrap(True)
        text.setMinimumWidth(400)
        text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(24, 24, 24, 16)
        layout.setSpacing(16)
        for part in (heading, text, buttons):
            layout.addWidget(part)
