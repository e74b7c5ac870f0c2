"""One field of all cells of a row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from app.comparison.cells.cell import Figure, Row


def cells(row: Row, name: str) -> list[Any]:
    return of_each(row.cells, name)


def of_each(figures: Sequence[Figure], name: str) -> list[Any]:
    return [getattr(figure, name) for figure in figures]
