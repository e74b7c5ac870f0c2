"""The question before what was typed and not kept is left."""

from __future__ import annotations

from PySide6.QtWidgets import QMessageBox, QWidget

from ui.core.plain import plain_box

_BUTTON = QMessageBox.StandardButton


def may_be_lost(parent: QWidget, title: str, what: str) -> bool:
    """Whether a person lets go of it; Cancel is what Enter and Escape choose."""
    box = QMessageBox(QMessageBox.Icon.Question, title, "", _BUTTON.Discard | _BUTTON.Cancel, parent)
    plain_box(box, f"What was changed of {what} is not saved. Discard the changes?", "")
    box.setDefaultButton(_BUTTON.Cancel)
    answer = box.exec()
    box.deleteLater()
    return answer == _BUTTON.Discard
