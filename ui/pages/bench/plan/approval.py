"""The dialog to read and approve Lua that does not come with Dyno."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.catalog import UnapprovedError
from ui.core.plain import Label
from ui.core.theme import SPACE
from ui.widgets.actions import action, action_button
from ui.widgets.code import CodeView


class ApprovalView(QWidget):
    """Shows one workload after the other until all are approved."""

    approved = Signal(str, str)  # hash, workload

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._asked: UnapprovedError | None = None
        self.words = Label()
        self.words.setWordWrap(True)
        self.text = CodeView("What the workload runs")
        tip = "Allow this text to run on targets; a changed text needs a new approval"
        self.approve = action(self, "Approve this text", "", tip, self._on_approved)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, SPACE, 0, 0)
        layout.addWidget(self.words)
        layout.addWidget(self.text, 1)
        layout.addWidget(action_button(self.approve))

    def show_unapproved(self, unapproved: Sequence[UnapprovedError]) -> None:
        self._asked = unapproved[0] if unapproved else None
        self.approve.setEnabled(self._asked is not None)
        if self._asked is None:
            return
        more = f" ({len(unapproved) - 1} more after it)" if len(unapproved) > 1 else ""
        self.words.setText(
            f"The workload {self._asked.workload.name} is not part of Dyno. Its Lua code runs on the "
            f"target as your user: read it before you approve it.{more}\nhash {self._asked.sha256[:12]}"
        )
        files = (f"-- {name}\n{text}" for name, text in sorted(self._asked.files.items()))
        self.text.show_text("\n\n".join(files))

    def _on_approved(self) -> None:
        if self._asked is not None:
            self.approved.emit(self._asked.sha256, self._asked.workload.name)
