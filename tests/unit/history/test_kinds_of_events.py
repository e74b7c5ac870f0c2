"""The share that each kind has in the events of its step."""

from __future__ import annotations

import json
import zlib
from types import SimpleNamespace
from typing import Any

from app.history.steps.event_kinds import kind_text, kinds_of_session
from app.protocol.plan import OF_KIND


def stored(*steps: tuple[str, dict[str, float]]) -> Any:
    """A history in which these are the kinds of one session."""
    rows = [
        (place, f"drive{OF_KIND}{kind}", "{}", zlib.compress(json.dumps({"totals": totals}).encode()))
        for place, (kind, totals) in enumerate(steps)
    ]
    return SimpleNamespace(query=lambda sql, values: rows)


def test_a_kind_without_an_event_has_a_share_of_zero() -> None:
    found = kinds_of_session(
        stored(("often", {"events": 40, "rolled_back": 4}), ("never", {"events": 0})), "one"
    )
    assert found[0] == {"events": 40, "share_pct": 100, "rolled_back_pct": 10}
    assert found[1] == {"events": 0, "share_pct": 0, "rolled_back_pct": None}
    assert kind_text(found[1]) == "0.0 % of the events"


def test_without_events_or_where_they_are_missing_there_is_no_share() -> None:
    assert kinds_of_session(stored(("never", {"events": 0})), "one") == {}
    assert [*kinds_of_session(stored(("often", {"events": 40}), ("lost", {})), "one")] == [0]
