"""Charts of one step: second by second, its latency over percentiles, its size on disk."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import log10
from typing import Any

from app.comparison.cells.cell import Comparison, Row
from app.comparison.cells.labels import names_of
from app.core.units import unit_text
from app.history.steps.curves import SecondsCurve
from app.stats.percentiles import distribution

from .points import REACH, ChartNumbers, PointWithRange, numbers


def second_numbers(
    comparison: Comparison, found: Mapping[str, SecondsCurve], label: str, unit: str
) -> ChartNumbers:
    """A row for each second of a session; seconds of the warm-up are negative."""
    heading = f"{label} ({unit_text(unit)})" if unit else label
    return numbers(
        ("second (s)", "contender", "repeat", "session", heading),
        (
            (second, name, repeat, id_, value if value == value else None)
            for name, column in zip(names_of(comparison), comparison.columns, strict=True)
            for repeat, id_ in enumerate(column.ids, 1)
            if id_ in found
            for second, value in zip(found[id_].seconds.tolist(), found[id_].values.tolist(), strict=True)
        ),
    )


LatencyCurve = dict[float, PointWithRange]  # by percentile


def _percents() -> Iterator[float]:
    """10, 20 ... 90, 91 ... 99, 99.1 ...: the same number between each two nines."""
    for nines in range(6):
        for at in range(1, 10):
            yield round(100 - 10.0 ** (2 - nines) + at * 10.0 ** (1 - nines), nines)


PERCENTS = tuple(sorted({*_percents(), 95.0}))
TICKS = (50.0, 90.0, 99.0, 99.9, 99.99, 99.999, 99.9999)


def place(percent: float) -> float:
    """The place of a percentile on the scale, on which each nine is as wide."""
    return -log10(1 - percent / 100)


def latency_curves(comparison: Comparison, ended: Mapping[str, Mapping[str, Any]]) -> list[LatencyCurve]:
    """A curve for each column, from the latency buckets of its sessions; empty without any."""
    return [_curve([ended[id_] for id_ in column.ids if id_ in ended]) for column in comparison.columns]


def _curve(ended: Sequence[Mapping[str, Any]]) -> LatencyCurve:
    """The percentiles of all events of a column, and the range of those of its sessions if all have them."""
    known = [one["buckets"] for one in ended if one.get("buckets")]
    each = [distribution(buckets, PERCENTS) for buckets in known]
    carried = min((len(one) for one in each), default=0) if len(known) > 1 else 0
    curve: LatencyCurve = {}
    for at, value in enumerate(distribution(_added(known), PERCENTS)):
        ours = [one[at] for one in each] if at < carried else []
        low, high = (min(ours), max(ours)) if ours else (None, None)
        curve[PERCENTS[at]] = PointWithRange(value, low, high, len(known))
    return curve


def _added(several: Iterable[Sequence[Sequence[float]]]) -> list[list[float]]:
    """The events of several sessions, bucket by bucket: a mean of percentiles is no percentile."""
    counts: dict[float, float] = {}
    for buckets in several:
        for upper, count in buckets:
            counts[upper] = counts.get(upper, 0) + count
    return [[upper, count] for upper, count in counts.items()]


def latency_numbers(comparison: Comparison, row: Row, found: Sequence[LatencyCurve]) -> ChartNumbers:
    """A row for each point of a curve."""
    unit = f" (ms/{row.latency_per})"
    return numbers(
        ("percentile (%)", "contender", *(f"{head}{unit}" for head in ("latency", *REACH[:2])), REACH[2]),
        (
            (percent, name, *point.cells)
            for name, curve in zip(names_of(comparison), found, strict=True)
            for percent, point in curve.items()
        ),
    )


PARTS = {
    "tables": "tables and indexes",
    "shared": "shared tablespace",
    "redo": "redo log or WAL",
    "undo": "undo",
    "binlog": "binary log",
    "temporary": "temporary",
    "other": "other",
}
WHOLE = "total"  # where the size of each part is unknown
Sizes = dict[str, float]  # bytes by part


def sizes_of(comparison: Comparison, ended: Mapping[str, Mapping[str, Any]]) -> list[Sizes]:
    """Sizes for each column; of repeats those of the median session, so that the parts fit together."""
    return [
        _middle([_parts(ended[id_].get("sizes", {})) for id_ in column.ids if id_ in ended])
        for column in comparison.columns
    ]


def _parts(sizes: Mapping[str, float | None]) -> Sizes:
    known = {part: float(size) for part, size in sizes.items() if size is not None}
    return {part: size for part, size in known.items() if part != WHOLE} or known


def _middle(repeats: Iterable[Sizes]) -> Sizes:
    known = sorted((each for each in repeats if each), key=lambda each: sum(each.values()))
    return known[(len(known) - 1) // 2] if known else {}


def disk_size_parts(found: Sequence[Sizes]) -> list[str]:
    """The parts that have any bytes in some column, in the order of the stack."""
    there = {part for sizes in found for part, size in sizes.items() if size}
    return [part for part in (*PARTS, WHOLE) if part in there] + sorted(there - {*PARTS, WHOLE})


def size_numbers(comparison: Comparison, found: Sequence[Sizes]) -> ChartNumbers:
    """A row for each part of a bar."""
    return numbers(
        ("contender", "part", "size (bytes)"),
        (
            (name, PARTS.get(part, part), sizes.get(part))
            for name, sizes in zip(names_of(comparison), found, strict=True)
            for part in disk_size_parts(found)
        ),
    )
