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

from app.comparison.cells.cell import CauseEntry, Comparison, Row
from app.comparison.verdicts.more_work import more_work_causes
from app.engines import engine_of
from app.engines.cause import CAUSES, NETWORK, SERVER_CPU, TAKEN, WAITS_FOR_CPU, Cause, Values
from app.engines.counter import names_in
from app.engines.server import ONE_EACH
from app.history.steps.step_values import values_of_step
from app.history.store.history import History
from app.protocol.plan import QPS_UNIT
from app.stats.at_target.verdicts import NOISE, SAME

from .grounds import ENOUGH, ColumnSettings, MovedFigure, grounds, has_states, order_causes, settings_of

GROWS = 1.2  # a figure that is hardly larger than in the faster column is no cause
LEAST = 0.05  # of the difference, or of the clients' time

Sides = Sequence[Values]  # of each column, medians of its sessions


class CausesEntry(TypedDict):
    """The causes of a step in a column and its base, the one that explains most first."""

    causes: list[CauseEntry]
    slower: int | None  # the place of the column that has them, 0 is the base; null: the times do not differ
    named_share: list[float | None]  # of the clients' time of which the state or wait has a name
    pools: list[str]  # the thread_handling of a column whose clients' threads were not seen; '' of others


def causes(history: History, comparison: Comparison, row: Row, at: int) -> CausesEntry:
    """Those of a column against the base; of the base they are those of its time."""
    return _of_columns(history, comparison, row, [at])[at]


def causes_of_row(
    history: History, comparison: Comparison, row: Row, known: dict[str, ColumnSettings] | None = None
) -> dict[int, CausesEntry]:
    """Those of each column but the base, by its place; of the base if it is alone.

    known: the settings of sessions that other rows have read.
    """
    base = comparison.base
    others = [at for at in range(len(comparison.columns)) if at != base]
    return _of_columns(history, comparison, row, others or [base], known)


def _of_columns(
    history: History,
    comparison: Comparison,
    row: Row,
    columns: Sequence[int],
    read: dict[str, ColumnSettings] | None = None,
) -> dict[int, CausesEntry]:
    """Each column is read once, and the base too."""
    base, matters = comparison.base, comparison.limits.matters
    engines = {at: comparison.columns[at].contender["engine"] for at in (base, *columns)}
    known = {at: engine_of(engine).causes for at, engine in engines.items()}
    every = [*(cause for its in known.values() for cause in its), *CAUSES]
    values = dict(zip(known, _values(history, comparison, row, list(known), every), strict=True))
    settings = {at: _settings(history, comparison.columns[at].ids[0], read) for at in known}
    found = {}
    for at in columns:
        places = [base, at] if at != base else [at]
        its = dict.fromkeys([*(cause for place in places for cause in known[place]), *CAUSES])
        of_places = [settings[place] for place in places]
        sides = [values[place] for place in places]
        ranked = _ranked(sides, its, of_places, row.cells[at].verdict in (NOISE, SAME), matters)
        more = more_work_causes(history, comparison, row, places, ranked["slower"])
        ranked["causes"] = [*more, *ranked["causes"]]
        found[at] = ranked
    return found


def _settings(history: History, session: str, read: dict[str, ColumnSettings] | None) -> ColumnSettings:
    """Those of a session, which are read once."""
    if read is None:
        return settings_of(history, session)
    if session not in read:
        read[session] = settings_of(history, session)
    return read[session]


def _ranked(
    columns: Sequence[Sequence[Values]],
    known: Iterable[Cause],
    settings: Sequence[ColumnSettings],
    is_alike: bool,
    matters: float,
) -> CausesEntry:
    sides = [_medians(column) for column in columns]
    slower = None if is_alike else _slower(sides, matters)
    found = {cause: entry for cause in known if (entry := _entry(cause, columns, sides, slower))}
    if all(map(has_states, sides)):
        found = {cause: entry for cause, entry in found.items() if cause.name != SERVER_CPU}
    reasons = [entry for cause, entry in found.items() if not cause.is_state]
    states = [entry for each, entry in found.items() if each.is_state and not _has_reason(each, found)]
    general = [] if slower is None else _general(reasons, sides, slower, settings, columns)
    strong = [each for each in reasons if (each["explains"] or 0.0) >= ENOUGH]
    others = sorted(
        [*states, *(each for each in reasons if each not in strong)], key=lambda each: -_weight(each)
    )
    return {
        "causes": order_causes(strong, others, general),
        "slower": slower,
        "named_share": [_named(values) for values in sides],
        "pools": list(map(_pool, sides, settings)),
    }


def _general(
    reasons: Sequence[CauseEntry],
    sides: Sequence[Values],
    slower: int,
    settings: Sequence[ColumnSettings],
    columns: Sequence[Sequence[Values]],
) -> list[CauseEntry]:
    named = {each["name"]: MovedFigure(each["name"], each["words"], each["figures"], 1.0) for each in reasons}
    counts = [len(column) for column in columns]
    return [{**each, "n": counts} for each in grounds(sides, slower, settings, named)]


def _pool(values: Values, settings: ColumnSettings) -> str:
    """How threads serve the connections of a column whose clients have none of their own."""
    handling = settings.variables.get("thread_handling", "")
    return handling if values and not has_states(values) and handling != ONE_EACH else ""


def _values(
    history: History, comparison: Comparison, row: Row, places: Sequence[int], known: Sequence[Cause]
) -> list[list[Values]]:
    """Of each session of each column; none of a step without a time per query."""
    if row.unit != QPS_UNIT:  # other steps have no time of clients per query
        return [[] for _ in places]
    names = dict.fromkeys(name for cause in known for name in names_in(cause.names))
    columns = [comparison.columns[at].ids for at in places]
    sessions, threads = [id_ for ids in columns for id_ in ids], row.threads or 0
    found = values_of_step(history, sessions, row.workload, row.coordinates, names, threads)
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
        "explains": None if slower is None else _explained(cause, figures, times, sides, slower),
        "n": [sum(cause.value(values) is not None for values in column) for column in columns],
    }
    return entry if _is_one(entry, cause.least, slower) else None


def _each(read: Callable[[Values], float | None], sides: Sides) -> list[float | None]:
    return [read(values) for values in sides]


def _part(time: float | None, whole: float | None) -> float | None:
    return None if time is None or not whole else time / whole


def _explained(
    cause: Cause,
    figures: Sequence[float | None],
    times: Sequence[float | None],
    sides: Sequence[Values],
    slower: int,
) -> float | None:
    """The share of the difference in time per query; of the engine of one column only, its whole time.

    CPU that others take explains no more than what they take beyond their share in the other column.
    """
    faster, mine = 1 - slower, times[slower]
    if mine is None:
        return None
    beyond, share = mine - (times[faster] or 0.0), figures[slower]
    if cause.time.endswith(TAKEN) and share:
        beyond = mine * (1 - (figures[faster] or 0.0) / share)
        if all(map(has_states, sides)):  # then the clients, or the load generator, wait for CPU
            beyond = min(beyond, _grown(sides[slower], sides[faster], (WAITS_FOR_CPU, NETWORK)))
    difference = sides[slower]["client_us"] - sides[faster]["client_us"]
    return min(max(0.0, beyond) / difference, 1.0)


def _grown(slow: Values, fast: Values, names: Sequence[str]) -> float:
    return sum(slow.get(name, 0.0) - fast.get(name, 0.0) for name in names)


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
