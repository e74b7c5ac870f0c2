"""What waits on the target of the plan at hand, in one line; hidden where nothing waits."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QWidget

from app.protocol.answers import Queue
from app.remote.target import LOCAL, Target
from app.targets.queue import begins_text, is_kept_waiting
from app.targets.store import Targets
from ui.core.context import Context
from ui.core.theme import SPACE
from ui.widgets.actions import action, action_button
from ui.widgets.elided import ElidedLabel


class QueueLine(QWidget):
    """With the button to change it."""

    def __init__(self, context: Context, page: QWidget) -> None:
        super().__init__(page)
        self._context = context
        self._target: Target | None = None
        self.text = ElidedLabel()
        self.text.setProperty("role", "muted")
        self.text.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.open = action(
            page,
            "Queue...",
            "queue",
            "Move, hold or remove the waiting plans of the target",
            self._open,
        )
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(SPACE)
        layout.addWidget(self.text, 1)
        layout.addWidget(action_button(self.open))
        context.queues.changed.connect(self._refresh)
        self._refresh()

    def show_target(self, target: Target | None) -> None:
        """Of the plan at hand; None where it is not known."""
        if target != self._target:
            self._target = target
            self._refresh()

    def _refresh(self) -> None:
        heard = self._context.queues.of(self._target)
        self.setVisible(heard is not None)
        self.text.setText(line_of(*heard) if heard else "")

    def _open(self) -> None:
        from ui.dialogs.queue import QueueDialog

        heard = self._context.queues.of(self._target)
        target = heard[0] if heard else self._target or Targets(self._context.home).get(LOCAL)
        QueueDialog(self._context, target, self.window()).begin()


def line_of(target: Target, queue: Queue) -> str:
    """`Queue of shelf: 1 second, 2 third (not before 2026-11-24 06:00)`."""
    each = [f"{at + 1} {entry.name}{_when(queue, at)}" for at, entry in enumerate(queue.plans)]
    held = f" (held: {queue.held})" if queue.held else ""
    return f"Queue of {target.name}{held}: {', '.join(each)}"


def _when(queue: Queue, at: int) -> str:
    entry = queue.plans[at]
    says = entry.held or (entry.at and not queue.held) or is_kept_waiting(queue, entry)
    return f" ({begins_text(queue, entry)})" if says else ""
