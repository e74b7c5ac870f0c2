"""Tests before the writes and after them, as points: how many times the figure before, or both figures."""

from __future__ import annotations

from dataclasses import replace

from ..compare import Comparison, RowEntry
from ..prepost import PairOfSteps
from .points import Point, point_of


def ratio_points(pair: PairOfSteps) -> list[Point]:
    """A column each: after by before, and how far its sessions reach."""
    return [replace(point_of(column["ratios"]), value=column["ratio"]) for column in pair["columns"]]


def rows_of(comparison: Comparison, pair: PairOfSteps) -> tuple[RowEntry, RowEntry]:
    """Before and after."""
    there = {row["workload"]: row for row in comparison["rows"] if row["coordinates"] == pair["coordinates"]}
    return there[pair["before"]], there[pair["after"]]
