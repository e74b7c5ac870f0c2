"""Steps by what changed most: those that are better or worse first, the largest ratio before smaller ones."""

from __future__ import annotations

from collections.abc import Iterable

from app.stats.at_target.verdicts import COLOURED

from .cell import Cell, Row


def rows_by_effect(rows: Iterable[Row], base: int) -> list[Row]:
    """Steps without any ratio come last; equal ones stay in their order."""
    return sorted(rows, key=lambda row: _rank([cell for at, cell in enumerate(row.cells) if at != base]))


def _rank(cells: list[Cell]) -> tuple[bool, float]:
    decided = [cell for cell in cells if cell.verdict in COLOURED]
    return not decided, -max((cell.effect for cell in decided or cells), default=0.0)
