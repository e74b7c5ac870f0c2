"""All that is stored of a step as values by name, in which causes look for their figures."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from app.protocol.reading import read
from app.protocol.thread_states import LOCK, STATES, UNKNOWN, time_per_query
from app.protocol.waits import Waits

from .curves import Curve, curves
from .damage import read_json, unpack_json
from .history import History

Values = dict[str, float]

WAIT = "wait/"  # how the names of the Performance Schema begin
BY_NAME = "by_name"
_HOLD = ("row_lock", "table_lock", "metadata_lock", "mutex", "rwlock", "condition", "stall")  # like a lock
_STEP = (
    "SELECT value, queries, per_query, others, ended FROM step JOIN session ON step.session = session.number"
    " JOIN result ON result.step = step.number WHERE session.id = ? AND step.name = ? AND coordinates = ?"
    " AND NOT warm AND step.state = 'completed' AND ended IS NOT NULL ORDER BY position"
)


def values_of_step(
    history: History,
    sessions: Sequence[str],
    step: str,
    coordinates: Mapping[str, Any],
    names: Iterable[str],
    threads: int,
) -> dict[str, Values]:
    """The values of the same step in each session that completed it.

    Costs per query have their names in the journal, series theirs: means over the measured seconds.
    """
    text = json.dumps(coordinates, sort_keys=True)
    rows = {session: history.one(_STEP, (session, step, text)) for session in sessions}
    found = {session: _of_step(row, threads) for session, row in rows.items() if row}
    for name in names:
        if name.startswith(WAIT):  # a wait that is not among the longest is short
            _fill(found.values(), name)
        elif "." in name:
            for session, curve in curves(history, list(found), step, coordinates, name).items():
                found[session].update(_mean(name, curve))
    return found


def _fill(found: Iterable[Values], name: str) -> None:
    for values in found:
        if values[BY_NAME]:
            values.setdefault(name, 0.0)


def _mean(name: str, curve: Curve) -> Values:
    measured = curve.values[curve.seconds >= 0]
    known = measured[measured == measured]
    return {name: float(known.mean())} if known.size else {}


def _of_step(row: tuple[Any, ...], threads: int) -> Values:
    """What is stored of it, and what follows from that."""
    rate, queries, per_query, others, ended = row
    waits = read(Waits, unpack_json(ended).get("waits", {}))
    costs, load = read_json(per_query), read_json(others) if others else {}
    found = {**dict(_known("", costs)), **_of_others(load), **_of_waits(waits, queries)}
    if rate:
        states = sum(found.get(time_per_query(state), 0.0) for state in STATES)
        found["queries"], found["client_us"] = rate, states or 1e6 * threads / rate
        found.update(_derived(found))
        found.update(_of_syncs(found, threads))
        found.update(_by_second(found))
    return found


def _known(prefix: str, values: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    return ((prefix + name, float(value)) for name, value in values.items() if isinstance(value, int | float))


def _of_others(load: Mapping[str, Any]) -> Values:
    """Their figures, and their CPU in percent of the CPUs that the server can use."""
    found = dict(_known("others.", load))
    if (cpu := found.get("others.cpu_pct")) is not None:
        found["others.share_pct"] = cpu / max(found.get("others.cpus", 1.0), 1.0)
    return found


def _of_waits(waits: Waits, queries: float | None) -> Values:
    """Microseconds per query by kind, and of the longest waits by name."""
    kinds = {f"waits.{kind}_us": ms * 1e3 / queries for kind, ms in waits.kinds.items()} if queries else {}
    names = {each.name: each.per_query_us for each in waits.events if each.per_query_us is not None}
    return {BY_NAME: float(waits.by_name), **kinds, **names}


def _derived(found: Mapping[str, float]) -> Iterator[tuple[str, float]]:
    """Times of clients that no single figure has."""
    for share in ("throttled_pct", "steal_pct", "share_pct"):
        if (pct := found.get(f"others.{share}")) is not None:
            yield f"others.{share}.taken_us", pct / 100 * found["client_us"]
    if (locked := found.get(time_per_query(LOCK))) is not None:
        named = sum(found.get(f"waits.{kind}_us", 0.0) for kind in _HOLD)
        yield "unnamed_us", max(0.0, locked + found.get(time_per_query(UNKNOWN), 0.0) - named)


def _by_second(found: Mapping[str, float]) -> Iterator[tuple[str, float]]:
    """Waiting in ms per second: divided by a rate, it is the waiting for each."""
    for name in ("client_fsync", "client_disk", "waits.table_lock", "unnamed"):
        if (waited := found.get(f"{name}_us")) is not None:
            yield f"{name}_ms", waited * found["queries"] / 1e3


def _of_syncs(found: Mapping[str, float], threads: int) -> Iterator[tuple[str, float]]:
    """The time of clients in syncs, and of the others that may wait for the one that syncs."""
    if (synced := found.get(time_per_query("fsync"))) is not None:
        yield "syncs_us", synced + min(found.get("unnamed_us", 0.0), synced * (threads - 1))
