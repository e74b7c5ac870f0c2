"""The dialog that shows the fingerprint of a host key and accepts it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QFrame,
    QLabel,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.remote.hostkeys import HostKeyChangedError, HostKeyError
from ui.core.plain import Label
from ui.core.theme import SPACE

WIDTH = 78 * SPACE

_UNKNOWN = (
    "Dyno has not connected to this host before. Check the fingerprint on the machine itself, then accept"
    " it. A different fingerprint means that somebody intercepts the connection."
)
_CHANGED = (
    "The machine was reinstalled, or somebody intercepts the connection. Nothing was sent to it. Unless"
    " you know why the key changed, cancel and check the machine itself."
)


class HostKeyDialog(QDialog):
    """An unknown key needs a button to accept; a changed key needs a tick first."""

    def __init__(self, error: HostKeyError, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.error = error
        self.is_changed = isinstance(error, HostKeyChangedError)
        self.setWindowTitle("The host key has CHANGED" if self.is_changed else "Unknown host key")
        self.setMinimumWidth(WIDTH)
        self.accept_button = self._make_accept_button()
        self.known = QCheckBox("I &know why the key of this host changed")
        self.known.setVisible(self.is_changed)
        self.known.toggled.connect(self.accept_button.setEnabled)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(2 * SPACE, 2 * SPACE, 2 * SPACE, 2 * SPACE)
        layout.setSpacing(2 * SPACE)
        for widget in (self._make_heading(), self._make_keys(), _wrapped(self._way()), self.known):
            layout.addWidget(widget)
        layout.addWidget(self._make_buttons())
        self.cancel_button.setFocus()

    def is_accepted(self) -> bool:
        return self.result() == QDialog.DialogCode.Accepted

    def _make_heading(self) -> QFrame:
        frame = QFrame()
        frame.setProperty("role", "message")
        frame.setProperty("tone", "error" if self.is_changed else "info")
        heading = Label(self._heading())
        heading.setProperty("role", "bad" if self.is_changed else "heading")
        heading.setWordWrap(True)
        font = heading.font()
        font.setBold(True)
        heading.setFont(font)
        layout = QVBoxLayout(frame)
        layout.addWidget(heading)
        layout.addWidget(_wrapped(_CHANGED if self.is_changed else _UNKNOWN))
        return frame

    def _heading(self) -> str:
        place = f"{self.error.host} port {self.error.port}"
        if self.is_changed:
            return f"THE HOST KEY OF {place} HAS CHANGED"
        return f"The host key of {place} is unknown"

    def _make_keys(self) -> QWidget:
        keys = QWidget()
        form = QFormLayout(keys)
        form.setContentsMargins(SPACE, 0, SPACE, 0)
        form.addRow("Target", Label(self.error.target))
        if isinstance(self.error, HostKeyChangedError):
            form.addRow("Trusted so far", _fingerprint("\n".join(self.error.trusted), "Trusted fingerprint"))
        offered = _fingerprint(f"{self.error.fingerprint}", "Offered fingerprint")
        form.addRow("Offered now" if self.is_changed else "Fingerprint", offered)
        form.addRow("Kind of key", Label(self.error.key_type))
        return keys

    def _way(self) -> str:
        kind = self.error.key_type.removeprefix("ssh-").split("-")[0]
        return (
            "On the machine itself the fingerprint is shown by"
            f" <code>ssh-keygen -lf /etc/ssh/ssh_host_{kind}_key.pub</code>"
        )

    def _make_accept_button(self) -> QPushButton:
        button = QPushButton("&Trust the new key" if self.is_changed else "&Accept this key")
        button.setEnabled(not self.is_changed)
        button.setAutoDefault(False)  # Enter does not accept what nobody has looked at
        return button

    def _make_buttons(self) -> QDialogButtonBox:
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        buttons.addButton(self.accept_button, QDialogButtonBox.ButtonRole.AcceptRole)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        self.cancel_button = buttons.button(QDialogButtonBox.StandardButton.Cancel)
        self.cancel_button.setDefault(True)
        return buttons


def _wrapped(text: str) -> QLabel:
    label = Label(text)
    label.setWordWrap(True)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label


def _fingerprint(text: str, name: str) -> QLabel:
    """The fingerprint in a fixed-width font, to compare and copy."""
    label = Label(text)
    label.setAccessibleName(name)
    label.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
    label.setTextInteractionFlags(
        Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
    )
    return label
