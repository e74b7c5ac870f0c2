"""A point of a chart: the median of the repeats, and how far they reach; the points of a chart as a table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median

from app.comparison.cells.cell import Row
from app.core.csv_text import csv_text

Cell = str | float | None
REACH = ("lowest", "highest", "n")  # the heads of the columns after a median


@dataclass(frozen=True)
class PointWithRange:
    """A point: `low` and `high` are the range of the repeats; None for a single one."""

    value: float | None = None
    low: float | None = None
    high: float | None = None
    n: int = 0

    @property
    def reach(self) -> tuple[float, float] | None:
        """The range of an error bar."""
        return None if self.low is None or self.high is None else (self.low, self.high)

    @property
    def cells(self) -> tuple[Cell, ...]:
        return (self.value, self.low, self.high, self.n)


@dataclass(frozen=True)
class ChartNumbers:
    """The numbers behind a chart: heads with units, a row for each point; None is missing."""

    heads: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]

    def to_csv(self) -> str:
        return csv_text(self.heads, self.rows)


def point_of(samples: Iterable[float | None], of: float | None = 1.0) -> PointWithRange:
    """The point of these repeats, each divided by `of`; empty if `of` is 0 or missing."""
    known = [value / of for value in samples if value is not None] if of else []
    if not known:
        return PointWithRange()
    low, high = (min(known), max(known)) if len(known) > 1 else (None, None)
    return PointWithRange(median(known), low, high, len(known))


def scaled_column_points(row: Row, of: float = 1.0) -> list[PointWithRange]:
    """A point for each column, divided by `of`."""
    return [point_of(cell.samples, of) for cell in row.cells]


def relative_points(row: Row, base: int) -> list[PointWithRange]:
    """A point for each column, relative to the median of the base, or round by round."""
    of = row.cells[base].value
    return [point_of(cell.rounds) if cell.rounds else point_of(cell.samples, of) for cell in row.cells]


def error_bars_legend(counts: Iterable[int]) -> str:
    """What the error bars show, or why there are none."""
    known = sorted({count for count in counts if count})
    if not known:
        return ""
    if known == [1]:
        return "n = 1: no error bars, the noise between repeats is unknown"
    several = [count for count in known if count > 1]
    n = f"{several[0]}" if len(several) == 1 else f"{several[0]} to {several[-1]}"
    alone = "; none where n = 1" if known[0] == 1 else ""
    return f"error bars: lowest to highest of n = {n} repeats{alone}"


def numbers(heads: Sequence[str], rows: Iterable[Sequence[Cell]]) -> ChartNumbers:
    return ChartNumbers(tuple(heads), tuple(tuple(row) for row in rows))
