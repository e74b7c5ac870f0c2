"""One QPS for each group of steps of a session: what the list of 10,000 sessions shows and sorts by."""

# ruff: noqa: S608 - no word of a statement comes from outside

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from sqlite3 import Connection

UNIT = "queries/s"  # of the steps that have a QPS

HEADLINE = """
CREATE TABLE headline (
    session INTEGER NOT NULL REFERENCES session (number) ON DELETE CASCADE,
    grouping TEXT NOT NULL,
    qps REAL,                                   -- geometric mean of the steps that have a figure
    n INTEGER NOT NULL,                         -- steps that have one
    steps INTEGER NOT NULL,                     -- of the group
    PRIMARY KEY (session, grouping)
) STRICT, WITHOUT ROWID
"""
_WHOLE = "SELECT session, grouping, CASE state WHEN 'completed' THEN value END FROM step WHERE unit = :unit"
_CUT = "(SELECT counted.value FROM counted WHERE counted.step = step.number)"  # of the seconds that count
_OF_STEPS = _WHOLE.replace("THEN value", f"THEN coalesce({_CUT}, value)")
_OF_SESSION = (
    f"{_OF_STEPS} AND session = :session AND grouping IN"
    " (SELECT grouping FROM step WHERE session = :session AND state NOT IN ('waiting', 'active'))"
)
_FROM = 1e-300  # what is not above it has no logarithm


def add_headlines(connection: Connection) -> None:
    """The migration: the table, filled from the steps that are kept."""
    connection.execute(HEADLINE)
    # the list is in the order of what it shows: when a session began, or was planned to
    connection.execute(
        "CREATE INDEX session_by_begin ON session (coalesce(started_at, planned_at), ordinal, id)"
    )
    connection.execute("CREATE INDEX headline_by_group ON headline (grouping, qps)")
    _keep(connection, connection.execute(f"{_WHOLE} ORDER BY session, grouping", {"unit": UNIT}))


def keep_headlines(connection: Connection, session: int | None) -> None:
    """Take into account the steps of a session that have ended; groups of which none has are left out."""
    _keep(connection, connection.execute(_OF_SESSION, {"unit": UNIT, "session": session}))


def _keep(connection: Connection, rows: Iterable[tuple[int, str, float | None]]) -> None:
    groups: dict[tuple[int, str], list[float | None]] = {}
    for session, grouping, value in rows:
        groups.setdefault((session, grouping), []).append(value)
    connection.executemany(
        "INSERT OR REPLACE INTO headline (session, grouping, qps, n, steps) VALUES (?, ?, ?, ?, ?)",
        [(*key, *_headline(values)) for key, values in groups.items()],
    )


def _headline(values: Sequence[float | None]) -> tuple[float | None, int, int]:
    there = [value for value in values if value is not None]
    return geometric_mean(there), len(there), len(values)


def geometric_mean(values: Sequence[float]) -> float | None:
    """Half as fast in one step and twice in another is no change; 0 where one of them is."""
    if not values:
        return None
    if min(values) <= _FROM:
        return 0.0
    return math.exp(math.fsum(map(math.log, values)) / len(values))
