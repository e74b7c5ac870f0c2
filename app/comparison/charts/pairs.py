"""Tests before the writes and after them, as points: how many times the figure before, or both figures."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

from app.comparison.before_after import ColumnOfPair, PairOfSteps
from app.comparison.entries import Comparison, RowEntry
from app.comparison.text import names_of

from .points import Cell, Numbers, Point, numbers, point_of

_HEADS = (
    *("before", "after", "coordinates", "unit", "contender"),
    *("before_value", "after_value", "ratio", "n", "ratios", "marks"),
)


def ratio_points(pair: PairOfSteps) -> list[Point]:
    """A column each: after by before, and how far its sessions reach."""
    return [replace(point_of(column["ratios"]), value=column["ratio"]) for column in pair["columns"]]


def rows_of(comparison: Comparison, pair: PairOfSteps) -> tuple[RowEntry, RowEntry]:
    """Before and after."""
    there = {row["workload"]: row for row in comparison["rows"] if row["coordinates"] == pair["coordinates"]}
    return there[pair["before"]], there[pair["after"]]


def pair_numbers(comparison: Comparison, found: Sequence[PairOfSteps]) -> Numbers:
    """A row a pair and column; `ratios` has one a session."""
    return numbers(
        _HEADS,
        (
            (*_place(pair), name, *_cells(column))
            for pair in found
            for name, column in zip(names_of(comparison), pair["columns"], strict=True)
        ),
    )


def _place(pair: PairOfSteps) -> tuple[Cell, ...]:
    return pair["before"], pair["after"], json.dumps(pair["coordinates"], sort_keys=True), pair["unit"]


def _cells(column: ColumnOfPair) -> tuple[Cell, ...]:
    of_all = (*column["values"], column["ratio"], column["n"])
    return *of_all, json.dumps(column["ratios"]), " ".join(column["marks"])
