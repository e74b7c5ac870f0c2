"""The lines of sysbench on several load targets, added up to those of one.

Counts are added, seconds by their number (all clients begin together), latencies bucket by bucket.
"""

from __future__ import annotations

import math
from typing import Any, Dict, List, Mapping, Optional, Sequence, Set

from app.agent.sampling.kinds import read_kinds
from app.protocol.latency import Counts, buckets_of, counts_of, percentile
from app.protocol.latency import add as add_counts

from .generator import add

Line = Dict[str, Any]

_ADDED = (
    "events", "reads", "writes", "other", "errors", "reconnects", "control", "rows", "threads", "clients",
    "workers", "active_s", "rolled_back",
)  # fmt: skip
_ONCE = ("measured", "ready", "total", "schedule")  # in a step
MOST_AHEAD = 4000  # lines that wait for another load target
_DEPTH = 6
_MOST = 1e18


class UnreadableLineError(ValueError):
    """A line that Dyno's Lua does not write."""


class LoadLineMerger:
    """Takes lines of each load target, and gives a line once every one has said its part."""

    def __init__(self, targets: int) -> None:
        self._open: Set[int] = set(range(targets))
        self._waiting: Dict[str, Dict[int, Line]] = {}  # by kind and number of the line, then by load target
        self._slices = [0] * targets

    def take(self, at: int, line: object) -> List[Line]:
        """The merged lines that load target `at` completes with this one."""
        said = _checked(line)
        if said["type"] in ("statement", "figure"):
            return [said]
        self._waiting.setdefault(self._key(at, said), {})[at] = said
        if len(self._waiting) > MOST_AHEAD:
            raise UnreadableLineError("it is too far ahead of the others")
        return self._complete()

    def end(self, at: int) -> List[Line]:
        """Load target `at` will say nothing more: the others are not waited for in vain."""
        self._open.discard(at)
        return self._complete()

    def _key(self, at: int, line: Line) -> str:
        kind = line["type"]
        if kind == "second":
            return "second {}".format(round(float(line["time_s"])))
        if kind == "slice":
            self._slices[at] += 1
            return "slice {}".format(self._slices[at])
        if kind not in _ONCE:
            raise UnreadableLineError("it is of an unknown type")
        return str(kind)

    def _complete(self) -> List[Line]:
        done = [key for key, lines in self._waiting.items() if lines and self._open <= lines.keys()]
        return [sum_load_lines(list(self._waiting.pop(key).values())) for key in done]


