"""What lies on the disk after one step, by part: of each column."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from app.comparison.entries import Comparison
from app.comparison.text import names_of

from .points import Numbers, numbers

PARTS = {
    "tables": "tables and indexes",
    "shared": "shared tablespace",
    "redo": "redo log or WAL",
    "undo": "undo",
    "binlog": "binary log",
    "temporary": "temporary",
    "other": "other",
}
WHOLE = "total"  # what is known where the parts were not told apart

Sizes = dict[str, float]  # bytes by part


def sizes_of(comparison: Comparison, ended: Mapping[str, Mapping[str, Any]]) -> list[Sizes]:
    """A column each; of repeats the one in the middle, so that its parts are those of one session."""
    return [
        _middle([_parts(ended[id_].get("sizes", {})) for id_ in column["ids"] if id_ in ended])
        for column in comparison["sessions"]
    ]


def _parts(sizes: Mapping[str, float | None]) -> Sizes:
    known = {part: float(size) for part, size in sizes.items() if size is not None}
    return {part: size for part, size in known.items() if part != WHOLE} or known


def _middle(repeats: Iterable[Sizes]) -> Sizes:
    known = sorted((each for each in repeats if each), key=lambda each: sum(each.values()))
    return known[(len(known) - 1) // 2] if known else {}


def parts_of(found: Sequence[Sizes]) -> list[str]:
    """Those that take anything in one of them, in the order in which they are stacked."""
    there = {part for sizes in found for part, size in sizes.items() if size}
    return [part for part in (*PARTS, WHOLE) if part in there] + sorted(there - {*PARTS, WHOLE})


def size_numbers(comparison: Comparison, found: Sequence[Sizes]) -> Numbers:
    """A row a part of a bar."""
    return numbers(
        ("contender", "part", "size (bytes)"),
        (
            (name, PARTS.get(part, part), sizes.get(part))
            for name, sizes in zip(names_of(comparison), found, strict=True)
            for part in parts_of(found)
        ),
    )
