"""The latency of a step second by second: of repeats, the events of the same second together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from app.comparison.cells.cell import Comparison
from app.comparison.cells.labels import names_of
from app.history.store.second_latencies import SecondLatencies, merge_second_latencies
from app.protocol.latency import upper_ms

from .points import Cell, ChartNumbers, numbers


def heats_of(
    comparison: Comparison, found: Mapping[str, SecondLatencies]
) -> list[tuple[SecondLatencies | None, int]]:
    """For each column the latencies of its sessions together, and how many of them have any."""
    each = [[found[id_] for id_ in column.ids if id_ in found] for column in comparison.columns]
    return [(merge_second_latencies(known) if known else None, len(known)) for known in each]


def heat_numbers(comparison: Comparison, found: Mapping[str, SecondLatencies]) -> ChartNumbers:
    """A row for each bucket of each second that has events; seconds of the warm-up are negative."""
    return numbers(
        ("second (s)", "contender", "from (ms)", "to (ms)", "events", "share (%)", "n"),
        (
            (row[0], name, *row[1:], n)
            for name, (heat, n) in zip(names_of(comparison), heats_of(comparison, found), strict=True)
            if heat is not None
            for row in _rows(heat)
        ),
    )


def _rows(heat: SecondLatencies) -> Sequence[tuple[Cell, ...]]:
    rows: list[tuple[Cell, ...]] = []
    for at, s in enumerate(heat.s.tolist()):
        part = heat.events.entries(at, at + 1)
        buckets, counts = heat.events.buckets[part].tolist(), heat.events.counts[part].tolist()
        total = sum(counts)
        rows += (
            (int(s), upper_ms(bucket - 1), upper_ms(bucket), count, round(100 * count / total, 4))
            for bucket, count in zip(buckets, counts, strict=True)
        )
    return rows
