"""Sets up sessions of the history again, and starts them on request."""

from __future__ import annotations

import time

from PySide6.QtCore import QObject, Signal

from app.planner.starting.choices import NO_SURVEY
from app.planner.starting.draft import Draft, Outcome

from .draft_controller import DraftController

SOON_S = 20.0  # to read and check what is run again: later nobody expects that it starts


class RunAgain(QObject):
    start_wanted = Signal()
    warned = Signal(str)

    def __init__(self, controller: DraftController) -> None:
        super().__init__(controller)
        self._controller = controller
        self._until = 0.0
        self._draft = Draft()
        controller.set_up_again.connect(self._on_set_up)
        controller.concluded.connect(self._on_concluded)

    def open(self, sessions: tuple[str, ...], is_run: bool) -> None:
        self._until = time.monotonic() + SOON_S if is_run else 0.0
        self._controller.open_again(sessions)

    def _on_set_up(self, draft: Draft, remark: str) -> None:
        self._draft = draft
        if remark:
            self._until = 0.0  # a person looks at it first
            self.warned.emit(f"{remark}\nReview the checks, then press Run.")

    def _on_concluded(self, outcome: Outcome) -> None:
        if outcome.draft is not self._draft or time.monotonic() > self._until:
            return
        if outcome.problem and outcome.problem.text == NO_SURVEY:
            return  # it may still be read
        self._until = 0.0
        if obstacle := outcome.obstacle:
            self.warned.emit(f"Not started: {obstacle}")
        else:
            self.start_wanted.emit()
