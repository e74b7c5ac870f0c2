"""The queues of the targets, read when plans start and end, not every second."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

if TYPE_CHECKING:
    from app.protocol.answers import Queue, QueueChange
    from app.remote.target import Ask, Target

    from .looking import RunningPlanFinder
    from .plans import PlanFollowing
    from .secrets import SecretPrompter
    from .tasks import Failed, Tasks

SOON_S = 5.0  # until a plan is looked for that should begin now
LONGEST_S = 3600.0  # until a plan that begins later is looked for


class Queues(QObject):
    """The queues of all targets; follows a plan that a target starts by itself."""

    changed = Signal(str)  # name of the target
    failed = Signal(str, object)  # name of the target, Exception

    def __init__(
        self,
        tasks: Tasks,
        plans: PlanFollowing,
        looking: RunningPlanFinder,
        secrets: SecretPrompter,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._tasks, self._plans, self._looking, self._secrets = tasks, plans, looking, secrets
        self._heard: dict[str, tuple[Target, Queue]] = {}
        self._waiting: set[str] = set()  # the targets at which is looked again soon
        plans.looked.connect(self._look)
        plans.ended.connect(self._on_ended)

    def of(self, target: Target | None) -> tuple[Target, Queue] | None:
        """The queue of this target; if nothing waits there, that of any other."""
        own = self._heard.get(target.name) if target else None
        return own or next(iter(self._heard.values()), None)

    def ask(self, target: Target, change: QueueChange | None = None) -> None:
        """Make a change, or only read; `changed` or `failed` follows."""
        self._ask(target, change, self._secrets.ask, lambda error: self.failed.emit(target.name, error))

    def take(self, target: Target, queue: Queue) -> None:
        """Handle the answer of a target."""
        self._heard.pop(target.name, None)
        if queue.plans:
            self._heard[target.name] = (target, queue)
        self.changed.emit(target.name)
        if queue.at_work:
            self._looking.look_at(target)
        if queue.goes_on and target.name not in self._waiting and not self._plans.is_at_work(target.name):
            self._waiting.add(target.name)
            QTimer.singleShot(int(_wait_s(queue) * 1000), self, lambda: self._on_soon(target))

    def _ask(self, target: Target, change: QueueChange | None, ask: Ask, failed: Failed) -> None:
        def work() -> Queue:
            from app.targets.queue import queue_of

            return queue_of(target, ask, change)

        self._tasks.run(self, work, lambda queue: self.take(target, queue), failed)

    def _look(self, target: Target) -> None:
        """Read the queues without asking for a secret; `PlanFollowing` reports unreachable targets."""
        self._ask(target, None, self._secrets.silent, lambda _: None)

    def _on_ended(self, plan: str) -> None:
        followed = self._plans.get(plan)
        if followed is not None:
            self._look(followed.target)

    def _on_soon(self, target: Target) -> None:
        self._waiting.discard(target.name)
        self._plans.adopt_from(target)


def _wait_s(queue: Queue) -> float:
    first = min(max(0.0, (each.at or 0.0) - queue.now) for each in queue.plans if not each.held)
    return min(first + SOON_S, LONGEST_S)
