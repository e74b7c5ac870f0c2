"""The canaries of a machine: the same short work before each session, whatever the session is of."""

from __future__ import annotations

from app.shapes.facts import is_left_out
from app.stats.between import between_plans

from .damage import unpack_json
from .history import History

FACT = "canary"
_MOST = 200  # the latest: a machine is not what it was years ago
_FIGURES = ("reads", "commits")


def canaries(history: History, machine_key: str) -> list[float]:
    """Their figures, the newest first: reads or commits, whichever vary more.

    Those of the server that is the canary now, but for the disturbed ones: these are left out of cells too.
    """
    rows = history.query(
        "SELECT content FROM fact JOIN session ON session = session.number"
        " WHERE machine_key = ? AND fact.name = ? ORDER BY session.started_at DESC LIMIT ?",
        (machine_key, FACT, _MOST),
    )
    found = [each for (content,) in rows if not is_left_out(each := unpack_json(content))]
    quiet = [each for each in found if each["key"] == found[0]["key"] and not each["others"].get("causes")]
    figures = ([float(each[name]) for each in quiet] for name in _FIGURES)
    return max(figures, key=lambda each: between_plans(each).variance)
