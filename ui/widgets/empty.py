"""What an empty page shows: what belongs here, and the next step."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QVBoxLayout, QWidget

from ui.core.plain import PlainTextLabel

from .actions import action_button
from .layouts import in_row

WIDTH = 480


class EmptyPage(QWidget):
    def __init__(self, title: str, text: str, *actions: QAction) -> None:
        """The first action is the next step."""
        super().__init__()
        heading, words = PlainTextLabel(title, "title"), PlainTextLabel(text, "muted", wraps=True)
        words.setFixedWidth(WIDTH)
        layout = QVBoxLayout(self)
        layout.setSpacing(16)
        layout.addStretch(2)
        for label in (heading, words):
            label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
            layout.addLayout(in_row(1, label, 1))  # aligned by the layout it would get one line
        for action in actions:
            button = action_button(action)
            button.setProperty("accent", action is actions[0])
            layout.addWidget(button, 0, Qt.AlignmentFlag.AlignHCenter)
        layout.addStretch(3)
