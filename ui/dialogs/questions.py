"""Questions before something is lost: what cannot be restored, and unsaved changes."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QMessageBox, QWidget

from ui.core.plain import plain_box
from ui.widgets.layouts import open_once


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
    open_once(box)


_BUTTON = QMessageBox.StandardButton
_ANSWERS = {_BUTTON.Save: "&Save", _BUTTON.Discard: "&Discard", _BUTTON.Cancel: "&Cancel"}

Act = Callable[[], object]


def leave(parent: QWidget, title: str, what: str, save: Callable[[Act], object], then: Act) -> bool:
    """Go on with `then`: at once, or once it is saved. False: the person stays. Enter saves, Escape stays."""
    box = QMessageBox(QMessageBox.Icon.Question, title, "", _BUTTON.NoButton, parent)
    plain_box(box, f"Save the changes to {what}?", "Discard loses all changes since you last saved.")
    for button, text in _ANSWERS.items():
        box.addButton(button).setText(text)
    box.setDefaultButton(_BUTTON.Save)
    answer = box.exec()
    box.deleteLater()
    if answer == _BUTTON.Save:
        save(then)
    elif answer == _BUTTON.Discard:
        then()
    return answer in (_BUTTON.Save, _BUTTON.Discard)
