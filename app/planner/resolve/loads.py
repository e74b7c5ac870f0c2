"""Loads of several steps: in increments, or again before each point of a sweep."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from app.catalog import SequenceStep
from app.core.errors import InputError
from app.protocol.plan import PREPARING, Step


def data_load_increments(load: Step, count: int, tables: int, rows: int, cap_s: int) -> Iterator[Step]:
    """Parts of a load, each followed by a settle step whose result is the database size."""
    if rows < count:
        raise InputError(f"step {load.name}: cannot load {rows:,} rows in {count:,} increments")
    for part in range(1, count + 1):
        before, after = rows * (part - 1) // count, rows * part // count
        options = {**load.options, "table_size": after, "rows_before": before}
        coordinates = {"volume_rows": tables * after}
        yield replace(load, options=options, coordinates=coordinates)
        settled = Step("size", "settle", group="load", figure="size", unit="bytes", cap_s=cap_s)
        yield replace(settled, coordinates=coordinates)


def points_with_loads(
    step: SequenceStep, points: list[Step], earlier: list[Step], start: str
) -> Iterator[Step]:
    """The points of a step, with load and following steps before the first or each of them."""
    loaded = earlier[: first_measured_index(earlier)]
    if not loaded or any("rows_before" in each.options for each in loaded):
        raise InputError(f"step {step.name}: reload needs one load step before it")
    if start != "loaded":
        raise InputError(
            f"step {step.name} loads its tables again, which the start {start} does not allow: choose the"
            " start loaded, or a sequence that loads once"
        )
    is_fresh = len(loaded) == len(earlier)
    for at, point in enumerate(points):
        if not is_fresh and not point.beside and (at == 0 or step.reload == "each"):
            for each in loaded:
                yield replace(each, name=f"{each.name}.{point.name}", coordinates=point.coordinates)
        is_fresh = False
        yield point


def first_measured_index(steps: list[Step]) -> int:
    """The index of the first step after the load and what belongs to it."""
    return next((at for at, step in enumerate(steps) if step.kind not in (*PREPARING, "settle")), len(steps))
