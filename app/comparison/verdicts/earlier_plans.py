"""What earlier plans of the same work on the same machine have shown of the noise of each step."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from app.comparison.cells.cell import Column, Comparison, Row
from app.core.units import count_text
from app.history.steps.earlier_plans import Ratios
from app.protocol.plan import coordinates_json
from app.stats.earlier import prior_of_plans, variances_of_plans


def beginning_of_one_plan(columns: Sequence[Column]) -> float | None:
    """When the sessions began, if all are slices of one plan; repeats of several vary otherwise."""
    plans = {plan for column in columns for plan in column.plans}
    if len(plans) > 1 or not any(column.by_round for column in columns):
        return None
    return min((start for column in columns for start in column.starts if start is not None), default=None)


def add_earlier_noise(rows: Iterable[Row], ratios: Mapping[tuple[str, str], Ratios]) -> None:
    for row in rows:
        of_step = ratios.get((row.workload, coordinates_json(row.coordinates)), {})
        measured = variances_of_plans(of_step.values())
        row.earlier = prior_of_plans(measured)
        row.earlier_plans = len(measured) if row.earlier.freedom else 0


def about_earlier_plans(comparison: Comparison) -> str:
    """`the noise of 6 earlier plans ... was taken into account for 8 results`; '' where it was for none."""
    rows = [row for row in comparison.rows if any(cell.pooled for cell in row.cells)]
    if not rows:
        return ""
    plans = sorted({row.earlier_plans for row in rows})
    count = f"{plans[0]} earlier plans" if len(plans) == 1 else f"{plans[0]} to {plans[-1]} earlier plans"
    results = count_text(sum(cell.pooled for row in rows for cell in row.cells), "result")
    return f"the noise of {count} of this work on this machine was taken into account for {results}"
