"""The series of one session: their names, their values in a step, and their means."""

from __future__ import annotations

from typing import Any, TypedDict

from app.core.errors import InputError
from app.core.nearest import did_you_mean
from app.history.lists.sessions import find
from app.history.store.blocks import step_clock_rows, unfinished_step_seconds, values_of
from app.history.store.history import History
from app.protocol.plan import Plan
from app.protocol.series import role_series_name

from .figures import find_step, plan_of

ALIASES = {"qps": "load.queries", "tps": "load.transactions"}


class SeriesValues(TypedDict):
    s: list[int]
    values: list[float | None]


class SeriesEntry(TypedDict):
    """A series of a session, and its values in one step."""

    name: str
    unit: str
    kind: str
    direction: str
    label: str


def series(
    history: History, reference: str, step: str, *, threads: int | None = None, name: str = "qps"
) -> SeriesValues:
    """The values of a series, second by second; of a running step as far as it has come."""
    id_ = find(history, reference)
    with history.reading():
        number, position = find_step(history, id_, step, threads)
        rows = history.query(
            "SELECT series.name, series.number FROM series JOIN session ON session = session.number"
            " WHERE id = ?",
            (id_,),
        )
        known = dict(rows)
        number, wanted = place_of_samples(history, id_, number, position, ALIASES.get(name, name))
        if wanted not in known:
            meant, there = did_you_mean(name, known), ", ".join(known) or "none"
            raise InputError(f"session {id_} has no series {name!r}{meant}: choose one of {there}")
        return _values(history, number, known[wanted], len(known))


def place_of_samples(
    history: History, session: str, number: int, position: int, series: str
) -> tuple[int, str]:
    """The step whose samples have the seconds of this one, and the name of the series there.

    Those of a role or a kind of events are in the samples of the whole step: `load.queries{writer}`.
    """
    steps = Plan.from_json(plan_of(history, session)).steps
    if not steps[position].beside:
        return number, series
    first = max(at for at in range(position) if not steps[at].beside)
    (of_step,) = history.query(
        "SELECT step.number FROM step JOIN session ON session = session.number WHERE id = ? AND position = ?",
        (session, first),
    )
    own = role_series_name(series, steps[position].series_key)
    return of_step[0], own if own in series_of_roles(history, session, series) else series


def _values(history: History, step: int, series_number: int, series_count: int) -> SeriesValues:
    clock = step_clock_rows(history.connection, step)
    if clock is None:
        staged = unfinished_step_seconds(history.connection, step, series_count)
        return {"s": _seconds(staged.clock[0]), "values": _nulls(staged.values[series_number])}
    values = values_of(history.connection, step, series_number)
    seconds = _seconds(clock[0])
    return {"s": seconds, "values": [None] * len(seconds) if values is None else _nulls(values)}


def _seconds(clock: Any) -> list[int]:
    return [int(s) for s in clock.tolist()]


def _nulls(values: Any) -> list[float | None]:
    return [value if value == value else None for value in values.tolist()]


def declared_series(history: History, session: str) -> list[SeriesEntry]:
    """The series in the order of their first declaration."""
    rows = history.query(
        "SELECT series.name, unit, kind, direction, label FROM series JOIN session"
        " ON session = session.number WHERE id = ? ORDER BY series.number",
        (session,),
    )
    return [{"name": n, "unit": u, "kind": k, "direction": d, "label": la} for n, u, k, d, la in rows]


def series_of_roles(history: History, session: str, name: str) -> list[str]:
    """`load.queries{reader}`, `load.queries{writer}`: the series of each role that measure the same."""
    declared = (each["name"] for each in declared_series(history, session))
    return [each for each in declared if each.startswith(f"{name}{{")]
