"""The dialog of a target's queue: plans are moved, held, removed."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QTreeWidgetItem, QWidget

from app.core.harmless import harmless
from app.protocol.answers import CONTINUE, HOLD, MOVE, REMOVE, Queue, QueueChange
from app.remote.target import Target
from app.targets.queue import begins_text, state_text
from ui.core.context import WindowContext
from ui.core.plain import as_tip
from ui.core.theme import SPACE
from ui.widgets.actions import action
from ui.widgets.list_dialog import TreeDialog

HEADERS = ("", "Plan", "Sessions", "Begins")
WIDTH, HEIGHT = 100 * SPACE, 44 * SPACE
ABOUT = (
    "The target begins the first plan that is not held and whose start time has come, also with this window "
    "closed. A plan that you stop, or that completes no session, holds the queue."
)


class QueueDialog(TreeDialog):
    """Reads the queue when it opens, and after each change."""

    def __init__(self, context: WindowContext, target: Target, parent: QWidget | None = None) -> None:
        super().__init__(f"Queue of {target.name}", ABOUT, "Waiting plans", HEADERS, parent)
        self._context, self._target = context, target
        self._queue = Queue([])
        self.said.setText(f"Asking {target.name}…")
        self.resize(WIDTH, HEIGHT)
        self.list.setColumnWidth(1, 30 * SPACE)
        self.list.itemSelectionChanged.connect(self._refresh)
        self.up = action(self.list, "Move up", "", "The plan begins earlier", lambda: self._move(-1))
        self.down = action(self.list, "Move down", "", "The plan begins later", lambda: self._move(1))
        self.hold = action(self.list, "Hold", "", "The plan waits until you continue it", self._hold)
        self.remove = action(self.list, "Remove", "remove", "Remove the plan from the queue", self._remove)
        self.hold_all = action(
            self, "Hold the queue", "", "No plan begins until you continue the queue", self._hold_all
        )
        for each in (self.up, self.down, self.hold, self.remove, self.hold_all):
            self.add_button(each)
        self._refresh()
        context.queues.changed.connect(self._on_changed)
        context.queues.failed.connect(self._on_refused)

    def begin(self) -> None:
        self._ask(None)
        self.open()

    def show_queue(self, queue: Queue) -> None:
        """Show the queue; the same plan stays selected."""
        chosen, self._queue = self._chosen(), queue
        self.said.setText(state_text(queue))
        self.list.clear()
        for at, each in enumerate(queue.plans):
            texts = (str(at + 1), each.name, str(each.sessions), begins_text(queue, each))
            item = QTreeWidgetItem([harmless(text) for text in texts])
            item.setToolTip(3, as_tip(each.held))
            item.setData(0, Qt.ItemDataRole.UserRole, each.plan)
            self.list.addTopLevelItem(item)
            item.setSelected(each.plan == chosen)
        for column in (0, 2):
            self.list.resizeColumnToContents(column)
        self._refresh()

    def _chosen(self) -> str:
        return next((str(each.data(0, Qt.ItemDataRole.UserRole)) for each in self.list.selectedItems()), "")

    def _at(self) -> int:
        chosen = self._chosen()
        return next((at for at, each in enumerate(self._queue.plans) if each.plan == chosen), -1)

    def _refresh(self) -> None:
        at, plans = self._at(), self._queue.plans
        self.up.setEnabled(at > 0)
        self.down.setEnabled(0 <= at < len(plans) - 1)
        for each in (self.hold, self.remove):
            each.setEnabled(at >= 0)
        self.hold.setText("Continue" if at >= 0 and plans[at].held else "Hold")
        self.hold_all.setEnabled(bool(plans))
        self.hold_all.setText("Continue the queue" if self._queue.held else "Hold the queue")

    # ---- what a person asks for

    def _move(self, by: int) -> None:
        self._ask(QueueChange(MOVE, self._chosen(), self._at() + 1 + by))

    def _hold(self) -> None:
        is_held = bool(self._queue.plans[self._at()].held)
        self._ask(QueueChange(CONTINUE if is_held else HOLD, self._chosen()))

    def _hold_all(self) -> None:
        self._ask(QueueChange(CONTINUE if self._queue.held else HOLD))

    def _remove(self) -> None:
        self._ask(QueueChange(REMOVE, self._chosen()))

    def _ask(self, change: QueueChange | None) -> None:
        self._await_answer()
        self._context.queues.ask(self._target, change)

    def _on_changed(self, target: str) -> None:
        if target == self._target.name:
            heard = self._context.queues.of(self._target)
            self.list.setEnabled(True)
            self.show_queue(heard[1] if heard and heard[0].name == target else Queue([]))

    def _on_refused(self, target: str, error: Exception) -> None:
        if target == self._target.name:
            self._on_failed(error)
