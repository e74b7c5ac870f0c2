"""Two starts may agree by chance: then the spread of all starts that the history knows of counts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from app.comparison.cells.cell import Row
from app.protocol.plan import COUNT, coordinates_json
from app.stats.at_target.verdicts import LEAST


def add_known_spreads(rows: Iterable[Row], spreads: Sequence[Mapping[tuple[str, str], float]]) -> None:
    """Give counted steps with too few starts the spread of all of their column."""
    for row in rows:
        key = (row.workload, coordinates_json(row.coordinates))
        for cell, known in zip(row.cells, spreads, strict=True):
            if row.kind == COUNT and cell.n < LEAST:
                cell.known_spread = known.get(key, 0.0)
