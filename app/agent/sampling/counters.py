"""Which counters of the server become series, and the statement that reads them all at once."""

from __future__ import annotations

import contextlib
import time
from typing import Dict, List, Mapping, Optional, Sequence

from app.agent.server.mysql import Client, QueryError
from app.engines import engine_of
from app.engines.counter import OF_ENGINE, StatusCounter
from app.engines.server import COUNTERS, OWN_ROWS, READS, ROWS, ROWS_OF_CLIENTS, SORTED
from app.protocol.series import SeriesDeclaration

LEAVE_S = 5.0  # for clients to be gone once their program has ended
GONE_S = 0.01  # from the last one that is counted to the end of its thread
OWN = (".rows_read", ".log_kb")  # of an engine, where it counts them
SELDOM_S = 10.0  # between two readings of what needs dearer statements


class ServerCounterSampler:
    """The server's part of a sample."""

    def __init__(self, client: Client, engine: str, more: Sequence[str] = ()) -> None:
        """Read the counters of the engine, and more status variables without series."""
        self._client = client
        self._engine = engine
        self._seldom: Dict[str, str] = {}
        self._seldom_at = -SELDOM_S
        self.counters = COUNTERS + engine_of(engine).counters
        self.panel = engine_of(engine).panel
        self._titles = {"server": "Server", engine: engine_of(engine).title}
        counted = (name for counter in self.counters for name in counter.names if OF_ENGINE not in name)
        names = sorted({*counted, *more})
        quoted = ",".join("'{}'".format(name) for name in names)
        self._statement = "SHOW GLOBAL STATUS WHERE Variable_name IN ({})".format(quoted)

    def read(self, whole: bool = False) -> Dict[str, str]:
        """All counters; whole: those of dearer statements too, which are else some seconds old."""
        found = self._client.pairs(self._statement)
        now = time.monotonic()
        if whole or now - self._seldom_at >= SELDOM_S:
            self._seldom, self._seldom_at = self._read_seldom(found), now
        return {**found, **self._seldom, **(self._own_rows(found) if whole else {})}

    def _own_rows(self, status: Mapping[str, str]) -> Dict[str, str]:
        if ROWS.total(status) is None:
            return {}
        with contextlib.suppress(QueryError):
            found = self._client.pairs("SHOW SESSION STATUS LIKE 'Rows_read'")
            return {OWN_ROWS: found["rows_read"]} if found else {}
        return {}

    def _read_seldom(self, status: Mapping[str, str]) -> Dict[str, str]:
        with contextlib.suppress(QueryError):
            return engine_of(self._engine).seldom(self._client.query, status)
        return {}

    def declare(self) -> List[SeriesDeclaration]:
        return [
            SeriesDeclaration(c.series, c.unit, c.kind, c.direction, self._title(c), c.digits)
            for c in self.counters
        ]

    def _title(self, counter: StatusCounter) -> str:
        """`InnoDB: rows read`: two engines may count the same."""
        of = counter.series.partition(".")[0]
        return "{}: {}".format(self._titles.get(of, of), counter.label)

    def values(self, before: Mapping[str, str], after: Mapping[str, str], dt: float) -> List[Optional[float]]:
        return [_value(counter, before, after, dt) for counter in self.counters]

    def spent(self, before: Mapping[str, str], after: Mapping[str, str]) -> Dict[str, Optional[float]]:
        """Rows read and sorted, and KB of redo or WAL between two readings; None where they are not counted.

        MariaDB leaves out some rows of MyRocks, so the engine is asked first; the handlers come last, for
        rows of status tables are among theirs. What MariaDB counts contains what Dyno itself has read.
        """
        of_all = ROWS_OF_CLIENTS if OWN_ROWS in before and OWN_ROWS in after else ROWS
        rows, log = (self._own(name) for name in OWN)
        return {
            "rows_read": _first([*rows, of_all, READS], before, after),
            "rows_sorted": _first([SORTED], before, after),
            "log_kb": _first(log, before, after),
        }

    def counts_calls(self, status: Mapping[str, str]) -> bool:
        """Whether *rows read* are handler calls, because the server does not count rows."""
        rows = [*self._own(".rows_read"), ROWS]
        return all(each.total(status) is None for each in rows)

    def _own(self, name: str) -> List[StatusCounter]:
        return [each for each in self.counters if each.series == self._engine + name]


def _value(
    counter: StatusCounter, before: Mapping[str, str], after: Mapping[str, str], dt: float
) -> Optional[float]:
    now = counter.total(after)
    if now is None or counter.kind == "gauge":
        return None if now is None else now * counter.scale
    then = counter.total(before)
    if then is None or now < then or dt <= 0:  # a restarted server counts from zero again
        return None
    return (now - then) * counter.scale / dt


def _first(
    counters: Sequence[StatusCounter], before: Mapping[str, str], after: Mapping[str, str]
) -> Optional[float]:
    """The value of the first of these counters that the server has."""
    there = (counter for counter in counters if counter.total(after) is not None)
    counter = next(there, None)
    return None if counter is None else _value(counter, before, after, 1.0)


def rows_read(status: Mapping[str, str]) -> Optional[float]:
    """Rows that the server has read so far, from any table; None if unknown."""
    return READS.total(status)


def await_last_client(client: Client, own: int = 1) -> None:
    """Wait until only Dyno is connected: MySQL 5.6 counts the work of clients twice while they disconnect."""
    end = time.monotonic() + LEAVE_S
    while _connected(client) > own and time.monotonic() < end:
        time.sleep(GONE_S)
    time.sleep(GONE_S)


def _connected(client: Client) -> int:
    try:
        return int(client.pairs("SHOW GLOBAL STATUS LIKE 'Threads_connected'")["threads_connected"])
    except (QueryError, KeyError):
        return 0


def read_status(client: Client) -> Dict[str, str]:
    """SHOW GLOBAL STATUS; empty if the server does not answer."""
    try:
        return client.pairs("SHOW GLOBAL STATUS")
    except QueryError:
        return {}


def status_deltas(before: Mapping[str, str], after: Mapping[str, str]) -> Dict[str, float]:
    """What changed in SHOW GLOBAL STATUS over a step; a counter that went down is left out."""
    deltas = {}
    for name, value in after.items():
        try:
            delta = float(value) - float(before[name])
        except (KeyError, ValueError):
            continue
        if delta > 0:
            deltas[name] = delta
    return deltas
