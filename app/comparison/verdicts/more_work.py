"""Events that read or sort more rows than those of another column for the same answers: a cause by itself.

Nobody knows how much of the clients' time that is, so it has no share. It comes before all other causes,
because these may follow from it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from app.comparison.cells.cell import MORE_WORK, CauseEntry, Comparison, Row
from app.comparison.cells.labels import row_label
from app.comparison.differences.same_work import (
    DISAGREE,
    rows_per_event_label,
    rows_per_event_of,
    work_disagreements,
)
from app.history.store.history import History
from app.protocol.plan import QPS_UNIT

AGAINST = "The faster column does more work here: that explains nothing of the difference."
_DO = {"read": "read", "sorted": "sort"}
_MORE_ROWS = "{} {} more rows for the same answers"


def more_work_causes(
    history: History, comparison: Comparison, row: Row, places: Sequence[int], slower: int | None
) -> list[CauseEntry]:
    """What one of them needs more of; of the faster column it explains nothing. The base comes first."""
    label = row_label(row)
    is_said = any((each.kind, each.step) == (MORE_WORK, label) for each in comparison.warnings)
    if len(places) < 2 or row.unit != QPS_UNIT or not is_said:
        return []
    columns = [comparison.columns[at].ids for at in places]
    found = work_disagreements([rows_per_event_of(history, ids) for ids in columns], label)
    return list(_entries(found, list(map(len, columns)), slower))


def _entries(
    found: Iterable[tuple[str, list[float | None]]], n: Sequence[int], slower: int | None
) -> Iterator[CauseEntry]:
    for what, (base, own) in found:
        if what in _DO and base is not None and own is not None and _is_more(base, own):
            is_against = slower == int(own < base)
            yield {
                "name": f"more-rows-{what}",
                "title": _title(what, base > own, is_against),
                "words": rows_per_event_label(what),
                "figures": [base, own],
                "time_us": [None, None],
                "share": [None, None],
                "explains": 0.0 if is_against else None,
                "n": list(n),
            }


def _is_more(base: float, own: float) -> bool:
    """Whether one of them clearly has more; each server counts in its own way."""
    return max(base, own) > DISAGREE * min(base, own)


def _title(what: str, is_of_base: bool, is_against: bool) -> str:
    if is_against:
        return _MORE_ROWS.format("The faster column", f"{_DO[what]}s")
    return _MORE_ROWS.format("The events of the base" if is_of_base else "The events", _DO[what])


def is_faster_side_work(entry: CauseEntry) -> bool:
    """Whether it is work of the faster column."""
    return entry["name"].startswith("more-rows-") and entry["explains"] is not None
