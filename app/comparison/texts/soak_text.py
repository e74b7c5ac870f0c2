"""What long steps did over their seconds, besides their mean: a line for each figure of each step."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from app.comparison.cells.cell import Cell, Comparison, Row
from app.comparison.cells.labels import SEVERAL, heads_of, row_label, several_text
from app.core.table import MISSING, Table
from app.core.units import figure_text, unit_text
from app.history.steps.soaks import LONG_S, SoakEntry, TrendEntry

TITLE = "over the seconds of steps of ten minutes and more"
INTERVAL = "from the first second to the last, by a straight line; in parentheses: its interval (95%)"
NOT_JUDGED = "not judged"

_Read = Callable[[SoakEntry], "float | TrendEntry | None"]
_FIGURES: tuple[tuple[str, str, _Read], ...] = (  # unit '': that of the result
    ("slowest second", "", lambda its: its["slowest"]),
    ("seconds below half of the median", "%", lambda its: its["below_half_pct"]),
    ("longest stall", "s", lambda its: its["longest_stall_s"]),
    ("throughput grows by", "%", lambda its: its["trend_pct"]),
    ("memory of the server grows by", "MB", lambda its: its["memory_trend_mb"]),
    ("tables and indexes grow by", "MB", lambda its: its["size_growth_mb"]),
    ("longest history list", "transactions", lambda its: its["history_list_max"]),
)


def soak_tables(comparison: Comparison) -> list[Table]:
    """One table; [] if no step is that long."""
    lines = [line for row in comparison.rows if _is_long(row) for line in _lines(row)]
    if not lines:
        return []
    several = any(sum(map(bool, cell.soaks)) > 1 for row in comparison.rows for cell in row.cells)
    remarks = (SEVERAL if several else INTERVAL, NOT_JUDGED)
    heads = ("step", "figure", "unit", *heads_of(comparison).texts)
    return [Table(TITLE, heads, tuple(lines), 3, remarks=remarks, fixed=2, least=("unit",))]


def _is_long(row: Row) -> bool:
    return any(each["seconds"] >= LONG_S for cell in row.cells for each in cell.soaks if each)


def _lines(row: Row) -> Iterator[tuple[str, ...]]:
    for name, unit, read in _FIGURES:
        texts = [_text(cell, read) for cell in row.cells]
        if any(text != MISSING for text in texts):
            yield (row_label(row), name, unit_text(unit or row.unit), *texts)


def _text(cell: Cell, read: _Read) -> str:
    found = [value for each in cell.soaks if each and (value := read(each)) is not None]
    if len(found) == 1:
        return one_text(found[0])
    return several_text([each["value"] if isinstance(each, dict) else each for each in found])


def one_text(figure: float | TrendEntry) -> str:
    """`-1.20 (-2.41 to 0.01)`: a trend with its interval; any other figure alone."""
    if not isinstance(figure, dict):
        return figure_text(figure)
    value, low, high = (figure_text(figure[name]) for name in ("value", "low", "high"))
    return f"{value} ({low} to {high})"
