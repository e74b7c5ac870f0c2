"""All that is stored of a step as values by name, in which causes look for their figures."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from app.engines.cause import COMMITS, DISK, FSYNC, NETWORK, SCHEDULE
from app.history.store.blocks import read_block
from app.history.store.damage import read_json, unpack_json
from app.history.store.history import History
from app.protocol.plan import coordinates_json
from app.protocol.reading import read
from app.protocol.thread_states import LOCK, STATES, UNKNOWN, client_time_figure, consistent_client_costs
from app.protocol.waits import Waits

Values = dict[str, float]

STATUS = "status."  # before the names of what the server counted over the whole step
WAIT = "wait/"  # how the names of the Performance Schema begin
FILE = "file/"  # before the kinds of files of which it counts the bytes
BY_NAME = "by_name"
_LOCKS = ("row_lock", "table_lock", "metadata_lock")
_IN_COMMITS = ("mutex", "rwlock", "condition", "stall")  # perhaps part of a wait for a group commit
_STEPS = (  # the last one of a session is the first in its plan
    "SELECT session.id, step.number, value, queries, per_query, others, ended FROM session"
    " JOIN step ON step.session = session.number JOIN result ON result.step = step.number"
    " WHERE session.id IN (SELECT value FROM json_each(?)) AND step.name = ? AND coordinates = ?"
    " AND NOT warm AND step.state = 'completed' AND ended IS NOT NULL ORDER BY position DESC"
)
_CLOCKS = "SELECT step, s FROM clock WHERE step IN (SELECT value FROM json_each(?))"
_BLOCKS = (
    "SELECT block.step, series.name, content FROM step JOIN series ON series.session = step.session"
    " JOIN block ON block.step = step.number AND block.series = series.number"
    " WHERE step.number IN (SELECT value FROM json_each(?))"
    " AND series.name IN (SELECT value FROM json_each(?))"
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
    wanted = list(names)
    with history.reading():
        rows = history.query(_STEPS, (_listed(sessions), step, coordinates_json(coordinates)))
        steps = {session: number for session, number, *_ in rows}
        means = _means(history, steps.values(), [name for name in wanted if "." in name])
    stored = {session: _of_step(row, threads) for session, _, *row in rows}
    found = {id_: {**stored[id_], **means[steps[id_]]} for id_ in sessions if id_ in steps}
    _fill(found.values(), [name for name in wanted if name.startswith(WAIT)])
    return found


def _listed(values: Iterable[int | str]) -> str:
    return json.dumps(list(values))


def _fill(found: Iterable[Values], waits: Sequence[str]) -> None:
    """A wait that is not among the longest is short."""
    for values in found:
        if values[BY_NAME]:
            values.update({name: values.get(name, 0.0) for name in waits})


def _means(history: History, steps: Collection[int], names: Sequence[str]) -> Mapping[int, Values]:
    """Of these series over the measured seconds, by step, in two statements for all of them."""
    measured = {step: read_block(s) >= 0 for step, s in history.query(_CLOCKS, (_listed(steps),))}
    found: dict[int, Values] = {step: {} for step in steps}
    for step, name, content in history.query(_BLOCKS, (_listed(steps), _listed(names))):
        values = read_block(content)[measured[step]]
        known = values[values == values]
        if known.size:
            found[step][name] = float(known.mean())
    return found


def _of_step(row: Sequence[Any], threads: int) -> Values:
    """What is stored of it, and what follows from that."""
    rate, queries, per_query, others, ended = row
    fields = unpack_json(ended)
    waits = read(Waits, fields.get("waits", {}))
    costs = consistent_client_costs(read_json(per_query), queries, fields.get("seconds"), threads)
    load = read_json(others) if others else {}
    found = {**dict(_known("", costs)), **_of_others(load), **_of_waits(waits, queries)}
    found.update(_of_status(fields.get("status", {})))
    if rate:
        states = sum(found.get(client_time_figure(state), 0.0) for state in STATES)
        found["queries"], found["client_us"] = rate, states or 1e6 * threads / rate
        found.setdefault(COMMITS, 0.0)  # of an older session: among the locks
        found.update(_derived(found))
        found.update(_with_followers(found, threads))
        found.update(_by_second(found))
    if fields.get("schedule"):  # the server waits for clients, and these for the time of their next event
        found[SCHEDULE] = found.pop(NETWORK, 0.0)
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
    files = {FILE + name: moved / queries for name, moved in waits.files.items()} if queries else {}
    return {BY_NAME: float(waits.by_name), **kinds, **names, **files}


def _of_status(status: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    """Each counter of the server per statement that it counted: they count in the warm-up too."""
    statements = status.get("questions") or status.get("queries")
    if statements:
        yield from ((STATUS + name, value / statements) for name, value in _known("", status))


def _derived(found: Mapping[str, float]) -> Iterator[tuple[str, float]]:
    """Times of clients that no single figure has."""
    waits_for_disk = sum(found.get(name, 0.0) for name in (DISK, FSYNC, COMMITS))  # no CPU shortens these
    for share in ("throttled_pct", "steal_pct", "share_pct"):
        if (pct := found.get(f"others.{share}")) is not None:
            yield f"others.{share}.taken_us", pct / 100 * max(0.0, found["client_us"] - waits_for_disk)
    if (locked := found.get(client_time_figure(LOCK))) is not None:
        others = max(0.0, _waited(found, _IN_COMMITS) - found[COMMITS])
        named = _waited(found, _LOCKS) + others
        yield "unnamed_us", max(0.0, locked + found.get(client_time_figure(UNKNOWN), 0.0) - named)


def _waited(found: Mapping[str, float], kinds: Iterable[str]) -> float:
    return sum(found.get(f"waits.{kind}_us", 0.0) for kind in kinds)


def _by_second(found: Mapping[str, float]) -> Iterator[tuple[str, float]]:
    """Waiting in ms per second: divided by a rate, it is the waiting for each."""
    for name in ("client_fsync", "client_disk", "waits.table_lock", "unnamed"):
        if (waited := found.get(f"{name}_us")) is not None:
            yield f"{name}_ms", waited * found["queries"] / 1e3


def _with_followers(found: Mapping[str, float], threads: int) -> Iterator[tuple[str, float]]:
    """The time of clients that sync or are stalled, and of those that may wait for them."""
    commits, unnamed = found[COMMITS], found.get("unnamed_us", 0.0)
    stalled, synced = found.get("waits.stall_us"), found.get(FSYNC)
    if stalled is not None:
        behind = min(commits + unnamed, stalled * (threads - 1))
        commits = max(0.0, commits - behind)
        yield "stalls_us", stalled + behind
    if synced is not None:
        yield "syncs_us", synced + (commits or min(unnamed, synced * (threads - 1)))
