"""The columns of the page: which sessions, in which order, against which; and the way back to others."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from app.comparison.answers.disturbed_steps import disturbed_steps
from app.comparison.cells.cell import Comparison
from app.comparison.cells.labels import row_label
from ui.core.bus import ShowPageRequest
from ui.core.context import WindowContext
from ui.widgets.actions import action

from .chosen import ChosenSessions
from .table import ComparisonTable
from .to_live import curves_of_column

_VERSIONS = 6  # of MySQL, on the first machine of the first of the published tables
_NOT_BEGUN = "No session of this column has begun: there are no curves yet"


class ChosenColumns(QObject):
    changed = Signal()  # other columns are to be read

    def __init__(self, context: WindowContext, table: ComparisonTable, page: QWidget) -> None:
        super().__init__(page)
        self._bus, self._memory, self._table = context.bus, context.memory, table
        self._plans = context.plans
        kept = self._memory.value("compare/sessions", [])
        self.chosen = ChosenSessions(tuple(kept), self._memory.value("compare/base", ""))
        self._comparison: Comparison | None = None  # that was read last
        self.trail = Trail(page)
        self.trail.wanted.connect(self._go_to)
        table.base_wanted.connect(self._make_base)
        table.column_moved.connect(self._move)

    def choose(self, chosen: ChosenSessions) -> None:
        self.trail.leave_for(chosen)
        self._go_to(chosen)

    def _go_to(self, chosen: ChosenSessions) -> None:
        self.chosen = chosen
        self.changed.emit()

    def keep(self, chosen: ChosenSessions, comparison: Comparison | None) -> None:
        """Keep the columns as they were read, with their base and without deleted sessions."""
        self.chosen, self._comparison = chosen, comparison
        self.trail.stay(chosen)
        self._memory.keep("compare/sessions", list(chosen.ids))
        self._memory.keep("compare/base", chosen.base)

    def tick(self, id_: str, is_ticked: bool) -> None:
        self.choose(self.chosen.added([id_]) if is_ticked else self.chosen.without([id_]))

    def take_versions(self, ids: Sequence[str]) -> None:
        """Compare the first of the published sessions."""
        self.choose(ChosenSessions(tuple(ids[:_VERSIONS])))

    # what is done to the column where the keyboard is

    def make_base(self) -> None:
        self._make_base(self._table.chosen_column)

    def move(self, by: int) -> None:
        at = self._table.chosen_column
        self._move(at, at + by)

    def remove(self) -> None:
        comparison, at = self._comparison, self._table.chosen_column
        if comparison and at >= 0:
            column = comparison.columns[at]
            self.choose(self.chosen.without([*column.ids, *column.attempts]))

    def measure_again(self) -> None:
        """Set up on Bench the columns that can alternate with the base."""
        if self._comparison:
            self._bus.wanted.emit(ShowPageRequest("bench", _beside_base(self._comparison)))

    def count_work(self) -> None:
        """Set up on Bench a count of the same contenders, in the chosen step if it can be counted."""
        if self._comparison:
            row = self._table.chosen_step
            steps = (row_label(row),) if row else ()
            sessions = _beside_base(self._comparison)
            self._bus.wanted.emit(ShowPageRequest("bench", sessions, steps=steps, is_count=True))

    def repeat_disturbed(self) -> None:
        """Measure again on Bench only what other programs disturbed."""
        found = disturbed_steps(self._comparison) if self._comparison else None
        if found:
            self._bus.wanted.emit(ShowPageRequest("bench", found.sessions, is_run=True, steps=found.steps))

    def open_live(self) -> None:
        """Show the curves of the cell where the keyboard is, or what runs now of its plan."""
        if self._comparison:
            at = max(self._table.chosen_column, 0)
            column = self._comparison.columns[at]
            wanted = curves_of_column(self._plans, column, at, self._table.chosen_step)
            self._bus.wanted.emit(wanted) if wanted else self._bus.said.emit(_NOT_BEGUN)

    def _make_base(self, at: int) -> None:
        comparison = self._comparison
        if comparison and at >= 0 and comparison.columns[at].id != comparison.base_id:
            self.choose(self.chosen.based_on(comparison.columns[at].id))

    def _move(self, old: int, new: int) -> None:
        comparison = self._comparison
        if comparison and old != new and min(old, new) >= 0 and max(old, new) < len(comparison.columns):
            self.choose(self.chosen.moved(comparison, old, new))
            self._table.choose_column(new)


def _beside_base(comparison: Comparison) -> tuple[str, ...]:
    """The sessions of the base and of all columns of its target."""
    columns, base = comparison.columns, comparison.columns[comparison.base]
    there = [each for each in columns if each.target == base.target]
    return tuple(dict.fromkeys(id_ for each in (base, *there) for id_ in each.ids))


# back and Forward through earlier comparisons


_MOST = 100  # comparisons, of which nobody goes back to the first


class Trail(QObject):
    """Back and forward as in a browser: a new comparison removes those after it."""

    wanted = Signal(object)  # Chosen

    def __init__(self, page: QWidget) -> None:
        super().__init__(page)
        self._here = ChosenSessions()
        self._before: list[ChosenSessions] = []
        self._after: list[ChosenSessions] = []
        tip = "Go back to the previous comparison"
        self.back = action(page, "Bac&k", "back", tip, lambda: self._go(self._before, self._after))
        tip = "Go forward to the next comparison"
        self.forward = action(page, "&Forward", "forward", tip, lambda: self._go(self._after, self._before))
        self._enable()

    def stay(self, here: ChosenSessions) -> None:
        """Replace the current entry by the comparison as read, with its base and without deleted sessions."""
        self._here = here

    def leave_for(self, there: ChosenSessions) -> None:
        if self._here.ids and there != self._here:
            self._before = [*self._before[1 - _MOST :], self._here]
            self._after.clear()
        self._here = there
        self._enable()

    def _go(self, from_: list[ChosenSessions], to: list[ChosenSessions]) -> None:
        to.append(self._here)
        self._here = from_.pop()
        self._enable()
        self.wanted.emit(self._here)

    def _enable(self) -> None:
        self.back.setEnabled(bool(self._before))
        self.forward.setEnabled(bool(self._after))
