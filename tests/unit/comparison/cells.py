"""One field of all cells of a row, and other parts of a comparison as lists."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from app.comparison.cells.cell import ColumnFigure, Comparison, Row
from app.core.table import CellText as TableCell


def cells(row: Row, name: str) -> list[Any]:
    return of_each(row.cells, name)


def of_each(figures: Sequence[ColumnFigure], name: str) -> list[Any]:
    return [getattr(figure, name) for figure in figures]


def texts_of(comparison: Comparison) -> list[str]:
    return [each.text for each in comparison.warnings]


def beside(line: Sequence[str]) -> list[str]:
    """What stands beside the figures of a line of a report."""
    return [cell.beside if isinstance(cell, TableCell) else "" for cell in line[1:]]
