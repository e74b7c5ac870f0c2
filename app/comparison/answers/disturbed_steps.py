"""What other programs disturbed in a comparison, so that it alone can be measured again."""

from __future__ import annotations

from dataclasses import dataclass

from app.comparison.cells.cell import Comparison

from .sentences import has_running_sessions


@dataclass(frozen=True)
class DisturbedSteps:
    """Names of steps, and the sessions of the columns that are to be measured in turn for them."""

    steps: tuple[str, ...]
    sessions: tuple[str, ...]


def disturbed_steps(comparison: Comparison) -> DisturbedSteps | None:
    """The disturbed steps with the base and each column that they concern; None where nothing can be done.

    Columns of another target or of published sessions cannot alternate with the base.
    """
    base = comparison.columns[comparison.base]
    rows = [row for row in comparison.rows if not row.is_waiting]
    places = {at for row in rows for at, cell in enumerate(row.cells) if cell.was_disturbed}
    if comparison.base in places:
        places = set(range(len(comparison.columns)))
    its = [each for at, each in enumerate(comparison.columns) if at in places and each.target == base.target]
    sessions = dict.fromkeys(id_ for each in [base, *its] for id_ in each.ids)
    steps = dict.fromkeys(row.workload for row in rows if any(cell.was_disturbed for cell in row.cells))
    if not steps or any(each.source or has_running_sessions(each) for each in [base, *its]):
        return None
    return DisturbedSteps(tuple(steps), tuple(sessions)) if its else None
