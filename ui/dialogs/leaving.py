"""The question before what was typed and not kept is left."""

from __future__ import annotations

from PySide6.QtWidgets import QMessageBox, QWidget

_BUTTON = QMessageBox.StandardButton


def may_be_lost(parent: QWidget, title: str, what: str) -> bool:
    """Whether a person lets go of it; Cancel is what Enter and Escape choose."""
    answer = QMessageBox.question(
        parent, title, f"What was changed of {what} is not kept. Leave it all the same?",
        _BUTTON.Discard | _BUTTON.Cancel, _BUTTON.Cancel,
    )  # fmt: skip
    return answer == _BUTTON.Discard
