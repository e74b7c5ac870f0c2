"""The series of the load, as every journal declares them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import List, Optional, Sequence

from .reading import Name

PER_MINUTE = "/min"  # how the unit of a figure ends that is of the events of one kind


@dataclass(frozen=True)
class SeriesDeclaration:
    """A series as a journal declares it."""

    name: Name
    unit: Name = ""
    kind: Name = ""  # gauge | rate
    direction: Name = ""  # of its better values: higher | lower; '': of neither
    label: Name = ""
    digits: int = 0


MADE_OF = {"queries/s": "load.queries", "rows/s": "load.rows"}  # the series of a figure, by its unit
# of such a unit, where a plan has one: what committed
COMMITTED = SeriesDeclaration("load.committed", "1/min", "rate", "higher", "Committed", 1)
P95_EVENTS = 20  # in a second: of fewer none is in the tail, and there is no p95

LOAD = [
    SeriesDeclaration("load.queries", "queries/s", "rate", "higher", "QPS", 2),
    SeriesDeclaration("load.reads", "queries/s", "rate", "higher", "Reads", 2),
    SeriesDeclaration("load.writes", "queries/s", "rate", "higher", "Writes", 2),
    SeriesDeclaration("load.other", "queries/s", "rate", "", "Other statements", 2),
    SeriesDeclaration("load.transactions", "1/s", "rate", "higher", "Transactions", 2),
    SeriesDeclaration("load.errors", "1/s", "rate", "lower", "Errors", 2),
    SeriesDeclaration("load.reconnects", "1/s", "rate", "lower", "Reconnects", 2),
    SeriesDeclaration("load.rows", "rows/s", "rate", "higher", "Rows", 2),
    SeriesDeclaration("load.latency_p95_ms", "ms", "gauge", "lower", "Latency p95", 3),
]
_EVENTS = SeriesDeclaration("load.events", "1/s", "rate", "higher", "Events", 2)
_OF_KIND = [_EVENTS, *(each for each in LOAD if each.name in ("load.queries", "load.latency_p95_ms"))]
LONGEST = SeriesDeclaration("load.latency_max_ms", "ms", "gauge", "lower", "Longest response", 3)


def series_of_role(role: str) -> List[SeriesDeclaration]:
    """The series of one role of a step: those of the load, and the longest response of each second."""
    return [
        replace(each, name=role_series_name(each.name, role), label="{}, {}".format(each.label, role))
        for each in (*LOAD, LONGEST)
    ]


def series_of_kind(key: str) -> List[SeriesDeclaration]:
    """The series of one kind of events, by the key of its step."""
    return [
        replace(each, name=role_series_name(each.name, key), label="{}, {}".format(each.label, key))
        for each in _OF_KIND
    ]


def series_of_figure(unit: str) -> str:
    """The series whose mean is the figure of a driven step; empty if no series has it."""
    return COMMITTED.name if unit.endswith(PER_MINUTE) else MADE_OF.get(unit, "")


def in_a_second(figures: Sequence[Optional[float]], unit: str) -> Sequence[Optional[float]]:
    """Seconds of a figure as rates per second: of few events a second without one is chance."""
    if not unit.endswith(PER_MINUTE):
        return figures
    return [None if each is None else each / 60 for each in figures]


def committed_series(kinds: Sequence[str]) -> List[SeriesDeclaration]:
    """What committed, of the kind that is the figure and of each by the key of its step."""
    names = ((role_series_name(COMMITTED.name, key), "{}, {}".format(COMMITTED.label, key)) for key in kinds)
    return [COMMITTED, *(replace(COMMITTED, name=name, label=label) for name, label in names)]


def role_series_name(series: str, key: str) -> str:
    """`load.queries{reader}`; of a kind of events `load.events{payment}`, or with its role `{reader/payment}`."""
    return "{}{{{}}}".format(series, key)
