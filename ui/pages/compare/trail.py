"""Back and Forward through earlier comparisons."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from ui.widgets.actions import action

from .chosen import Chosen

_MOST = 100  # comparisons, of which nobody goes back to the first


class Trail(QObject):
    """Back and forward as in a browser: a new comparison removes those after it."""

    wanted = Signal(object)  # Chosen

    def __init__(self, page: QWidget) -> None:
        super().__init__(page)
        self._here = Chosen()
        self._before: list[Chosen] = []
        self._after: list[Chosen] = []
        tip = "Go back to the previous comparison"
        self.back = action(page, "Bac&k", "back", tip, lambda: self._go(self._before, self._after))
        tip = "Go forward to the next comparison"
        self.forward = action(page, "&Forward", "forward", tip, lambda: self._go(self._after, self._before))
        self._enable()

    def stay(self, here: Chosen) -> None:
        """Replace the current entry by the comparison as read, with its base and without deleted sessions."""
        self._here = here

    def leave_for(self, there: Chosen) -> None:
        if self._here.ids and there != self._here:
            self._before = [*self._before[1 - _MOST :], self._here]
            self._after.clear()
        self._here = there
        self._enable()

    def _go(self, from_: list[Chosen], to: list[Chosen]) -> None:
        to.append(self._here)
        self._here = from_.pop()
        self._enable()
        self.wanted.emit(self._here)

    def _enable(self) -> None:
        self.back.setEnabled(bool(self._before))
        self.forward.setEnabled(bool(self._after))
