"""Questions before something is lost: what cannot be restored, and unsaved changes."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtWidgets import QMessageBox, QWidget

from ui.core.plain import plain_box
from ui.widgets.layouts import open_disposable_dialog

Act = Callable[[], object]
_BUTTON = QMessageBox.StandardButton


def ask(
    parent: QWidget, title: str, question: str, text: str, answers: Mapping[str, Act], stay: str = "Cancel"
) -> None:
    """Ask before something is done; Enter and Escape choose to stay."""
    box = QMessageBox(QMessageBox.Icon.Question, title, "", _BUTTON.NoButton, parent)
    plain_box(box, question, text)
    for answer, act in answers.items():
        box.addButton(answer, QMessageBox.ButtonRole.AcceptRole).clicked.connect(act)
    keep = box.addButton(stay, QMessageBox.ButtonRole.RejectRole)
    box.setDefaultButton(keep)
    box.setEscapeButton(keep)
    open_disposable_dialog(box)


def ask_before(parent: QWidget, question: str, consequence: str, act: Act) -> None:
    """Ask before what cannot be undone: "Remove the target xeon?"."""
    verb = question.split()[0]  # also the title and the button
    ask(parent, verb, question, consequence, {f"&{verb}": act})


_ANSWERS = {_BUTTON.Save: "&Save", _BUTTON.Discard: "&Discard", _BUTTON.Cancel: "&Cancel"}


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
