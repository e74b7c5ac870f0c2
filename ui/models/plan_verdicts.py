"""The verdicts of plans in the list: one at a time off the GUI thread, when their rows are seen."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.history.lists.plans import PlanEntry
from app.history.store.history import History
from ui.core.tasks import Tasks

if TYPE_CHECKING:
    from app.comparison.answers.plan_verdict import PlanVerdict


class PlanVerdicts(QObject):
    """Kept until a plan has come further, or the baseline or the limits are others."""

    came = Signal(str)  # plan id

    def __init__(self, tasks: Tasks, home: Path, parent: QObject) -> None:
        super().__init__(parent)
        self._tasks, self._home = tasks, home
        self._found: dict[str, tuple[object, PlanVerdict]] = {}  # by plan, with what it was then
        self._wanted: dict[str, PlanEntry] = {}
        self._is_reading = False
        self._round = 0  # answers of an earlier one are not taken any more

    def of(self, plan: PlanEntry) -> PlanVerdict | None:
        """What is known of a plan; asks for it where nothing is."""
        known = self._found.get(plan["id"])
        if known is None or known[0] != _moment(plan):
            self._wanted[plan["id"]] = plan
            self._read()
        return known[1] if known else None

    def forget(self) -> None:
        """Ask for all of them again."""
        self._round += 1
        self._found.clear()

    def _read(self) -> None:
        if self._is_reading or not self._wanted:
            return
        self._is_reading = True
        id_, plan = self._wanted.popitem()
        home, asked = self._home, self._round

        def done(found: PlanVerdict) -> None:
            if asked == self._round:
                self._found[id_] = (_moment(plan), found)
                self.came.emit(id_)
            self._go_on()

        self._tasks.read(
            self, lambda history: _verdict(history, id_, home), done, lambda _: self._go_on()
        )  # why it cannot be read is shown where the plan is opened

    def _go_on(self) -> None:
        self._is_reading = False
        self._read()


def _moment(plan: PlanEntry) -> object:
    return plan["states"], plan["failed_steps"]


def _verdict(history: History, plan: str, home: Path) -> PlanVerdict:
    from app.comparison.answers.plan_verdict import plan_verdict  # by the thread that reads

    return plan_verdict(history, plan, home)
