"""The canaries of a machine: the same short work before each session, whatever the session is of."""

from __future__ import annotations

from .damage import unpack_json
from .history import History

FACT = "canary"  # its figure is `queries_per_s`
_MOST = 200  # the latest: a machine is not what it was years ago


def canaries(history: History, machine_key: str) -> list[float]:
    """Their figures, the newest first."""
    rows = history.query(
        "SELECT content FROM fact JOIN session ON session = session.number"
        " WHERE machine_key = ? AND fact.name = ? ORDER BY session.started_at DESC LIMIT ?",
        (machine_key, FACT, _MOST),
    )
    told = [unpack_json(content) for (content,) in rows]
    figures = [each.get("queries_per_s") for each in told if isinstance(each, dict)]
    return [float(figure) for figure in figures if isinstance(figure, int | float)]