def join_slices(lines: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """One line for the slices of a second, one after the other."""
    if len(lines) == 1:
        return lines[0]
    line = sum_load_lines(lines)
    line.update({name: sum(float(each[name]) for each in lines) for name in ("time_s", "interval_s")})
    line["workers"] = lines[-1]["workers"]
    return line


def sum_load_lines(lines: Sequence[Mapping[str, Any]]) -> Line:
    """One line with what all of them have counted."""
    first = lines[0]
    line: Line = {"type": first["type"]}
    for name in (name for name in _ADDED if name in first):
        line[name] = _sum([each[name] for each in lines])
    for name, of_all in (("time_s", max), ("behind_s", max)):
        if name in first:
            line[name] = of_all(float(each[name]) for each in lines)
    if "interval_s" in first:
        line["interval_s"] = _mean(lines, "interval_s", "workers")
    if "measured" in first:
        line["measured"] = all(each["measured"] for each in lines)
    if "latency_ms" in first:
        line["latency_ms"] = _latency(lines)
    _add_buckets(line, lines)
    if all("kinds" in each for each in lines):
        line["kinds"] = _kinds(lines)
    return line


def _kinds(lines: Sequence[Mapping[str, Any]]) -> Dict[str, Line]:
    """The kinds of events that all have."""
    names = (name for name in lines[0]["kinds"] if all(name in each["kinds"] for each in lines))
    return {
        name: sum_load_lines([{"type": "kind", **each["kinds"][name]} for each in lines]) for name in names
    }


def _sum(values: Sequence[Any]) -> Any:
    total: Any = {} if isinstance(values[0], dict) else 0
    for value in values:
        total = add(total, value) if isinstance(value, dict) else total + value
    return total


def _mean(lines: Sequence[Mapping[str, Any]], name: str, by: str) -> float:
    """The mean, of slices by how many clients had that time."""
    weights = [float(each.get(by, 1)) for each in lines]
    whole = sum(weights) or 1.0
    return sum(float(each[name]) * weight for each, weight in zip(lines, weights)) / whole


def _latency(lines: Sequence[Mapping[str, Any]]) -> Dict[str, Optional[float]]:
    """Minimum, mean and maximum of all events."""
    some = [each for each in lines if each["events"] and each["latency_ms"]["avg"] is not None]
    if not some:
        return {"min": None, "avg": None, "max": None}
    events = sum(each["events"] for each in some)
    return {
        "min": min(each["latency_ms"]["min"] for each in some),
        "avg": sum(each["latency_ms"]["avg"] * each["events"] for each in some) / events,
        "max": max(each["latency_ms"]["max"] for each in some),
    }


def _add_buckets(line: Line, lines: Sequence[Mapping[str, Any]]) -> None:
    """The buckets, and the p95 of all events; neither where one has no buckets of that second."""
    if not all("buckets" in each for each in lines):
        if line["type"] == "second":
            line["p95_ms"] = None
        return
    counts: Counts = {}
    for each in lines:
        add_counts(counts, counts_of(each["buckets"]))
    line["buckets"] = buckets_of(counts)
    if line["type"] != "total":
        line["p95_ms"] = percentile(line["buckets"], 95)


# what a load target says is checked before it is added up


def _checked(line: object) -> Line:
    if not isinstance(line, dict) or not isinstance(line.get("type"), str):
        raise UnreadableLineError("it has no type")
    _check(line, _DEPTH)
    if "kinds" in line:
        line["kinds"] = read_kinds(line["kinds"])
    for name in _NEEDED.get(line["type"], ()):
        kind = _KIND_OF.get(name)
        if not (_is_count(line.get(name)) if kind is None else isinstance(line.get(name), kind)):
            raise UnreadableLineError("it lacks {}".format(name))
    _check_numbers(line)
    return line


def _check_numbers(line: Mapping[str, Any]) -> None:
    for bucket in line.get("buckets", ()):
        if not isinstance(bucket, list) or len(bucket) != 2 or not all(_is_count(each) for each in bucket):
            raise UnreadableLineError("a bucket is not a bound with a count")
    if "latency_ms" in line:
        found = line["latency_ms"]
        if not all(name in found and _is_count(found[name] or 0) for name in ("min", "avg", "max")):
            raise UnreadableLineError("latency_ms lacks numbers")
    if not all(map(_is_count, line.get("rows", {}).values())):
        raise UnreadableLineError("rows are no numbers")


def _is_count(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value >= 0


def _check(value: object, depth: int) -> None:
    if depth == 0:
        raise UnreadableLineError("it is nested too deeply")
    if isinstance(value, dict):
        for each in value.values():
            _check(each, depth - 1)
    elif isinstance(value, list):
        for each in value:
            _check(each, depth - 1)
    elif isinstance(value, (int, float)) and not (math.isfinite(value) and abs(value) < _MOST):
        raise UnreadableLineError("a number is out of bounds")


_COUNTS = ("events", "reads", "writes", "other", "errors", "reconnects", "control", "rows")
_NEEDED = {
    "second": ("time_s", "interval_s", "measured", "threads", *_COUNTS),
    "measured": ("time_s", *_COUNTS),
    "total": ("time_s", "threads", "clients", "latency_ms", "buckets", *_COUNTS),
    "slice": ("time_s", "interval_s", "active_s", "workers", "latency_ms", "buckets", *_COUNTS),
    "ready": ("workers",),
    "schedule": ("behind_s",),
    "statement": ("text",),
}
_KIND_OF: Dict[str, Any] = {
    "rows": dict,
    "latency_ms": dict,
    "buckets": list,
    "text": str,
    "measured": bool,
}
