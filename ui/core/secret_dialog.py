"""The dialog that asks for a password or a passphrase."""

from __future__ import annotations

from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QDialogButtonBox,
    QLineEdit,
    QVBoxLayout,
    QWidget,
)

from app.core.units import capitalised
from ui.core.plain import PlainTextLabel
from ui.core.theme import SPACE

WIDTH = 56 * SPACE


class SecretDialog(QDialog):
    """Asks for one secret, and stores nothing."""

    def __init__(self, prompt: str, was_refused: bool = False, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.prompt, self.was_refused = prompt, was_refused
        what = prompt.partition(" ")[0]
        self.setWindowTitle(f"{what.capitalize()} needed")
        self.setMinimumWidth(WIDTH)
        self.field = self._make_field()
        label = PlainTextLabel(capitalised(prompt), wraps=True, buddy=self.field)
        refused = PlainTextLabel("The last answer was not accepted.", "bad")
        refused.setVisible(was_refused)
        note = "Dyno keeps it in memory until you close the window; what is to be remembered, in the keyring."
        layout = QVBoxLayout(self)
        layout.setContentsMargins(2 * SPACE, 2 * SPACE, 2 * SPACE, 2 * SPACE)
        layout.setSpacing(SPACE)
        for widget in (label, refused, self.field, self._make_toggle()):
            layout.addWidget(widget)
        layout.addWidget(PlainTextLabel(note, "muted", wraps=True))
        layout.addWidget(self._make_buttons())

    def secret(self) -> str | None:
        """The typed secret; None if the person skips it."""
        return self.field.text() if self.result() == QDialog.DialogCode.Accepted else None

    def _make_field(self) -> QLineEdit:
        field = QLineEdit()
        field.setEchoMode(QLineEdit.EchoMode.Password)
        field.setAccessibleName("Secret")
        field.textChanged.connect(self._on_text_changed)
        return field

    def _make_toggle(self) -> QCheckBox:
        toggle = QCheckBox("&Show what is typed")
        toggle.toggled.connect(self._on_shown)
        return toggle

    def _make_buttons(self) -> QDialogButtonBox:
        buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel
        )
        self.accept_button = buttons.button(QDialogButtonBox.StandardButton.Ok)
        self.accept_button.setText("&Log in")
        self.accept_button.setEnabled(False)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        return buttons

    def _on_text_changed(self, text: str) -> None:
        self.accept_button.setEnabled(bool(text))

    def _on_shown(self, is_shown: bool) -> None:
        self.field.setEchoMode(QLineEdit.EchoMode.Normal if is_shown else QLineEdit.EchoMode.Password)
