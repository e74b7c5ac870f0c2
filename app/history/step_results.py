"""The end of the same step in several sessions: latency buckets, sizes by part."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from .damage import unpack_json
from .history import History


def endings(
    history: History, sessions: Sequence[str], step: str, coordinates: Mapping[str, Any]
) -> dict[str, dict[str, Any]]:
    """The step_ended of each session that completed the step, by the session's id."""
    text = json.dumps(coordinates, sort_keys=True)
    with history.reading():
        found = {session: _ending(history, session, step, text) for session in sessions}
    return {session: ending for session, ending in found.items() if ending}


def _ending(history: History, session: str, step: str, coordinates: str) -> dict[str, Any]:
    row = history.one(
        "SELECT ended FROM session JOIN step ON step.session = session.number"
        " JOIN result ON result.step = step.number WHERE session.id = ? AND step.name = ?"
        " AND coordinates = ? AND NOT warm AND step.state = 'completed' AND ended IS NOT NULL"
        " ORDER BY position",
        (session, step, coordinates),
    )
    ended: dict[str, Any] = unpack_json(row[0]) if row else {}
    return ended
