"""Lines of the kinds of events of a workload, which its Lua counts apart; that may be a person's own."""

from __future__ import annotations

from typing import Any, Dict, Mapping, Optional

from app.protocol.latency import BUCKETS
from app.protocol.plan import OF_KIND
from app.protocol.sysbench import MOST_KINDS

_COUNTS = ("events", "reads", "writes", "other", "errors", "reconnects", "control", "rolled_back")
_MOST = 1e18

KindLines = Dict[str, Dict[str, Any]]  # by name


def read_kinds(found: object) -> KindLines:
    """The kinds of a line; those with a figure that is missing or wrong are left out."""
    lines = list(found.items())[:MOST_KINDS] if isinstance(found, dict) else []
    return {name: line for name, line in lines if isinstance(line, dict) and _is_whole(line)}


def _is_whole(line: Mapping[str, Any]) -> bool:
    rows, buckets, latency = line.get("rows"), line.get("buckets"), line.get("latency_ms", {})
    if not (isinstance(rows, dict) and isinstance(buckets, list) and isinstance(latency, dict)):
        return False
    pairs = all(isinstance(each, list) and len(each) == 2 and all(map(_is_count, each)) for each in buckets)
    counts = [*(line.get(name) for name in _COUNTS), *rows.values()]
    times = [latency.get(name) for name in ("min", "avg", "max")]
    is_short = len(buckets) <= BUCKETS and len(rows) <= len(_COUNTS)
    return (
        is_short and pairs and all(map(_is_count, counts)) and all(t is None or _is_count(t) for t in times)
    )


def _is_count(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < _MOST


def kinds_of_second(load: Mapping[str, Any]) -> KindLines:
    """The kinds of a second by the keys of their series: of all its roles, where it has some."""
    lines: Mapping[str, Any] = load.get("roles") or {"": load}
    return {
        OF_KIND.join(filter(None, (role, name))): {**kind, "interval_s": line["interval_s"]}
        for role, line in lines.items()
        for name, kind in line.get("kinds", {}).items()
    }


def total_of_kind(total: Mapping[str, Any], name: str) -> Optional[Dict[str, Any]]:
    """The total of one kind, from that of its step or role."""
    kind = total.get("kinds", {}).get(name)
    return None if kind is None else {**total, **kind}


def committed_per_minute(events: float, rolled_back: float, seconds: float) -> float:
    """Events without those that ended with ROLLBACK by chance."""
    return max(0.0, events - rolled_back) * 60 / seconds
