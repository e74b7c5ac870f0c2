"""One second of everything: the generator's line, the host, the server, put together as one event."""

from __future__ import annotations

import time
from types import MappingProxyType
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple

from app.agent.server.mysql import QueryError
from app.agent.system.journal import Journal
from app.engines.panel import figures_of
from app.protocol.events import Sample, SeriesDeclared
from app.protocol.latency import Counts, encode, percentile
from app.protocol.series import (
    LOAD,
    P95_EVENTS,
    SeriesDeclaration,
    committed_series,
    series_of_kind,
    series_of_role,
)

from .counters import ServerCounterSampler, rows_read
from .host import HostSampler, deltas
from .kinds import committed_per_minute, kinds_of_second
from .locks import RowLockPairs
from .reading import Reading
from .statements import Statements
from .thread_states import NOTHING, SERIES, ThreadSampler
from .waits import WaitSampler

ROUND_TRIP = SeriesDeclaration("server.round_trip_ms", "ms", "gauge", "lower", "Round trip of SELECT 1", 3)
LAG = SeriesDeclaration("replica.lag_ms", "ms", "gauge", "lower", "Lag of replica", 1)
Further = Tuple[SeriesDeclaration, Callable[[], Optional[float]]]  # a series, and its value now
Moment = Tuple[Reading, Dict[str, str]]  # what the machine, and what the server has counted so far


class SessionSampler:
    """Takes samples of one session; what cannot be read is missing, and logged once."""

    def __init__(
        self,
        journal: Journal,
        host: HostSampler,
        counters: ServerCounterSampler,
        waits: WaitSampler,
        locks: RowLockPairs,
        statements: Statements,
        threads: ThreadSampler,
        roles: Sequence[str] = (),  # of all steps of the plan
        kinds: Sequence[str] = (),  # of events, by the keys of their series
        figure_kinds: Mapping[int, str] = MappingProxyType({}),  # the kind that is the figure of a step
        further: Sequence[Further] = (),  # of servers that run already
    ) -> None:
        self._journal = journal
        self._host = host
        self._counters = counters
        self.waits = waits
        self.locks = locks
        self.statements = statements
        self._said: Dict[str, bool] = {}
        self.expects_silence: Callable[[], bool] = bool  # whether an operation has ended the server
        self._threads = threads
        self._roles, self._kinds, self._figure_kinds = roles, kinds, figure_kinds
        of_roles = [series for role in roles for series in series_of_role(role)]
        of_roles += [series for key in kinds for series in series_of_kind(key)]
        of_roles += committed_series(kinds) if figure_kinds else []
        self._further = further
        self._trip: Optional[float] = None  # the latest round trip
        of_server = [*counters.declare(), *waits.declare(), *SERIES]
        self._series = [*LOAD, *host.declare(), *of_server, *of_roles, *(series for series, _ in further)]
        self._digits = [each.digits for each in self._series]
        # of the measured seconds
        self.means = WeightedSampleMeans([*(each.series for each in counters.counters), ROUND_TRIP.name])
        self.at = 0.0
        self.reading: Any = None
        self._status: Dict[str, str] = {}

    def declare(self) -> None:
        self._journal.write(SeriesDeclared, series=self._series)

    def look(self, whole: bool = False) -> Moment:
        """All counters now; whole: including processes that rest. Samples do not change."""
        return self._host.read(whole), self._try("server", lambda: self._counters.read(whole), {})

    @property
    def moment(self) -> Moment:
        """All counters at the latest sample."""
        return self.reading, self._status

    @property
    def has_server(self) -> bool:
        """Whether the server answered for the latest sample."""
        return bool(self._status) or self._trip is not None

    def spent(self, first: Moment, last: Moment) -> Dict[str, Optional[float]]:
        """What machine and server used between two moments, named like the costs per query."""
        return {**deltas(first[0], last[0]), **self._counters.spent(first[1], last[1])}

    @property
    def engine_figures(self) -> Dict[str, float]:
        """The figures of the engine's panel, from the means."""
        return figures_of(self._counters.panel, self.means.values())

    @property
    def round_trip_ms(self) -> Optional[float]:
        """The mean of the measured seconds; None if none was asked for or answered."""
        return self.means.values().get(ROUND_TRIP.name)

    @property
    def counts_calls(self) -> bool:
        """Whether rows read are calls of the handler."""
        return self._counters.counts_calls(self._status)

    @property
    def rows_read(self) -> Optional[float]:
        """The rows that the server had read at the latest reading."""
        return rows_read(self._status)

    def begin(self, whole: bool = False) -> None:
        """The first reading of a step: rates need one before."""
        self.at = time.monotonic()
        self.reading, self._status = self.look(whole)

    def take(
        self,
        step: int,
        s: int,
        load: Optional[Mapping[str, Any]],
        derived: bool = False,
        rows_by_server: bool = False,
        latencies: Optional[Counts] = None,
    ) -> None:
        """Write the sample of second `s`; load is the generator's line for it, None where it is missing.

        A statement of a scan takes many seconds: one without its end is no stall; the server tells the rows.
        """
        before, status = self.reading, self._status
        threads = NOTHING if derived else self._threads.end()  # before the last second, clients may be gone
        self.begin()
        dt = self.reading.at - before.at  # without the turns of others
        host = self._host.rates(before, self.reading, dt)
        self._host.watch(before, self.reading, dt)
        of_load = _rows_by_server(status, self._status, dt) if rows_by_server else _load_values(load)
        of_server = self._counters.values(status, self._status, dt)
        of_further = [value() for _, value in self._further]
        self._trip = of_further[0] if of_further else None
        if s >= 0:
            self.means.add([*of_server, *of_further[:1]], dt)
        waits = self.waits.values(status, self._status, dt)
        of_kinds = kinds_of_second(load) if load and self._kinds else {}
        of_roles = [*_values_of_roles(load, self._roles), *_values_of_kinds(of_kinds, self._kinds)]
        keys = [self._figure_kinds.get(step), *self._kinds] if self._figure_kinds else []
        of_roles += [_committed(of_kinds.get(key or "")) for key in keys]
        found = [*of_load, *host, *of_server, *waits, *threads, *of_roles, *of_further]
        self._try("locks", lambda: self.locks.look(status, self._status), None)
        self.statements.look()
        rounded = [None if v is None else round(v, digits) for v, digits in zip(found, self._digits)]
        latency = None if latencies is None else encode(latencies)
        self._journal.write(
            Sample, step=step, s=s, dt=round(dt, 4), values=rounded, derived=derived, latency=latency
        )
        for problem in self._host.take_problems():
            self._journal.log(problem)

    def _try(self, what: str, read: Callable[[], Any], otherwise: Any) -> Any:
        try:
            return read()
        except QueryError as error:
            if what not in self._said and not self.expects_silence():
                self._said[what] = True
                self._journal.log("server values are missing: {}".format(error))
            return otherwise


