"""What Live shows of a column: the session that runs, else one that has measured the chosen step."""

from __future__ import annotations

from app.comparison.cells.cell import Column, Row
from ui.core.bus import ShowPageRequest
from ui.core.plans import PlanFollowing
from ui.models.comparison import step_row_key


def curves_of_column(
    plans: PlanFollowing, column: Column, at: int, row: Row | None
) -> ShowPageRequest | None:
    """The session to open in Live, and its step; None if no session of the column has begun."""
    if running := _running(plans, column):
        return ShowPageRequest("live", (running,))
    session = _measured(column, at, row) or _begun(column)
    step = step_row_key(row) if row else None
    return ShowPageRequest("live", (session,), step=step) if session else None


def _running(plans: PlanFollowing, column: Column) -> str:
    """The session that the plan of the column is at; '' if no plan of it runs."""
    followed = (plans.of_session(id_) for id_ in column.ids)
    at_hand = (each.progress.first_at_hand for each in followed if each and not each.is_over)
    return next((each.id for each in at_hand if each), "")


def _measured(column: Column, at: int, row: Row | None) -> str:
    """The first session whose result of the step counts; '' without one."""
    results = row.cells[at].samples if row else [None for _ in column.ids]
    return next((id_ for id_, value in zip(column.ids, results, strict=True) if value is not None), "")


def _begun(column: Column) -> str:
    begun = zip(column.ids, column.starts, strict=True)
    return next((id_ for id_, started_s in begun if started_s is not None), "")
