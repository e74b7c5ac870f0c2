"""Ratios of one column to the base, by steps or groups: what a gate and claims are answered by."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from app.comparison.cells.cell import Comparison, Row
from app.comparison.cells.labels import row_label
from app.comparison.verdicts.judgement import NOT_JUDGED
from app.core.units import count_text


@dataclass(frozen=True)
class StepRatio:
    """The ratio of a step, or the mean of a group, as the comparison has it."""

    step: str
    unit: str
    direction: str
    ratio: float | None
    ends: tuple[float, float] | None  # its interval; None where repeats are too few, or it would be too wide
    n: int  # repeats of the column that has fewer, or rounds
    why: str  # it is not judged; '' where it is


def ratios_of_steps(found: Comparison, at: int) -> Iterator[StepRatio]:
    """By the cells of the comparison: ratio, interval and reason are theirs."""
    for row in found.rows:
        cell, low, high = row.cells[at], row.cells[at].low, row.cells[at].high
        ends = None if low is None or high is None else (low, high)
        why = cell.why or ("" if ends else "the noise is too large")
        n = _fewer_repeats(found, row, at)
        yield StepRatio(row_label(row), row.unit, row.direction, cell.relative, ends, n, why)


def ratios_of_groups(found: Comparison, at: int) -> Iterator[StepRatio]:
    """By the means of the comparison; none is judged of which a step cannot be."""
    for group in found.groups:
        rows = [row for row in found.rows if (row.group, row.unit) == (group.group, group.unit)]
        if not rows or not group.of:
            continue
        ratio = group.ratios[at]
        ends = (ratio.low, ratio.high) if ratio and ratio.low and ratio.high else None
        why = "" if ends else "too few repeats, or the noise is too large"
        left_out = sum(row.cells[at].verdict in (None, *NOT_JUDGED) for row in rows)
        if left_out or ratio is None:
            ends, why = None, f"{left_out} of {count_text(group.of, 'step')} cannot be judged"
        n = min(_fewer_repeats(found, row, at) for row in rows)
        mean = ratio.ratio if ratio else None
        yield StepRatio(mean_name(group.group), group.unit, group.direction, mean, ends, n, why)


def mean_name(group: str) -> str:
    return f"mean of {group or 'all'}"


def _fewer_repeats(found: Comparison, row: Row, at: int) -> int:
    return min(row.cells[at].n, row.cells[found.base].n)
