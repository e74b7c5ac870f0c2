"""What the roles of a step cost each other: each beside the others, in parts of what it does alone."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from app.comparison.cells.cell import Cell, Comparison, Row
from app.comparison.cells.labels import SEVERAL, heads_of, row_label
from app.core.table import MISSING, Table
from app.protocol.plan import step_key

TITLE = "roles beside each other, in parts of what each does alone"


def roles_tables(comparison: Comparison) -> list[Table]:
    """A line for each role that another step of the same sequence carries out alone; [] without any."""
    rows = {step_key(row.workload, row.coordinates): row for row in comparison.rows}
    pairs = [(row, rows[row.alone]) for row in comparison.rows if row.alone in rows]
    if not pairs:
        return []
    heads = ("role", "alone", *heads_of(comparison).texts)
    lines = [(row_label(role), row_label(alone), *_shares(role, alone)) for role, alone in pairs]
    several = any(len(cell.samples) > 1 for row, _ in pairs for cell in row.cells)
    remark = f"{SEVERAL}; not judged"
    return [Table(TITLE, heads, tuple(lines), 2, remarks=(remark,) if several else (), fixed=1)]


def _shares(role: Row, alone: Row) -> list[str]:
    return [_share_text(*cells) for cells in zip(role.cells, alone.cells, strict=True)]


def _share_text(role: Cell, alone: Cell) -> str:
    """`0.62 (0.60 to 0.65)`: of sessions that have both."""
    found = _ratios(role.samples, alone.samples)
    if not found:
        return MISSING
    ends = f" ({min(found):.2f} to {max(found):.2f})" if len(found) > 1 else ""
    return f"{median(found):.2f}{ends}"


def _ratios(role: Sequence[float | None], alone: Sequence[float | None]) -> list[float]:
    pairs = zip(role, alone, strict=True)
    return [its / whole for its, whole in pairs if its is not None and whole]
