"""What the plan at hand has found so far, and the way to its comparison."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from app.history.lists.sessions import SessionEntry
from app.history.steps.timeline import SessionResults
from app.history.store.history import History
from app.protocol.plan import Plan
from app.protocol.states import GOING_ON
from ui.core.bus import ShowPageRequest
from ui.core.context import WindowContext
from ui.core.plain import PlainTextLabel
from ui.core.tasks import NewestAnswerRunner
from ui.widgets.actions import action, action_button
from ui.widgets.layouts import in_row

_MOST = 2  # contenders with a line; the tooltip has all


class SoFarRow(QWidget):
    """Read again when a session of the plan has ended; gone with its plan."""

    failed = Signal(object)  # Exception

    def __init__(self, context: WindowContext, page: QWidget) -> None:
        super().__init__(page)
        self._context = context
        self._latest = NewestAnswerRunner(context.tasks, self)
        self._plan = ""
        self._siblings: list[SessionEntry] = []
        self._ended: frozenset[str] = frozenset()
        self.text = PlainTextLabel(wraps=True, selectable=True)
        tip = "Compare what the sessions of the plan have measured"
        self.compare = action(page, "&Compare so far", "compare", tip, self._compare)
        self.setLayout(in_row((self.text, 1), 0, action_button(self.compare)))
        self.show_plan(None)

    def show_plan(self, seen: SessionResults | None) -> None:
        """Show what the sessions of this plan have found."""
        plan = seen.plan if seen else None
        if plan is None or plan.id != self._plan:
            self._forget(plan.id if plan else "")
        self._siblings = seen.siblings if seen else []
        self._show_command()
        ended = frozenset(each["id"] for each in self._siblings if each["state"] not in GOING_ON)
        if plan is not None and ended != self._ended:
            self._ended = ended
            self._read(plan)

    def _forget(self, plan: str) -> None:
        self._plan, self._ended = plan, frozenset()
        self.text.show_first((), _MOST)

    def _show_command(self) -> None:
        begun = self._begun
        self.compare.setEnabled(len(begun) > 1)
        is_going_on = any(each["state"] in GOING_ON for each in self._siblings)
        self.compare.setText("&Compare so far" if is_going_on else "&Compare plan")
        self.setVisible(len(begun) > 1)

    @property
    def _begun(self) -> list[str]:
        return [each["id"] for each in self._siblings if each["started_at"]]

    def _read(self, plan: Plan) -> None:
        def show(lines: Sequence[str]) -> None:
            if plan.id == self._plan:
                self.text.show_first(lines, _MOST)

        self._latest.read(lambda history: _lines(history, plan), show, self.failed.emit)

    def _compare(self) -> None:
        self._context.bus.wanted.emit(
            ShowPageRequest("compare", tuple(each["id"] for each in self._siblings))
        )


def _lines(history: History, plan: Plan) -> list[str]:
    from app.comparison.answers.so_far import so_far_lines  # by the thread that reads

    return so_far_lines(history, plan)
