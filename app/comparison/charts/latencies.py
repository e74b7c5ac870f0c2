"""The latency of one step over its percentiles: of each column, as far as its samples carry them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import log10
from typing import Any

from app.comparison.entries import Comparison, RowEntry
from app.comparison.text import names_of
from app.history.latency import distribution

from .points import REACH, Numbers, Point, numbers, point_of

Curve = dict[float, Point]  # by percentile


def _percents() -> Iterator[float]:
    """10, 20 ... 90, 91 ... 99, 99.1 ...: each nine has as many."""
    for nines in range(6):
        for at in range(1, 10):
            yield round(100 - 10.0 ** (2 - nines) + at * 10.0 ** (1 - nines), nines)


PERCENTS = tuple(sorted({*_percents(), 95.0}))
TICKS = (50.0, 90.0, 99.0, 99.9, 99.99, 99.999, 99.9999)


def place(percent: float) -> float:
    """Where it stands on the scale: each nine is as wide."""
    return -log10(1 - percent / 100)


def latency_curves(comparison: Comparison, ended: Mapping[str, Mapping[str, Any]]) -> list[Curve]:
    """A column each, from what the end of the step told of each session; empty where nobody has buckets."""
    return [
        _curve([ended[id_] for id_ in column["ids"] if id_ in ended]) for column in comparison["sessions"]
    ]


def _curve(ended: Sequence[Mapping[str, Any]]) -> Curve:
    """As far as all of its sessions carry it: what only some do is not the same column any more."""
    each = [found for one in ended if (found := distribution(one.get("buckets", []), PERCENTS))]
    carried = min((len(one) for one in each), default=0)
    return {PERCENTS[at]: point_of(one[at] for one in each) for at in range(carried)}


def latency_numbers(comparison: Comparison, row: RowEntry, found: Sequence[Curve]) -> Numbers:
    """A row a point of a curve."""
    unit = f" (ms/{row['latency_per']})"
    return numbers(
        ("percentile (%)", "contender", *(f"{head}{unit}" for head in ("latency", *REACH[:2])), REACH[2]),
        (
            (percent, name, *point.cells)
            for name, curve in zip(names_of(comparison), found, strict=True)
            for percent, point in curve.items()
        ),
    )
