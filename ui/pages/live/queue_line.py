"""What waits on the target of the plan at hand, in one line; hidden where nothing waits."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QSizePolicy, QWidget

from app.protocol.answers import Queue
from app.remote.target import LOCAL, Target
from app.targets.queue import begins_text, is_held_up
from app.targets.store import Targets
from ui.core.context import WindowContext
from ui.widgets.actions import action, action_button
from ui.widgets.elided import ElidedLabel
from ui.widgets.layouts import in_row


class QueueSummaryRow(QWidget):
    """A line with a button to change the queue."""

    def __init__(self, context: WindowContext, page: QWidget) -> None:
        super().__init__(page)
        self._context = context
        self._target: Target | None = None
        self.text = QueuedNamesLabel()
        tip = "Move, hold or remove the waiting plans of the target"
        self.open = action(page, "Queue…", "queue", tip, self._open)
        self.setLayout(in_row((self.text, 1), action_button(self.open)))
        context.queues.changed.connect(self._refresh)
        self._refresh()

    def show_target(self, target: Target | None) -> None:
        """Show the target of the current plan; None if it is unknown."""
        if target != self._target:
            self._target = target
            self._refresh()

    def _refresh(self) -> None:
        heard = self._context.queues.of(self._target)
        self.setVisible(heard is not None)
        self.text.show_lines(queue_texts_by_width(*heard) if heard else [""])

    def _open(self) -> None:
        from ui.dialogs.queue import QueueDialog

        heard = self._context.queues.of(self._target)
        target = heard[0] if heard else self._target or Targets(self._context.home).get(LOCAL)
        QueueDialog(self._context, target, self.window()).begin()


class QueuedNamesLabel(ElidedLabel):
    """Shows as many names as fit; the tooltip has all of them."""

    _lines: Sequence[str] = ()

    def __init__(self) -> None:
        super().__init__(role="muted")
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    def show_lines(self, lines: Sequence[str]) -> None:
        """Show the longest of these texts that fits."""
        self._lines = lines
        self.setText(lines[0])

    def _shown(self) -> str:
        width = self.fontMetrics().horizontalAdvance
        return next((line for line in self._lines if width(line) <= self.width()), super()._shown())


def queue_texts_by_width(target: Target, queue: Queue) -> list[str]:
    """`Queue of shelf: a, b (not before 2026-11-24 06:00)`; where it is too wide `a, 1 more`, `2 plans`."""
    names = [f"{entry.name}{_when(queue, at)}" for at, entry in enumerate(queue.plans)]
    count = len(names)
    fewer = [[*names[:some], f"{count - some} more"] for some in range(count - 1, 0, -1)]
    held = f" (held: {queue.held})" if queue.held else ""
    shown = [names, *fewer, [f"{count} plans"]] if count > 1 else [names]
    return [f"Queue of {target.name}{held}: {', '.join(each)}" for each in shown]


def _when(queue: Queue, at: int) -> str:
    entry = queue.plans[at]
    says = entry.held or (entry.at and not queue.held) or is_held_up(queue, entry)
    return f" ({begins_text(queue, entry)})" if says else ""
