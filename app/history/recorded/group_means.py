"""One QPS for each group of steps of a session: what the list of 10,000 sessions shows and sorts by."""

from __future__ import annotations

import math
from collections.abc import Sequence
from sqlite3 import Connection

from app.protocol.plan import QPS_UNIT

# of a step that is cut the value of the seconds that count; without steps at rates that the plan sets
_OF_SESSION = """
SELECT grouping, CASE state WHEN 'completed' THEN coalesce(counted.value, step.value) END
FROM step LEFT JOIN counted ON counted.step = step.number
WHERE unit = :unit AND session = :session AND coordinates NOT LIKE '%"rate":%' AND grouping IN
    (SELECT grouping FROM step WHERE session = :session AND state NOT IN ('waiting', 'active'))"""
_FROM = 1e-300  # what is not above it has no logarithm


def keep_headlines(connection: Connection, session: int | None) -> None:
    """Store the means of the groups in which a step has ended."""
    groups: dict[str, list[float | None]] = {}
    for grouping, value in connection.execute(_OF_SESSION, {"unit": QPS_UNIT, "session": session}):
        groups.setdefault(grouping, []).append(value)
    connection.executemany(
        "INSERT OR REPLACE INTO headline (session, grouping, qps, n, steps) VALUES (?, ?, ?, ?, ?)",
        [(session, grouping, *_headline(values)) for grouping, values in groups.items()],
    )


def _headline(values: Sequence[float | None]) -> tuple[float | None, int, int]:
    there = [value for value in values if value is not None]
    return geometric_mean(there), len(there), len(values)


def geometric_mean(values: Sequence[float]) -> float | None:
    """The geometric mean (half and twice as fast cancel out); 0 if any value is 0."""
    if not values:
        return None
    if min(values) <= _FROM:
        return 0.0
    return math.exp(math.fsum(map(math.log, values)) / len(values))
