"""One step over what was swept: its threads, cores, rows or rates."""

from __future__ import annotations

from collections.abc import Sequence

from app.comparison.cells.cell import Comparison, Row
from app.comparison.cells.labels import names_of
from app.core.units import unit_text
from app.history.steps.step_text import coordinate_text

from . import AXES
from .points import REACH, ChartNumbers, numbers, scaled_column_points

_FAR = 16  # times the first: from here on rows are placed by their logarithm


def axes_of(rows: Sequence[Row], row: Row | None) -> list[str]:
    """The coordinates over which the step was swept, with the others as in this row."""
    return [axis for axis in AXES if len(swept(rows, row, axis)) > 1]


def swept(rows: Sequence[Row], row: Row | None, axis: str) -> list[Row]:
    """The step at each point of an axis; empty if it has no such coordinate."""
    if row is None or axis not in row.coordinates:
        return []
    wanted = _apart(row, axis)
    found = [each for each in rows if axis in each.coordinates and _apart(each, axis) == wanted]
    return sorted(found, key=lambda each: float(each.coordinates[axis]))


def step_name_off_axis(row: Row, axis: str) -> str:
    """The name of a step without the swept coordinate: `point-query, 8 threads`."""
    name, others = _apart(row, axis)
    return ", ".join([name, *(coordinate_text(*each) for each in sorted(others.items()))])


def is_logarithmic(rows: Sequence[Row], axis: str) -> bool:
    """Whether an axis is logarithmic: threads and rates always, others if they go far."""
    at = [float(row.coordinates[axis]) for row in rows]
    return axis in ("threads", "rate") or (bool(at) and at[0] > 0 and at[-1] >= _FAR * at[0])


def no_sweep_text(row: Row, axis: str) -> str:
    """The text to show if there is no curve."""
    return f"{row.workload} has no sweep over {AXES[axis]}"


def sweep_numbers(comparison: Comparison, row: Row | None, axis: str) -> ChartNumbers:
    """A row for each point of a curve."""
    rows = swept(comparison.rows, row, axis)
    unit = f" ({unit_text(rows[0].unit)})" if rows else ""
    return numbers(
        ("step", AXES[axis], "contender", *(f"{head}{unit}" for head in ("value", *REACH[:2])), REACH[2]),
        (
            (step_name_off_axis(each, axis), each.coordinates[axis], name, *point.cells)
            for each in rows
            for name, point in zip(names_of(comparison), scaled_column_points(each), strict=True)
        ),
    )


def _apart(row: Row, axis: str) -> tuple[str, dict[str, object]]:
    return row.workload, {name: value for name, value in row.coordinates.items() if name != axis}
