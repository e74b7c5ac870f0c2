"""What made a step slow, by name: a ranked list of causes.

A cause has a figure and a time of the clients that it can account for, both measured in the step. Between two
columns it explains as much of the difference in time per query as its own time differs. Where the columns do
not differ, or there is no base, causes are ranked by their share of the clients' time. What goes together may
still not be a cause.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from statistics import median
from typing import TypedDict

from app.engines import engine_of
from app.engines.cause import CAUSES, Cause, Values
from app.engines.counter import names_in
from app.history.group_means import QPS_UNIT
from app.history.history import History
from app.history.step_values import values_of_step
from app.stats.verdicts import NOISE, SAME

from .compare import base_of
from .entries import Comparison, RowEntry
from .more_work import CauseEntry, more_work_causes

GROWS = 1.2  # a figure that is hardly larger than in the faster column is no cause
LEAST = 0.05  # of the difference, or of the clients' time

Sides = Sequence[Values]  # of each column, medians of its sessions


class CausesEntry(TypedDict):
    """The causes of a step in a column and its base, the one that explains most first."""

    causes: list[CauseEntry]
    slower: int | None  # the place of the column that has them, 0 is the base; null: the times do not differ
    named_share: list[float | None]  # of the clients' time of which the state or wait has a name


def causes(history: History, comparison: Comparison, row: RowEntry, at: int) -> CausesEntry:
    """Those of a column against the base; of the base they are those of its time."""
    return _of_columns(history, comparison, row, [at])[at]


def causes_of_row(history: History, comparison: Comparison, row: RowEntry) -> dict[int, CausesEntry]:
    """Those of each column but the base, by its place; of the base if it is alone."""
    base = base_of(comparison)
    others = [at for at in range(len(comparison["sessions"])) if at != base]
    return _of_columns(history, comparison, row, others or [base])


def _of_columns(
    history: History, comparison: Comparison, row: RowEntry, columns: Sequence[int]
) -> dict[int, CausesEntry]:
    """Each column is read once, and the base too."""
    base, matters = base_of(comparison), comparison["limits"]["matters"]
    engines = {at: comparison["sessions"][at]["contender"]["engine"] for at in (base, *columns)}
    known = {at: engine_of(engine).causes for at, engine in engines.items()}
    every = [*(cause for its in known.values() for cause in its), *CAUSES]
    values = dict(zip(known, _values(history, comparison, row, list(known), every), strict=True))
    found = {}
    for at in columns:
        places = [base, at] if at != base else [at]
        its = dict.fromkeys([*(cause for place in places for cause in known[place]), *CAUSES])
        ranked = _ranked([values[place] for place in places], its, _is_alike(row, at), matters)
        more = more_work_causes(history, comparison, row, places, ranked["slower"])
        ranked["causes"] = [*more, *ranked["causes"]]
        found[at] = ranked
    return found


def _is_alike(row: RowEntry, at: int) -> bool:
    return row["verdict"][at] in (NOISE, SAME)


def _ranked(
    columns: Sequence[Sequence[Values]], known: Iterable[Cause], is_alike: bool, matters: float
) -> CausesEntry:
    sides = [_medians(column) for column in columns]
    slower = None if is_alike else _slower(sides, matters)
    found = {cause: entry for cause in known if (entry := _entry(cause, columns, sides, slower))}
    shown = [entry for each, entry in found.items() if not (each.is_state and _has_reason(each, found))]
    return {
        "causes": sorted(shown, key=lambda entry: -_weight(entry)),
        "slower": slower,
        "named_share": [_named(values) for values in sides],
    }


def _values(
    history: History, comparison: Comparison, row: RowEntry, places: Sequence[int], known: Sequence[Cause]
) -> list[list[Values]]:
    """Of each session of each column; none of a step without a time per query."""
    if row["unit"] != QPS_UNIT:  # other steps have no time of clients per query
        return [[] for _ in places]
    names = dict.fromkeys(name for cause in known for name in names_in(cause.names))
    columns = [comparison["sessions"][at]["ids"] for at in places]
    sessions, threads = [id_ for ids in columns for id_ in ids], row["threads"] or 0
    found = values_of_step(history, sessions, row["workload"], row["coordinates"], names, threads)
    return [[found[id_] for id_ in ids if id_ in found] for ids in columns]


def _medians(column: Sequence[Values]) -> Values:
    names = dict.fromkeys(name for values in column for name in values)
    return {name: median(values[name] for values in column if name in values) for name in names}


def _slower(sides: Sides, matters: float) -> int | None:
    """The column whose queries take longer; None without a base, or if both take the same."""
    times = [values.get("client_us", 0.0) for values in sides]
    if len(times) < 2 or not min(times) or max(times) <= min(times) * (1 + matters):
        return None
    return times.index(max(times))


def _entry(
    cause: Cause, columns: Sequence[Sequence[Values]], sides: Sides, slower: int | None
) -> CauseEntry | None:
    """The cause with its figures; None if they do not show it."""
    figures, times = _each(cause.value, sides), _each(cause.time_us, sides)
    entry: CauseEntry = {
        "name": cause.name,
        "title": cause.title,
        "words": cause.words,
        "figures": figures,
        "time_us": times,
        "share": [_part(time, values.get("client_us")) for time, values in zip(times, sides, strict=True)],
        "explains": None if slower is None else _explained(times, sides, slower),
        "n": [sum(cause.value(values) is not None for values in column) for column in columns],
    }
    return entry if _is_one(entry, cause.least, slower) else None


def _each(read: Callable[[Values], float | None], sides: Sides) -> list[float | None]:
    return [read(values) for values in sides]


def _part(time: float | None, whole: float | None) -> float | None:
    return None if time is None or not whole else time / whole


def _explained(times: Sequence[float | None], sides: Sides, slower: int) -> float | None:
    """The share of the difference in time per query; of the engine of one column only, its whole time."""
    faster, mine = 1 - slower, times[slower]
    if mine is None:
        return None
    difference = sides[slower]["client_us"] - sides[faster]["client_us"]
    return min(max(0.0, mine - (times[faster] or 0.0)) / difference, 1.0)


def _is_one(entry: CauseEntry, least: float, slower: int | None) -> bool:
    """Whether the figure is large enough in the slower column, and larger than in the other one."""
    if slower is None:
        figure = entry["figures"][-1]
        return figure is not None and figure >= least and _weight(entry) >= LEAST
    figure, other = entry["figures"][slower], entry["figures"][1 - slower]
    return figure is not None and figure >= max(least, GROWS * (other or 0.0)) and _weight(entry) >= LEAST


def _weight(entry: CauseEntry) -> float:
    """By what causes are ranked."""
    return (entry["share"][-1] if entry["explains"] is None else entry["explains"]) or 0.0


def _has_reason(state: Cause, found: dict[Cause, CauseEntry]) -> bool:
    """Whether another cause accounts for at least half of a state."""
    reasons = [each for each in found if not each.is_state and state.state in each.states]
    return any(_weight(found[each]) >= _weight(found[state]) / 2 for each in reasons)


def _named(values: Values) -> float | None:
    """The share of the clients' time that is not waiting of unknown kind."""
    unnamed, whole = values.get("unnamed_us"), values.get("client_us")
    return None if unnamed is None or not whole else 1 - min(1.0, unnamed / whole)
