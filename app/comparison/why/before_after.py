"""Tests before the writes (`.pre`) compared with the same tests after them."""

from __future__ import annotations

from statistics import geometric_mean
from typing import TypedDict

from app.comparison.cells.cell import Cell, Comparison, Coordinate, Row
from app.protocol.plan import step_key

PRE = "pre"  # a part of the name of a step: point-query.pre, read-only.pre.range10000


class BeforeAfterColumn(TypedDict):
    """What one column says of a pair."""

    values: list[float | None]  # medians, before and after the writes
    ratios: list[float | None]  # after to before: one a session, in the order of the ids of its column
    ratio: float | None  # their geometric mean
    n: int  # sessions that have both
    marks: list[str]


class BeforeAfterTest(TypedDict):
    """A test that ran twice in a session; `columns` has an entry for each column."""

    before: str  # names of the steps
    after: str
    coordinates: dict[str, Coordinate]
    group: str
    unit: str
    direction: str
    columns: list[BeforeAfterColumn]


def before_after_tests(comparison: Comparison) -> list[BeforeAfterTest]:
    """The tests that ran both before and after the writes, in the order of the later ones."""
    rows = {_key(row.workload, row): row for row in comparison.rows}
    found = ((row, rows.get(_key(later, row))) for row in rows.values() if (later := after_writes_name(row)))
    return [_pair(before, after) for before, after in found if after and after.unit == before.unit]


def after_writes_name(row: Row) -> str:
    """The name of the same test after the writes; '' for other steps."""
    parts = row.workload.split(".")
    return ".".join(part for part in parts if part != PRE) if PRE in parts[1:] else ""


def _key(name: str, row: Row) -> tuple[str, str]:
    return step_key(name, row.coordinates)


def _pair(before: Row, after: Row) -> BeforeAfterTest:
    return {
        "before": before.workload,
        "after": after.workload,
        "coordinates": after.coordinates,
        "group": after.group,
        "unit": after.unit,
        "direction": after.direction,
        "columns": [_column(*cells) for cells in zip(before.cells, after.cells, strict=True)],
    }


def _column(before: Cell, after: Cell) -> BeforeAfterColumn:
    """One column, session by session: what makes a whole session fast or slow is in both steps."""
    samples = zip(before.samples, after.samples, strict=True)
    ratios = [later / earlier if earlier and later else None for earlier, later in samples]
    known = [ratio for ratio in ratios if ratio is not None]
    return {
        "values": [before.value, after.value],
        "ratios": ratios,
        "ratio": geometric_mean(known) if known else None,
        "n": len(known),
        "marks": sorted({*before.marks, *after.marks}),
    }
