"""Waits by name and statements of a step in columns: medians of the sessions that have them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from statistics import median
from typing import TypedDict

from app.comparison.cells.cell import Comparison, Coordinate
from app.comparison.verdicts.compare import sessions_of
from app.history.steps.step_waits import StepWaits, waits_of_step
from app.history.store.history import History
from app.protocol.waits import StatementDigest, Wait

SHOWN = 15  # waits, and statements
DIFFERS = 1.1  # rows examined per call: more than this is another way to the rows

Sides = Sequence[Sequence[StepWaits]]  # of each column, its sessions


class WaitByColumn(TypedDict):
    """A wait in each column; null where it is not among the longest of a session."""

    name: str
    kind: str
    per_query_us: list[float | None]
    count: list[float | None]
    ratio: float | None  # of the times
    n: list[int]


class StatementComparison(TypedDict):
    """A statement in the base and in another column."""

    text: str
    us: list[float | None]  # per call
    examined: list[float | None]  # rows per call
    sorted: list[float | None]
    no_index: list[float | None]  # share of the calls
    ratio: float | None  # of the times
    differs: bool  # in the rows examined
    n: list[int]


class NamedWaitsEntry(TypedDict):
    """What the server did in a step, by name, in a column against the base."""

    waits: list[WaitByColumn]
    statements: list[StatementComparison]
    by_name: list[bool]  # whether the Performance Schema was on in all sessions of a column


def named_waits(
    history: History, comparison: Comparison, step: str, coordinates: Mapping[str, Coordinate], at: int
) -> NamedWaitsEntry:
    """Waits and statements of a step in the base and in the column `at`, the longest first."""
    sides = _sides(history, comparison, step, coordinates, (comparison.base, at))
    return {
        "waits": _waits(sides),
        "statements": _statements(sides),
        "by_name": [bool(side) and all(each.waits.by_name for each in side) for side in sides],
    }


def waits_of_columns(
    history: History, comparison: Comparison, step: str, coordinates: Mapping[str, Coordinate]
) -> list[WaitByColumn]:
    """The waits of a step in all columns, the longest first."""
    places = range(len(comparison.columns))
    return _waits(_sides(history, comparison, step, coordinates, places))


def _sides(
    history: History,
    comparison: Comparison,
    step: str,
    coordinates: Mapping[str, Coordinate],
    places: Iterable[int],
) -> Sides:
    found = waits_of_step(history, sessions_of(comparison), step, coordinates)
    columns = [comparison.columns[at].ids for at in places]
    return [[found[id_] for id_ in ids if id_ in found] for ids in columns]


def _waits(sides: Sides) -> list[WaitByColumn]:
    events = [[wait for session in side for wait in session.waits.events] for side in sides]
    names = dict.fromkeys(wait.name for side in events for wait in side)
    pairs = (_wait([[wait for wait in side if wait.name == name] for side in events]) for name in names)
    return sorted(pairs, key=lambda pair: -_most(pair["per_query_us"]))[:SHOWN]


def _wait(sides: Sequence[Sequence[Wait]]) -> WaitByColumn:
    one = next(wait for side in sides for wait in side)
    times = [_median(wait.per_query_us for wait in side) for side in sides]
    return {
        "name": one.name,
        "kind": one.kind,
        "per_query_us": times,
        "count": [_median(wait.count for wait in side) for side in sides],
        "ratio": _ratio(times),
        "n": [len(side) for side in sides],
    }


def _statements(sides: Sides) -> list[StatementComparison]:
    """Those that examined another number of rows first."""
    every = [[each for session in side for each in session.statements if each.calls] for side in sides]
    texts = dict.fromkeys(each.text.lower() for side in every for each in side)
    pairs = (
        _statement([[each for each in side if each.text.lower() == text] for side in every]) for text in texts
    )
    return sorted(pairs, key=lambda pair: (not pair["differs"], -_most(pair["us"])))[:SHOWN]


def _statement(sides: Sequence[Sequence[StatementDigest]]) -> StatementComparison:
    times = [_median(each.ms * 1e3 / each.calls for each in side) for side in sides]
    examined = [_per_call(side, "rows_examined") for side in sides]
    return {
        "text": next(each.text for side in sides for each in side),
        "us": times,
        "examined": examined,
        "sorted": [_per_call(side, "rows_sorted") for side in sides],
        "no_index": [_per_call(side, "no_index") for side in sides],
        "ratio": _ratio(times),
        "differs": _differ(examined),
        "n": [len(side) for side in sides],
    }


def _per_call(statements: Sequence[StatementDigest], name: str) -> float | None:
    counts = ((getattr(each, name), each.calls) for each in statements)
    return _median(count / calls for count, calls in counts if count is not None)


def _median(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return median(known) if known else None


def _most(values: Sequence[float | None]) -> float:
    return max((value for value in values if value is not None), default=-1.0)


def _ratio(values: Sequence[float | None]) -> float | None:
    """Of the second column to the first; only a pair has one."""
    base, *others = values
    return others[0] / base if base and len(others) == 1 and others[0] is not None else None


def _differ(examined: Sequence[float | None]) -> bool:
    """Whether a call examined more rows in one column; fewer than one row is noise of both."""
    known = sorted(max(1.0, each) for each in examined if each is not None)
    return len(known) > 1 and known[-1] > DIFFERS * known[0]
