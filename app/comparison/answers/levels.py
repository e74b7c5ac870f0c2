"""Sentences on levels that were missed: a verdict that needs neither a base nor repeats."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from app.comparison.cells.cell import Cell, Comparison, Row
from app.comparison.cells.labels import row_label
from app.core.units import count_text, figure_text, unit_text
from app.protocol.plan import LEVEL_MISSED
from app.protocol.reading import read
from app.protocol.step_parts import RateAdherence


def level_sentences(comparison: Comparison, names: Sequence[str]) -> list[str]:
    """`qr1000.inserter: MyISAM reached 64% of 1,000 rows/s.`, one for each step that has any."""
    return [text for row in comparison.rows if (text := _sentence(row, names))]


def _sentence(row: Row, names: Sequence[str]) -> str:
    texts = list(_clauses(row, names))
    return f"{row_label(row)}: {'; '.join(texts)}." if texts else ""


def _clauses(row: Row, names: Sequence[str]) -> Iterator[str]:
    for name, cell in zip(names, row.cells, strict=True):
        if LEVEL_MISSED in cell.marks:
            yield f"{name} {_reached(row, cell)}"


def _reached(row: Row, cell: Cell) -> str:
    """Of the repeat that reached least: no better one makes up for it."""
    said = [read(RateAdherence, each) for each in cell.schedules if each]
    slow = [each for each in said if (each.achieved or 0.0) < each.least]
    if not slow:
        limit_ms = max((each.most_p99_ms for each in said), default=0.0)
        return f"had a p99 above the {limit_ms:g} ms that were asked for"
    least = min(slow, key=lambda each: each.achieved or 0.0)
    pct = 100 * (least.achieved or 0.0) / least.rate
    share = f"{pct:.0f}" if pct >= 1 else f"{pct:.1g}"
    of_repeats = (
        f" in {len(slow)} of {count_text(len(cell.schedules), 'repeat')}" if len(cell.schedules) > 1 else ""
    )
    return f"reached {share}% of {_asked(row, cell, least)}{of_repeats}"


def _asked(row: Row, cell: Cell, least: RateAdherence) -> str:
    """The rate in the unit of the step, which counts more than events; as events where it has no figure."""
    value = min((each for each in cell.samples if each is not None), default=None)
    if value is None or not least.achieved:
        return f"{figure_text(least.rate)} events/s"
    return f"{figure_text(value * least.rate / least.achieved)} {unit_text(row.unit)}"
