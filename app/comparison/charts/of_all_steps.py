"""Charts of all steps: bars in groups, and tests before and after the writes as points."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace

from app.comparison.cells.cell import Comparison, Row
from app.comparison.cells.labels import names_of
from app.comparison.why.before_after import BeforeAfterColumn, BeforeAfterTest
from app.history.steps.step_text import named
from app.protocol.plan import coordinates_json

from .points import (
    REACH,
    Cell,
    ChartNumbers,
    PointWithRange,
    numbers,
    point_of,
    relative_points,
    scaled_column_points,
)


def bar_numbers(comparison: Comparison) -> ChartNumbers:
    """A row for each bar."""
    measured = ("value", *REACH)
    relative = ("value / base", "lowest / base", "highest / base")
    heads = ("group", "step", "threads", "unit", "better", "contender", *measured, *relative)
    return numbers(heads, _rows(comparison))


def _rows(comparison: Comparison) -> Iterator[tuple[Cell, ...]]:
    base, names = comparison.base, names_of(comparison)
    for row in comparison.rows:
        step = named(row.workload, row.coordinates)
        what = (row.group, step, row.threads, row.unit, row.direction)
        for name, ours, theirs in zip(
            names, scaled_column_points(row), relative_points(row, base), strict=True
        ):
            yield (*what, name, *ours.cells, *theirs.cells[:3])


_HEADS = (
    *("before", "after", "coordinates", "unit", "contender"),
    *("before_value", "after_value", "ratio", "n", "ratios", "marks"),
)


def before_after_points(pair: BeforeAfterTest) -> list[PointWithRange]:
    """For each column the ratio after / before, with the range of its sessions."""
    return [replace(point_of(column["ratios"]), value=column["ratio"]) for column in pair["columns"]]


def before_after_rows(comparison: Comparison, pair: BeforeAfterTest) -> tuple[Row, Row]:
    """The rows of a pair: before and after the writes."""
    there = {row.workload: row for row in comparison.rows if row.coordinates == pair["coordinates"]}
    return there[pair["before"]], there[pair["after"]]


def pair_numbers(comparison: Comparison, found: Sequence[BeforeAfterTest]) -> ChartNumbers:
    """A row for each pair and column; `ratios` has one value for each session."""
    return numbers(
        _HEADS,
        (
            (*_place(pair), name, *_cells(column))
            for pair in found
            for name, column in zip(names_of(comparison), pair["columns"], strict=True)
        ),
    )


def _place(pair: BeforeAfterTest) -> tuple[Cell, ...]:
    return pair["before"], pair["after"], coordinates_json(pair["coordinates"]), pair["unit"]


def _cells(column: BeforeAfterColumn) -> tuple[Cell, ...]:
    of_all = (*column["values"], column["ratio"], column["n"])
    return *of_all, json.dumps(column["ratios"]), " ".join(column["marks"])
