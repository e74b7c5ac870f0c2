"""The figures of the engines in which two columns differ, as *Why* shows them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from app.comparison.cells.cell import Row
from app.comparison.cells.measures import MEASURES, OF_ENGINE, Measure
from app.engines.counter import SHARE

DIFFERS = math.log(1.1)  # from here on, on a scale of doubling, a figure differs
LEAST_SHARE = 0.005  # smaller differences of a share do not count


def differing_measures(row: Row, base: int, at: int) -> list[Measure]:
    """The figures in which both columns differ beyond the range of their repeats, the largest first."""
    found = list(_differences(row, base, at))
    return [measure for _, measure in sorted(found, key=lambda each: -each[0])]


def _differences(row: Row, base: int, at: int) -> Iterator[tuple[float, Measure]]:
    for measure in MEASURES:
        if measure.name not in OF_ENGINE or measure.name not in row.measures:
            continue
        figures = row.measures[measure.name]
        ours, theirs = (
            [value for value in figures[each].samples if value is not None] for each in (at, base)
        )
        if ours and theirs and not do_overlap(ours, theirs):
            change = _change(measure.unit, figures[base].value or 0.0, figures[at].value or 0.0)
            if change >= DIFFERS:
                yield change, measure


def do_overlap(some: Sequence[float], others: Sequence[float]) -> bool:
    """Whether the ranges of both overlap; two single sessions with different values do not."""
    return min(some) <= max(others) and min(others) <= max(some)


def _change(unit: str, before: float, after: float) -> float:
    """How much a figure changed; of a share, what is left of it counts as well: 1 % of misses is not 2 %."""
    if unit != SHARE:
        return _grown(before, after)
    if abs(after - before) < LEAST_SHARE:
        return 0.0
    return max(_grown(before, after), _grown(1 - before, 1 - after))


def _grown(before: float, after: float) -> float:
    if before == after:
        return 0.0
    return abs(math.log(after / before)) if before > 0 and after > 0 else math.inf