def _load_values(load: Optional[Mapping[str, Any]]) -> List[Optional[float]]:
    """The values of the load, in the order of LOAD."""
    if load is None or not load.get("interval_s"):
        return [None] * len(LOAD)
    interval = float(load["interval_s"])
    counts = [summed_query_count(load), load["reads"], load["writes"], load["other"], load["events"]]
    counts += [load["errors"], load["reconnects"], sum(load.get("rows", {}).values())]
    carries_p95 = int(load["events"]) >= P95_EVENTS
    return [float(count) / interval for count in counts] + [load.get("p95_ms") if carries_p95 else None]


def _values_of_roles(load: Optional[Mapping[str, Any]], roles: Sequence[str]) -> Iterator[Optional[float]]:
    """The values of each role, in the order of `series_of_role`; a role that this step has not has none."""
    lines = (load or {}).get("roles", {})
    for role in roles:
        line = lines.get(role)
        yield from _load_values(line)
        yield line["buckets"][-1][0] if line and line.get("buckets") else None


def _values_of_kinds(lines: Mapping[str, Any], keys: Sequence[str]) -> Iterator[Optional[float]]:
    """The values of each kind of events, in the order of `series_of_kind`."""
    for key in keys:
        line = lines.get(key)
        if line is None or not line["interval_s"]:
            yield from (None, None, None)
            continue
        yield line["events"] / line["interval_s"]
        yield summed_query_count(line) / line["interval_s"]
        yield percentile(line["buckets"], 95) if line["events"] >= P95_EVENTS else None


def _committed(line: Optional[Mapping[str, Any]]) -> Optional[float]:
    """Events of a kind per minute that did not end with ROLLBACK."""
    if line is None or not line["interval_s"]:
        return None
    return committed_per_minute(line["events"], line["rolled_back"], float(line["interval_s"]))


def _rows_by_server(before: Mapping[str, str], after: Mapping[str, str], dt: float) -> List[Optional[float]]:
    """The rows that the server has read per second, in the order of LOAD; the rest is missing."""
    then, now = rows_read(before), rows_read(after)
    rate = None if then is None or now is None or dt <= 0 else max(0.0, now - then) / dt
    return [rate if each.name == "load.rows" else None for each in LOAD]


def summed_query_count(load: Mapping[str, Any]) -> int:
    return int(load["reads"]) + int(load["writes"]) + int(load["other"])


class WeightedSampleMeans:
    """Adds up samples, each weighted by its length; a missing value has no weight."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names
        self.clear()

    def clear(self) -> None:
        self._sums: List[float] = [0.0] * len(self._names)
        self._seconds: List[float] = [0.0] * len(self._names)

    def add(self, values: Sequence[Optional[float]], dt: float) -> None:
        for at, value in enumerate(values):
            if value is not None:
                self._sums[at] += value * dt
                self._seconds[at] += dt

    def values(self) -> Dict[str, float]:
        """The mean of each series that had a value."""
        found = zip(self._names, self._sums, self._seconds)
        return {name: total / seconds for name, total, seconds in found if seconds > 0}
