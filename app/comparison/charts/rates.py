"""Latency over throughput: a step at several rates, with its percentiles at each."""

from __future__ import annotations

from collections.abc import Sequence

from app.comparison.cells.cell import Comparison, Row
from app.comparison.cells.labels import names_of
from app.core.units import unit_text
from app.protocol.plan import RATE_MISSED

from .points import ChartNumbers, PointWithRange, numbers, point_of
from .sweeps import step_name_off_axis, swept

AXIS = "rate"
PERCENTILES = ("p50", "p95", "p99")


def rows_at_rates(comparison: Comparison, row: Row | None) -> list[Row]:
    """The step at each of its rates."""
    return swept(comparison.rows, row, AXIS)


def latencies(row: Row, percentile: str) -> list[PointWithRange]:
    """A point for each column: the percentile in ms."""
    return [point_of(figure.samples) for figure in row.measures[f"{percentile}_ms"]]


def missed_rates_text(rows: Sequence[Row], names: Sequence[str]) -> str:
    """`rate not reached: InnoDB at 4,000/s, 8,000/s`; '' where all was reached."""
    found: dict[str, list[str]] = {}
    for row in rows:
        for name, cell in zip(names, row.cells, strict=True):
            if RATE_MISSED in cell.marks:
                found.setdefault(name, []).append(f"{row.coordinates[AXIS]:,}/s")
    missed = [f"{name} at {', '.join(rates)}" for name, rates in found.items()]
    return f"rate not reached: {'; '.join(missed)}" if missed else ""


def target_rate_numbers(comparison: Comparison, row: Row | None) -> ChartNumbers:
    """A row for each rate and column: what was asked for, what was reached, and its latencies."""
    rows = rows_at_rates(comparison, row)
    unit = unit_text(rows[0].unit) if rows else ""
    per = f" (ms/{rows[0].latency_per})" if rows else ""
    heads = (
        "step",
        "rate (events/s)",
        "contender",
        f"achieved ({unit})",
        *(f"{p}{per}" for p in PERCENTILES),
    )
    return numbers(
        (*heads, "n", "marks"),
        (
            (
                step_name_off_axis(each, AXIS),
                each.coordinates[AXIS],
                name,
                each.cells[at].value,
                *(latencies(each, percentile)[at].value for percentile in PERCENTILES),
                each.cells[at].n,
                " ".join(each.cells[at].marks),
            )
            for each in rows
            for at, name in enumerate(names_of(comparison))
        ),
    )
