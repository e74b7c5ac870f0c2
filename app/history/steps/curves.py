"""The same step of several sessions, second by second: what is drawn over one another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from app.history.store.blocks import step_clock_rows, unfinished_step_seconds, values_of
from app.history.store.history import History
from app.protocol.plan import coordinates_json

from .series import ALIASES, place_of_samples

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


@dataclass(frozen=True)
class SecondsCurve:
    """Seconds of a step (negative in warm-up) and the values of one series; NaN is missing."""

    seconds: Floats
    values: Floats


def curves(
    history: History, sessions: Sequence[str], step: str, coordinates: Mapping[str, Any], series: str
) -> dict[str, SecondsCurve]:
    """Curves by the id of the session, without sessions that lack the step or series."""
    text = coordinates_json(coordinates)
    name = ALIASES.get(series, series)
    with history.reading():
        found = {session: _curve(history, session, step, text, name) for session in sessions}
    return {session: curve for session, curve in found.items() if curve is not None}


def _curve(history: History, session: str, step: str, coordinates: str, series: str) -> SecondsCurve | None:
    row = history.one(
        "SELECT step.number, position, (SELECT count(*) FROM series WHERE session = session.number)"
        " FROM session JOIN step ON step.session = session.number"
        " WHERE session.id = ? AND step.name = ? AND coordinates = ? AND NOT warm ORDER BY position",
        (session, step, coordinates),
    )
    if row is None:
        return None
    own, position, series_count = row
    number, name = place_of_samples(history, session, own, position, series)
    of_name = history.one(
        "SELECT series.number FROM series JOIN session ON session = session.number"
        " WHERE id = ? AND series.name = ?",
        (session, name),
    )
    return None if of_name is None else _read(history, number, of_name[0], series_count)


def _read(history: History, step: int, series: int, series_count: int) -> SecondsCurve | None:
    clock = step_clock_rows(history.connection, step)
    if clock is None:
        staged = unfinished_step_seconds(history.connection, step, series_count)
        return SecondsCurve(staged.clock[0], staged.values[series]) if staged.clock.shape[1] else None
    values = values_of(history.connection, step, series)
    return None if values is None else SecondsCurve(clock[0], values)


def all_series(history: History, sessions: Sequence[str]) -> list[tuple[str, str, str]]:
    """Name, label and unit of every series that at least one of them has, in the order of declaration."""
    found: dict[str, tuple[str, str, str]] = {}
    for session in sessions:
        for name, label, unit in history.query(
            "SELECT series.name, label, unit FROM series JOIN session ON session = session.number"
            " WHERE id = ? ORDER BY series.number",
            (session,),
        ):
            found.setdefault(name, (name, label or name, unit))
    return list(found.values())
