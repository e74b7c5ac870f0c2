"""Closing the window while plans are carried out: they go on, and the person is told so."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QVBoxLayout, QWidget

from ..plans import FollowedPlan


class ClosingDialog(QDialog):
    def __init__(self, plans: Sequence[FollowedPlan], parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle("Close Dyno")
        names = "\n".join(f"    {plan.name} on {plan.target.name}" for plan in plans)
        heading = QLabel(
            "They go on without the window" if len(plans) > 1 else "It goes on without the window"
        )
        heading.setProperty("role", "heading")
        text = QLabel(
            f"Still being carried out:\n{names}\n\nNothing is lost: the next time Dyno is opened, what was"
            " measured meanwhile is fetched. To end a plan, stop it on the Live page first."
        )
        text.setWordWrap(True)
        text.setMinimumWidth(420)
        buttons = QDialogButtonBox()
        close = buttons.addButton("Close the window", QDialogButtonBox.ButtonRole.AcceptRole)
        buttons.addButton("Stay", QDialogButtonBox.ButtonRole.RejectRole)
        close.setDefault(True)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(24, 24, 24, 16)
        layout.setSpacing(16)
        for part in (heading, text, buttons):
            layout.addWidget(part)
