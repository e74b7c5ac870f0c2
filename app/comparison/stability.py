"""What stands beside a figure that was measured once: how steady its session was in itself."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING

from app.history.curves import Curve, curves_of
from app.history.figures import CutEntry
from app.history.history import History
from app.stats import within

if TYPE_CHECKING:
    from .entries import Comparison, RowEntry

Key = tuple[str, str]  # name and coordinates of a step
QUERIES = "load.queries"


def single_columns(comparison: Comparison) -> dict[int, str]:
    """The columns of one session, which have no spread: by their place."""
    columns = enumerate(comparison["sessions"])
    return {at: column["id"] for at, column in columns if len(column["ids"]) == 1}


def read_stability(history: History, comparison: Comparison) -> dict[Key, list[float | None]]:
    """By step, an entry a column; steps of which no seconds of queries are kept are left out."""
    found: dict[Key, list[float | None]] = {}
    for at, session in single_columns(comparison).items():
        cuts = {key_of(row): next(iter(row["cuts"][at]), None) for row in comparison["rows"]}
        for key, curve in curves_of(history, session, QUERIES).items():
            row = found.setdefault(key, [None] * len(comparison["sessions"]))
            row[at] = within(_counting(curve, cuts.get(key)))
    return found


def _counting(curve: Curve, cut: CutEntry | None) -> list[float | None]:
    """The measured seconds; of them those that a person has left."""
    first, last = (cut["first_s"], cut["last_s"]) if cut else (0, curve.seconds[-1])
    values = curve.values[(curve.seconds >= first) & (curve.seconds <= last)]
    found: list[float | None] = values.tolist()
    is_missing = values != values
    return [None if value != value else value for value in found] if is_missing.any() else found


def with_stability(history: History, comparison: Comparison) -> Comparison:
    return put_beside(comparison, read_stability(history, comparison))


def put_beside(comparison: Comparison, found: Mapping[Key, list[float | None]]) -> Comparison:
    """The same comparison, with what was read beside its figures."""
    return {**comparison, "rows": [row_with(row, found) for row in comparison["rows"]]}


def row_with(row: RowEntry, found: Mapping[Key, list[float | None]]) -> RowEntry:
    """Only a figure that is a rate of these queries gets anything beside it."""
    return {**row, "within": found[key_of(row)]} if key_of(row) in found and is_rate(row) else row


def key_of(row: RowEntry) -> Key:
    return row["workload"], json.dumps(row["coordinates"], sort_keys=True)


def is_rate(row: RowEntry) -> bool:
    """Whether the figure of the step is what its seconds are of."""
    return row["kind"] == "drive" and row["unit"] == "queries/s"
