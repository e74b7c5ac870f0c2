"""The kinds of events of a session: how many of the events of its step each is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypedDict

from app.history.store.damage import unpack_json
from app.history.store.history import History
from app.protocol.plan import OF_KIND

_ENDED = f"""
SELECT position, step.name, coordinates, result.ended FROM result JOIN step ON result.step = step.number
JOIN session ON step.session = session.number
WHERE id = ? AND ended IS NOT NULL AND step.state = 'completed' AND instr(step.name, '{OF_KIND}')"""  # noqa: S608


class KindEntry(TypedDict):
    """A kind of events of a step or role."""

    events: float
    share_pct: float  # of the events of all kinds of the step or role
    rolled_back_pct: float | None  # of its events, by chance; None where it had none


def kinds_of_session(history: History, session: str) -> dict[int, KindEntry]:
    """By the place of its step in the sequence; without steps in which no kind had an event."""
    rows = history.query(_ENDED, (session,))
    totals = {place: unpack_json(ended).get("totals") or {} for place, _, _, ended in rows}
    steps = {place: (name.partition(OF_KIND)[0], coordinates) for place, name, coordinates, _ in rows}
    whole: dict[Any, float] = {}
    for place, step in steps.items():
        whole[step] = whole.get(step, 0.0) + (totals[place].get("events") or 0)
    return {
        place: _kind(totals[place], whole[step])
        for place, step in steps.items()
        if whole[step] and totals[place].get("events") is not None
    }


def _kind(totals: Mapping[str, Any], whole: float) -> KindEntry:
    events, rolled_back = float(totals.get("events") or 0), float(totals.get("rolled_back") or 0)
    return {
        "events": events,
        "share_pct": round(100 * events / whole, 3),
        "rolled_back_pct": round(100 * rolled_back / events, 3) if events else None,
    }


def kind_text(said: KindEntry | None) -> str:
    """`44.9 % of the events, 1.0 % of them rolled back`; '' of what is no kind."""
    if said is None:
        return ""
    rolled_back = f", {said['rolled_back_pct']:.1f} % of them rolled back" if said["rolled_back_pct"] else ""
    return f"{said['share_pct']:.1f} % of the events{rolled_back}"
