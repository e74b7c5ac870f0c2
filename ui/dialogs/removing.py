"""The question before something is deleted that cannot be restored."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QMessageBox, QWidget

from ui.core.plain import plain_box


def ask_before(parent: QWidget, question: str, consequence: str, act: Callable[[], object]) -> None:
    """Ask first: "Remove the target xeon?". Enter and Escape choose Cancel."""
    verb = question.split()[0]
    box = QMessageBox(parent)
    box.setIcon(QMessageBox.Icon.Question)
    box.setWindowTitle(verb)
    plain_box(box, question, consequence)
    yes = box.addButton(f"&{verb}", QMessageBox.ButtonRole.AcceptRole)
    box.setDefaultButton(box.addButton(QMessageBox.StandardButton.Cancel))
    box.finished.connect(lambda _: act() if box.clickedButton() is yes else None)
    box.finished.connect(box.deleteLater)
    box.open()
