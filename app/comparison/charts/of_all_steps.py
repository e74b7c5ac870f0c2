"""The steps of a comparison as bars in groups: as measured, and relative to the base."""

from __future__ import annotations

from collections.abc import Iterator

from app.comparison.compare import base_of
from app.comparison.entries import Comparison
from app.comparison.text import names_of
from app.history.step_text import named

from .points import REACH, Cell, Numbers, numbers, points_of, relative_points


def bar_numbers(comparison: Comparison) -> Numbers:
    """A row a bar."""
    measured = ("value", *REACH)
    relative = ("value / base", "lowest / base", "highest / base")
    heads = ("group", "step", "threads", "unit", "better", "contender", *measured, *relative)
    return numbers(heads, _rows(comparison))


def _rows(comparison: Comparison) -> Iterator[tuple[Cell, ...]]:
    base, names = base_of(comparison), names_of(comparison)
    for row in comparison["rows"]:
        step = named(row["workload"], row["coordinates"])
        what = (row["group"], step, row["threads"], row["unit"], row["direction"])
        for name, ours, theirs in zip(names, points_of(row), relative_points(row, base), strict=True):
            yield (*what, name, *ours.cells, *theirs.cells[:3])
