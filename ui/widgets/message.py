"""One line of news in the page itself: no dialog where this will do."""

from __future__ import annotations

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QAction, QGuiApplication, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QFrame, QHBoxLayout, QPushButton, QWidget

from ui.core.plain import Label, error_lines

from .actions import plain_text

NARROW = 480


class Message(QFrame):
    """A strip with a line, hidden while there is none."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "message")
        self._details = ""
        self._action: QAction | None = None
        self._text = Label()
        self._text.setWordWrap(True)
        self._text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._button = QPushButton()
        self._button.clicked.connect(self._on_button_clicked)
        self._close = QPushButton("Dismiss")
        self._close.clicked.connect(self.clear)
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        buttons.addWidget(self._button)
        buttons.addWidget(self._close)
        self._layout = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._layout.setContentsMargins(16, 8, 16, 8)
        self._layout.addWidget(self._text, 1)
        self._layout.addLayout(buttons)
        self.hide()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """In a narrow place the buttons go below the text."""
        is_narrow = event.size().width() < NARROW
        direction = QBoxLayout.Direction.TopToBottom if is_narrow else QBoxLayout.Direction.LeftToRight
        self._layout.setDirection(direction)
        super().resizeEvent(event)

    @property
    def text(self) -> str:
        return self._text.text()

    def show_error(self, text: str, details: str = "", action: QAction | None = None) -> None:
        self._show("error", text, details, action)

    def show_failure(self, error: Exception) -> None:
        """What went wrong, with its details where it is a defect."""
        self.show_error(*error_lines(error))

    def show_warning(self, text: str, action: QAction | None = None) -> None:
        self._show("warning", text, "", action)

    def show_info(self, text: str, action: QAction | None = None) -> None:
        self._show("info", text, "", action)

    @Slot()
    def clear(self) -> None:
        self._text.clear()
        self.hide()

    def _show(self, tone: str, text: str, details: str, action: QAction | None) -> None:
        self._details, self._action = details, action
        self._text.setText(text)
        self.setAccessibleName(text)
        self._button.setVisible(bool(details or action))
        self._button.setText("Copy details" if details else plain_text(action) if action else "")
        self.setProperty("tone", tone)
        self.style().polish(self)
        self.show()

    @Slot()
    def _on_button_clicked(self) -> None:
        if self._details:
            QGuiApplication.clipboard().setText(self._details)
        elif self._action is not None:
            self._action.trigger()
