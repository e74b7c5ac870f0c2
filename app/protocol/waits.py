"""What the threads of a server waited for in a step, by name, and its statements by digest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from .reading import Count, Name, Number

PRESET, BY_NAME = "preset", "waits"
INSTRUMENTS = (PRESET, BY_NAME)  # of the Performance Schema: those of the preset, or all waits
MOST_WAITS, MOST_STATEMENTS, MOST_LOCKS = 30, 20, 20
LONGEST = 300  # characters of a statement


@dataclass(frozen=True)
class Wait:
    """All waits of one name; each thread that waits adds its time."""

    name: Name
    kind: Name
    count: Count = 0
    ms: Number | None = None  # None: the server counts them only
    per_query_us: Number | None = None


@dataclass(frozen=True)
class LockPair:
    """A statement that waited for the lock of another one; of a deadlock, the two of it."""

    kind: Name  # row lock, deadlock
    waiting: Name
    holding: Name = ""  # '' while its transaction executes no statement
    seen: Count = 0  # looks that found it; of deadlocks, how many were seen
    table: Name = ""
    index: Name = ""
    longest_s: Number | None = None


@dataclass(frozen=True)
class Waits:
    """Over the measured seconds of a step."""

    by_name: bool = False  # whether the Performance Schema was on
    kinds: dict[Name, Number] = field(default_factory=dict)  # ms of each kind that the server measures
    events: list[Wait] = field(default_factory=list)  # the longest first, at most MOST_WAITS
    locks: list[LockPair] = field(default_factory=list)


@dataclass(frozen=True)
class Statement:
    """All statements of one digest."""

    text: Name
    calls: Count
    ms: Number
    rows_examined: Count = 0
    rows_sent: Count = 0
    rows_affected: Count = 0
    rows_sorted: Count = 0
    no_index: Count = 0  # calls that used no index


def to_json(found: Any) -> dict[str, Any]:
    """The JSON of a journal, without unknown values and empty lists."""
    return _dense(asdict(found))


def _dense(values: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: [_dense(each) if isinstance(each, dict) else each for each in value]
        if isinstance(value, list)
        else value
        for name, value in values.items()
        if value not in (None, "", [], {})
    }
