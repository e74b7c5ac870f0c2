"""How far apart all counted starts of a server are that the history knows of."""

from __future__ import annotations

from app.history.lists.sessions import SessionEntry
from app.history.store.history import History
from app.protocol.plan import COUNT


def known_spreads(history: History, like: SessionEntry) -> dict[tuple[str, str], float]:
    """By name and coordinates of a step, over all sessions of this contender, work and machine."""
    rows = history.query(
        "SELECT step.name, coordinates, max(value) / min(value) - 1 FROM step"
        " JOIN session ON step.session = session.number"
        " WHERE contender_key = ? AND work_key = ? AND machine_key = ?"
        " AND kind = ? AND step.state = 'completed' AND value > 0 GROUP BY step.name, coordinates",
        (like["contender_key"], like["work_key"], like["machine_key"], COUNT),
    )
    return {(name, coordinates): spread for name, coordinates, spread in rows}
