"""The longest waits of each driven step by name, as a table of a report."""

from __future__ import annotations

from collections.abc import Iterator

from app.comparison.cells.cell import Comparison, Row
from app.comparison.cells.labels import row_label
from app.comparison.texts.waits_text import us_text
from app.comparison.why.waits import waits_of_columns
from app.history.store.history import History

from .tables import Cell, Group, Line

_OF_STEP = 3  # waits


def waits(history: History, found: Comparison) -> Iterator[Group]:
    """One table; nothing if the servers listed no waits."""
    driven = [row for row in found.rows if row.kind == "drive"]
    lines = tuple(line for row in driven for line in _lines(history, found, row))
    if lines:
        yield Group("Longest waits of all threads", "us/query", "lower", lines, None, ())


def _lines(history: History, found: Comparison, row: Row) -> Iterator[Line]:
    every = waits_of_columns(history, found, row.workload, row.coordinates)
    timed = [each for each in every if any(each["per_query_us"])]
    for each in timed[:_OF_STEP]:
        cells = (
            Cell(us_text(value), tip=f"n = {n}")
            for value, n in zip(each["per_query_us"], each["n"], strict=True)
        )
        yield Line(f"{row_label(row)}: {each['name']}", tuple(cells))
