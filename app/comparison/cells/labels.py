"""What rows and columns are called, wherever they are shown."""

from __future__ import annotations

from app.core.names import names_on_targets, unique_names
from app.protocol.plan import step_label

from .cell import Comparison, Row


def row_label(row: Row) -> str:
    """The step with its coordinates."""
    return step_label(row.workload, row.coordinates)


def names_of(comparison: Comparison) -> list[str]:
    """Unique names of the columns."""
    columns = comparison.columns
    names = names_on_targets([each.name for each in columns], [each.target for each in columns])
    return unique_names(names, [each.starts[0] for each in columns], [each.id for each in columns])
