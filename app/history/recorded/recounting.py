"""Recounts what an older Dyno stored: session by session, in any order, at any time.

A migration puts sessions into `uncounted`. Several processes may count at once, and each may be killed: a
session is counted wholly or not at all.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from contextlib import suppress

from app.core.errors import DynoError
from app.engines import engine_of
from app.history.store.damage import damage_as_error, unpack_json
from app.history.store.history import History, HistoryBusyError

from .counting import RecountedStep, count_step_seconds, keep
from .group_means import keep_headlines

_WAITS = "SELECT number FROM session JOIN uncounted ON uncounted.session = number WHERE id = ?"


def recount_backlog(history: History) -> int:
    """The number of sessions that wait."""
    return int(history.query("SELECT count(*) FROM uncounted")[0][0])


def recount_within_time(history: History, seconds: float) -> int:
    """Count for about this time, at least one session, the latest first; returns how many wait."""
    until = time.monotonic() + seconds
    while latest := history.one("SELECT session FROM uncounted ORDER BY session DESC LIMIT 1"):
        _recount(history, latest[0])
        if time.monotonic() > until:
            break
    return recount_backlog(history)


def recount_if_waiting(history: History, sessions: Iterable[str]) -> None:
    """Count these sessions before they are read, if they wait."""
    for session in sessions:
        for (number,) in history.query(_WAITS, (session,)):
            _recount(history, number)


def _recount(history: History, session: int) -> None:
    """Count one session. Its seconds are read without a lock: a new cut counts first anyway."""
    counts, sizes = _counts(history, session), _sizes(history, session)
    with history.transaction() as connection:
        if not connection.execute("DELETE FROM uncounted WHERE session = ?", (session,)).rowcount:
            return  # somebody else was faster
        for step, found in counts.items():
            keep(connection, step, found)
        for step, size in sizes.items():
            connection.execute("UPDATE step SET data_bytes = ? WHERE number = ?", (size, step))
        keep_headlines(connection, session)


def _counts(history: History, session: int) -> dict[int, RecountedStep | None]:
    """Counts by the number of the step, without steps whose seconds are damaged."""
    found: dict[int, RecountedStep | None] = {}
    for (step,) in history.query("SELECT number FROM step WHERE session = ?", (session,)):
        try:
            with damage_as_error():
                found[step] = count_step_seconds(history.connection, step)
        except HistoryBusyError:
            raise
        except DynoError:
            continue
    return found


def _sizes(history: History, session: int) -> dict[int, float | None]:
    """Bytes of tables and indexes, by the number of the step."""
    rows = history.query(
        "SELECT step, ended, engine FROM result JOIN step ON result.step = step.number"
        " JOIN session ON step.session = session.number WHERE session.number = ? AND ended IS NOT NULL",
        (session,),
    )  # fmt: skip
    found: dict[int, float | None] = {}
    for step, ended, engine in rows:
        with suppress(DynoError):
            found[step] = engine_of(engine).data_bytes(unpack_json(ended).get("sizes", {}))
    return found
