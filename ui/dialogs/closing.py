"""Closing the window while plans run: a dialog says that they continue."""

from __future__ import annotations

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QWidget

from ui.core.plain import PlainTextLabel
from ui.core.plans import PlanFollowing
from ui.core.theme import SPACE
from ui.widgets.layouts import dialog_buttons, lay_out_dialog


class ClosingDialog(QDialog):
    """Closes by itself when no plan runs any more."""

    def __init__(self, plans: PlanFollowing, parent: QWidget) -> None:
        super().__init__(parent)
        self._plans = plans
        self.setWindowTitle("Close Dyno")
        self._heading, self._text = PlainTextLabel(role="heading"), PlainTextLabel(wraps=True)
        self._text.setMinimumWidth(420)
        buttons = dialog_buttons(self)
        close = buttons.addButton("&Close the window", QDialogButtonBox.ButtonRole.AcceptRole)
        buttons.addButton("&Stay", QDialogButtonBox.ButtonRole.RejectRole)
        close.setDefault(True)
        lay_out_dialog(self, self._heading, self._text, buttons, spacing=2 * SPACE)
        self._tell()
        plans.ended.connect(self._on_ended)

    def _tell(self) -> None:
        plans = self._plans.active()
        names = "\n".join(f"    {plan.name} on {plan.target.name}" for plan in plans)
        self._heading.setText(
            "The plans continue without the window"
            if len(plans) > 1
            else "The plan continues without the window"
        )
        self._text.setText(
            f"Running plans:\n{names}\n\nNothing is lost: Dyno fetches the results when you open it again."
            " To end a plan, stop it on the Live page first."
        )

    @Slot()
    def _on_ended(self) -> None:
        if self._plans.active():
            self._tell()
        else:
            self.accept()
