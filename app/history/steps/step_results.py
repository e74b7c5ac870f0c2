"""The end of the same step in several sessions: latency buckets, sizes by part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from app.history.store.damage import unpack_json
from app.history.store.history import History
from app.history.store.second_latencies import latencies_of
from app.protocol.latency import buckets_of
from app.protocol.plan import coordinates_json


def endings(
    history: History, sessions: Sequence[str], step: str, coordinates: Mapping[str, Any]
) -> dict[str, dict[str, Any]]:
    """The step_ended of each session that completed the step, by the session's id.

    Buckets are those of the seconds that count, where they are stored by second.
    """
    text = coordinates_json(coordinates)
    with history.reading():
        found = {session: _ending(history, session, step, text) for session in sessions}
    return {session: ending for session, ending in found.items() if ending}


def _ending(history: History, session: str, step: str, coordinates: str) -> dict[str, Any]:
    row = history.one(
        "SELECT ended, step.number, first_s, last_s FROM session JOIN step ON step.session = session.number"
        " JOIN result ON result.step = step.number LEFT JOIN counted ON counted.step = step.number"
        " WHERE session.id = ? AND step.name = ?"
        " AND coordinates = ? AND NOT warm AND step.state = 'completed' AND ended IS NOT NULL"
        " ORDER BY position",
        (session, step, coordinates),
    )
    if row is None:
        return {}
    content, number, first_s, last_s = row
    ended: dict[str, Any] = unpack_json(content)
    if first_s is not None and (found := latencies_of(history.connection, number)):
        ended["buckets"] = buckets_of(found.between(first_s, last_s + 1))
    return ended
