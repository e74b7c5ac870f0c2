"""The dialog that chooses the targets that only drive, and the address at which they reach the server."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QFormLayout, QLineEdit, QVBoxLayout, QWidget

from app.core.errors import InputError
from app.planner import PlanRequest
from app.planner.request.load_address import address_of, load_problem
from ui.core.plain import Label
from ui.core.theme import SPACE
from ui.widgets.tick_list import TickList

WIDTH = 72 * SPACE
_ABOUT = (
    "The ticked targets share the client threads; the server has its machine to itself. Each target needs"
    " sysbench, and must reach the address below: Dyno and the server listen there while the plan runs."
    " Tables are still loaded on the server's machine. If nothing is ticked, all load comes from there."
)


class LoadDialog(QDialog):
    """Targets to tick, and an address."""

    chosen = Signal(tuple, str)  # names, address

    def __init__(self, names: Sequence[str], request: PlanRequest, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._server = request.target
        self.setWindowTitle("Load from other machines")
        self.setMinimumWidth(WIDTH)
        self.list = TickList("Load targets", names, request.load)
        self.address = QLineEdit(request.load_address)
        self.address.setPlaceholderText("10.0.0.5 or 10.0.0.5:7700")
        self.address.setAccessibleName("Address of the server's machine")
        self.reason = Label()
        self.reason.setProperty("role", "bad")
        self.reason.setWordWrap(True)
        self._build_layout()
        self.list.changed.connect(self._refresh)
        self.address.textChanged.connect(lambda _: self._refresh())
        self._refresh()

    def accept(self) -> None:
        names = tuple(self.list.ticked)
        self.chosen.emit(names, self.address.text().strip() if names else "")
        super().accept()

    def _build_layout(self) -> None:
        about = Label(_ABOUT)
        about.setWordWrap(True)
        about.setProperty("role", "muted")
        form = QFormLayout()
        form.addRow("Address of the server's machine", self.address)
        buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Cancel | QDialogButtonBox.StandardButton.Ok
        )
        self.done_ = buttons.button(QDialogButtonBox.StandardButton.Ok)
        self.done_.setProperty("accent", True)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(2 * SPACE, 2 * SPACE, 2 * SPACE, 2 * SPACE)
        layout.setSpacing(SPACE)
        for widget in (about, self.list):
            layout.addWidget(widget)
        layout.addLayout(form)
        layout.addWidget(self.reason)
        layout.addWidget(buttons)
        self.finished.connect(self.deleteLater)

    def _refresh(self) -> None:
        problem = self._problem()
        self.reason.setText(problem)
        self.done_.setEnabled(not problem)

    def _problem(self) -> str:
        """Why this cannot be; '' if it can."""
        names, address = self.list.ticked, self.address.text().strip()
        if not names:
            return ""
        if not address:
            return "Name the address of the server's machine that these targets reach."
        try:
            address_of(address)
        except InputError as error:
            return f"The address {error}." if str(error).startswith("must") else f"{error}."
        return load_problem(names, address, self._server)
