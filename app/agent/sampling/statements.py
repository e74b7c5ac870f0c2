"""The statements of a step by digest, from the Performance Schema."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping

from app.agent.server.mysql import Client, QueryError
from app.engines.waits import DIGESTS, PS_PER_MS
from app.protocol.waits import LONGEST, MOST_STATEMENTS, Statement

_COUNTS = ("calls", "rows_examined", "rows_sent", "rows_affected", "rows_sorted", "no_index")
Digests = Dict[str, Mapping[str, Any]]


def read_digests(client: Client) -> Digests:
    """All digests so far, by their ids; none where the server has none."""
    try:
        return {str(row["id"]): row for row in client.query(DIGESTS)}
    except QueryError:
        return {}


def statements_between(before: Digests, after: Digests) -> List[Statement]:
    """Those that were called between two readings, the longest first."""
    found = [_statement(before.get(id_, {}), row) for id_, row in after.items()]
    called = sorted((each for each in found if each.calls), key=lambda each: -each.ms)
    return called[:MOST_STATEMENTS]


def _statement(before: Mapping[str, Any], after: Mapping[str, Any]) -> Statement:
    grown = {name: int(after[name]) - int(before.get(name, 0)) for name in (*_COUNTS, "ps")}
    if grown["calls"] < 0:  # the server has restarted
        grown = {name: int(after[name]) for name in grown}
    ms = round(max(0, grown.pop("ps")) / PS_PER_MS, 3)
    text = " ".join(str(after["text"] or "").split())[:LONGEST]
    return Statement(text, ms=ms, **{name: max(0, count) for name, count in grown.items()})
