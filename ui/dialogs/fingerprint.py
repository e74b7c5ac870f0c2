"""A dialog that shows the fingerprint of a machine and accepts it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QFrame,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from ui.core.plain import PlainTextLabel
from ui.core.theme import SPACE
from ui.widgets.layouts import dialog_buttons, lay_out_dialog

WIDTH = 78 * SPACE


@dataclass(frozen=True)
class FingerprintQuestion:
    """What a person reads before accepting a fingerprint."""

    title: str
    heading: str
    about: str
    fingerprint: str
    trusted: Sequence[str]  # fingerprints so far; not empty: it has changed
    pairs: Sequence[tuple[str, str]]  # titles and texts next to the fingerprint
    way: str  # how the machine itself shows its fingerprint
    known: str  # the tick before a changed one is accepted
    accept: str  # the button

    @property
    def is_changed(self) -> bool:
        return bool(self.trusted)


class FingerprintDialog(QDialog):
    """An unknown fingerprint needs a button to accept; a changed one needs a tick first."""

    def __init__(self, question: FingerprintQuestion, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._question = question
        self.is_changed = question.is_changed
        self.setWindowTitle(question.title)
        self.setMinimumWidth(WIDTH)
        self.accept_button = self._make_accept_button()
        self.known = QCheckBox(question.known)
        self.known.setVisible(self.is_changed)
        self.known.toggled.connect(self.accept_button.setEnabled)
        way = PlainTextLabel(question.way, wraps=True, selectable=True)
        parts = (self._make_heading(), self._make_keys(), way, self.known, self._make_buttons())
        lay_out_dialog(self, *parts, spacing=2 * SPACE)
        self.cancel_button.setFocus()

    def is_accepted(self) -> bool:
        return self.result() == QDialog.DialogCode.Accepted

    def _make_heading(self) -> QFrame:
        made = QFrame()
        made.setProperty("role", "message")
        made.setProperty("tone", "error" if self.is_changed else "info")
        heading = PlainTextLabel(self._question.heading, "bad" if self.is_changed else "heading", wraps=True)
        font = heading.font()
        font.setBold(True)
        heading.setFont(font)
        layout = QVBoxLayout(made)
        layout.addWidget(heading)
        layout.addWidget(PlainTextLabel(self._question.about, wraps=True, selectable=True))
        return made

    def _make_keys(self) -> QWidget:
        keys = QWidget()
        form = QFormLayout(keys)
        form.setContentsMargins(SPACE, 0, SPACE, 0)
        (first, *others), trusted = self._question.pairs, "\n".join(self._question.trusted)
        form.addRow(first[0], PlainTextLabel(first[1]))
        if trusted:
            form.addRow("Trusted so far", _fingerprint(trusted, "Trusted so far"))
        title = "Offered now" if self.is_changed else "Fingerprint"
        form.addRow(title, _fingerprint(self._question.fingerprint, title))
        for title, text in others:
            form.addRow(title, PlainTextLabel(text))
        return keys

    def _make_accept_button(self) -> QPushButton:
        button = QPushButton(self._question.accept)
        button.setEnabled(not self.is_changed)
        button.setAutoDefault(False)  # Enter does not accept what nobody has looked at
        return button

    def _make_buttons(self) -> QDialogButtonBox:
        buttons = dialog_buttons(self, QDialogButtonBox.StandardButton.Cancel)
        buttons.addButton(self.accept_button, QDialogButtonBox.ButtonRole.AcceptRole)
        self.cancel_button = buttons.button(QDialogButtonBox.StandardButton.Cancel)
        self.cancel_button.setDefault(True)
        return buttons


def in_two_lines(fingerprint: str) -> str:
    """A fingerprint in two lines: in one it would be wider than the window."""
    parts = fingerprint.split(":")
    half = len(parts) // 2 + 1
    return ":".join(parts[:half]) + ":\n" + ":".join(parts[half:])


def _fingerprint(text: str, name: str) -> PlainTextLabel:
    """The fingerprint in a fixed-width font, to compare and copy."""
    label = PlainTextLabel(text)
    label.setAccessibleName(name)
    label.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
    label.setTextInteractionFlags(
        Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
    )
    return label
