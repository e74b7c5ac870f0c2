"""Figures that are there, and say too little of a difference to be tested."""

from __future__ import annotations

from app.comparison.cells.cell import Cell, Column, Row
from app.history.steps.step_text import AT_LEAST, LAG_LOST

from .counted_writes import WHY_NOT_BY_COUNTS, why_not_by_counts

UNKNOWN_LAG, UNRESOLVED = "unknown lag", "below the resolution"  # verdicts
WHY_NOT_BY_FIGURES = {
    UNKNOWN_LAG: "here or in the base not all of the lag is known",
    UNRESOLVED: "the difference is smaller than the resolution of the measure",
    **WHY_NOT_BY_COUNTS,
}


def why_not_by_figures(row: Row, columns: list[Column], base: int, at: int) -> str | None:
    """The verdict of a cell whose figures cannot be tested; None where they can."""
    cell, other = row.cells[at], row.cells[base]
    if {AT_LEAST, LAG_LOST}.intersection([*cell.marks, *other.marks]):
        return UNKNOWN_LAG
    if _is_unresolved(cell, other):
        return UNRESOLVED
    return why_not_by_counts(row, columns, base, at)


def _is_unresolved(cell: Cell, base: Cell) -> bool:
    """Whether both have a value, closer to each other than either was measured."""
    if cell.value is None or base.value is None:
        return False
    return abs(cell.value - base.value) < max(cell.resolution, base.resolution)
