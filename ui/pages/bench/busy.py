"""Whether a plan is at work on the chosen target: asked when that may have changed, never by a clock."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from app.planner.request.request import PlanRequest
from app.planner.starting.launch import busy_check, with_queue
from app.protocol.answers import Check, DirectoryStatus
from app.remote.reach import reached
from app.remote.target import Target
from ui.core.context import WindowContext
from ui.core.tasks import NewestAnswerRunner


class BusyTarget(QObject):
    """What the target said last; it is asked without asking a person for a secret."""

    changed = Signal()

    def __init__(self, context: WindowContext, parent: QObject) -> None:
        super().__init__(parent)
        self._context = context
        self._asking = NewestAnswerRunner(context.tasks, self)
        self._target: Target | None = None
        self._status: DirectoryStatus | None = None
        context.plans.looked.connect(self._on_looked)
        context.plans.ended.connect(lambda _: self.look(self._target))

    def look(self, target: Target | None) -> None:
        """Ask a target; what another one said is forgotten at once."""
        if target is None:
            return
        if self._target is None or self._target.name != target.name:
            self._take(None)
        self._target = target

        def work() -> DirectoryStatus:
            with reached(target, self._context.secrets.silent) as agent:
                return agent.status()

        self._asking.run(work, self._take, lambda _: self._take(None))

    def check(self, request: PlanRequest) -> Check | None:
        """Why Run would start nothing now; None if nothing is known to be in the way."""
        found = busy_check(self._status, request.allow_busy) if self._status else None
        return with_queue(found) if found and request.can_wait else found

    def _on_looked(self, target: Target) -> None:
        """Somebody turned to the window, and its targets were looked at."""
        if self._target is not None and target.name == self._target.name:
            self.look(target)

    def _take(self, status: DirectoryStatus | None) -> None:
        if status != self._status:
            self._status = status
            self.changed.emit()
