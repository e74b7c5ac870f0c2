"""Which counters of the server become series, and the statement that reads them all at once."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence

from .mysql import Client, QueryError


class Counter(NamedTuple):
    """A status variable (or the sum of several) as a series."""

    series: str
    status: str  # names joined by +
    unit: str
    kind: str  # rate | gauge
    direction: str
    label: str
    scale: float = 1.0


def _rate(
    series: str, status: str, label: str, unit: str = "1/s", scale: float = 1.0, direction: str = ""
) -> Counter:
    return Counter(series, status, unit, "rate", direction, label, scale)


def _gauge(
    series: str, status: str, label: str, unit: str = "", scale: float = 1.0, direction: str = ""
) -> Counter:
    return Counter(series, status, unit, "gauge", direction, label, scale)


def _rows_written(engine: str) -> List[Counter]:
    """Of an engine that keeps no counts of its own."""
    return [
        _rate(engine + ".rows_written", "handler_write", "rows inserted"),
        _rate(engine + ".rows_updated", "handler_update", "rows updated"),
        _rate(engine + ".rows_deleted", "handler_delete", "rows deleted"),
    ]


def _lock_waits(engine: str) -> Counter:
    return _rate(engine + ".lock_waits", "table_locks_waited", "table lock waits", direction="lower")


KB = 1 / 1024
MB = KB / 1024
HANDLER_READS = "+".join(
    "handler_read_" + what for what in ("first", "key", "next", "prev", "rnd", "rnd_next")
)

READS = _rate("server.handler_reads", HANDLER_READS, "handler reads")
ROWS = _rate("server.rows_read", "rows_read", "rows read, whatever engine")  # MariaDB counts them
OWN = (".rows_read", ".log_kb")  # of an engine, where it counts them
EVERY = [
    _gauge("server.threads_running", "threads_running", "threads running in the server"),
    READS,
    ROWS,
]

BY_ENGINE: Dict[str, List[Counter]] = {
    "innodb": [
        _rate("innodb.rows_read", "innodb_rows_read", "rows read"),
        _rate("innodb.rows_inserted", "innodb_rows_inserted", "rows inserted"),
        _rate("innodb.rows_updated", "innodb_rows_updated", "rows updated"),
        _rate("innodb.rows_deleted", "innodb_rows_deleted", "rows deleted"),
        _rate("innodb.cache_requests", "innodb_buffer_pool_read_requests", "buffer pool requests"),
        _rate("innodb.cache_misses", "innodb_buffer_pool_reads", "buffer pool misses", direction="lower"),
        _rate("innodb.pages_flushed", "innodb_buffer_pool_pages_flushed", "pages written back"),
        _gauge("innodb.dirty_mb", "innodb_buffer_pool_bytes_dirty", "dirty pages", "MB", MB),
        _gauge("innodb.checkpoint_age_mb", "innodb_checkpoint_age", "checkpoint age", "MB", MB),
        _gauge("innodb.history_list", "innodb_history_list_length", "history list"),
        _rate("innodb.log_kb", "innodb_os_log_written", "redo written", "KB/s", KB),
        _rate("innodb.log_syncs", "innodb_os_log_fsyncs", "redo syncs"),
        _rate("innodb.log_waits", "innodb_log_waits", "waits for the log buffer", direction="lower"),
        _rate("innodb.row_lock_waits", "innodb_row_lock_waits", "row lock waits", direction="lower"),
    ],
    "rocksdb": [
        _rate("rocksdb.rows_read", "rocksdb_rows_read", "rows read"),
        _rate("rocksdb.rows_inserted", "rocksdb_rows_inserted", "rows inserted"),
        _rate("rocksdb.rows_updated", "rocksdb_rows_updated", "rows updated"),
        _rate("rocksdb.rows_deleted", "rocksdb_rows_deleted", "rows deleted"),
        _rate("rocksdb.cache_hits", "rocksdb_block_cache_hit", "block cache hits"),
        _rate("rocksdb.cache_misses", "rocksdb_block_cache_miss", "block cache misses", direction="lower"),
        _gauge("rocksdb.memtable_mb", "rocksdb_memtable_total", "memtables", "MB", MB),
        _gauge("rocksdb.unflushed_mb", "rocksdb_memtable_unflushed", "memtables not flushed", "MB", MB),
        _rate("rocksdb.log_kb", "rocksdb_wal_bytes", "WAL written", "KB/s", KB),
        _rate("rocksdb.log_syncs", "rocksdb_wal_synced", "WAL syncs"),
        _rate("rocksdb.flush_kb", "rocksdb_flush_write_bytes", "flushed", "KB/s", KB),
        _rate("rocksdb.compaction_read_kb", "rocksdb_compact_read_bytes", "compaction read", "KB/s", KB),
        _rate("rocksdb.compaction_write_kb", "rocksdb_compact_write_bytes", "compaction written", "KB/s", KB),
        _rate("rocksdb.stall_ms", "rocksdb_stall_micros", "write stalls", "ms/s", 1e-3, "lower"),
        _rate("rocksdb.stops", "rocksdb_stall_total_stops", "write stops", direction="lower"),
        _rate("rocksdb.slowdowns", "rocksdb_stall_total_slowdowns", "write slowdowns", direction="lower"),
    ],
    "myisam": [
        *_rows_written("myisam"),
        _rate("myisam.cache_requests", "key_read_requests", "key cache requests"),
        _rate("myisam.cache_misses", "key_reads", "key cache misses", direction="lower"),
        _rate("myisam.key_writes", "key_writes", "key blocks written"),
        _gauge("myisam.unflushed_blocks", "key_blocks_not_flushed", "key blocks not flushed"),
        _lock_waits("myisam"),
    ],
    "aria": [
        *_rows_written("aria"),
        _rate("aria.cache_requests", "aria_pagecache_read_requests", "page cache requests"),
        _rate("aria.cache_misses", "aria_pagecache_reads", "page cache misses", direction="lower"),
        _rate("aria.page_writes", "aria_pagecache_writes", "pages written"),
        _rate("aria.log_syncs", "aria_transaction_log_syncs", "log syncs"),
        _gauge("aria.unflushed_pages", "aria_pagecache_blocks_not_flushed", "pages not flushed"),
        _lock_waits("aria"),
    ],
}


class Counters:
    """The server's side of a sample."""

    def __init__(self, client: Client, engine: str) -> None:
        self._client = client
        self._engine = engine
        self.counters = EVERY + BY_ENGINE.get(engine, [])
        names = sorted({name for counter in self.counters for name in counter.status.split("+")})
        quoted = ",".join("'{}'".format(name) for name in names)
        self._statement = "SHOW GLOBAL STATUS WHERE Variable_name IN ({})".format(quoted)

    def read(self) -> Dict[str, str]:
        return self._client.pairs(self._statement)

    def declare(self) -> List[Dict[str, Any]]:
        return [
            {
                "name": c.series,
                "unit": c.unit,
                "kind": c.kind,
                "direction": c.direction,
                "label": c.label,
                "digits": 2,
            }
            for c in self.counters
        ]

    def values(self, before: Mapping[str, str], after: Mapping[str, str], dt: float) -> List[Optional[float]]:
        return [_value(counter, before, after, dt) for counter in self.counters]

    def spent(self, before: Mapping[str, str], after: Mapping[str, str]) -> Dict[str, Optional[float]]:
        """Rows read and KB of redo or WAL between two readings; None where nobody counts them.

        MariaDB leaves out some rows of MyRocks, so the engine is asked first; the handlers come last, for
        rows of status tables are among theirs.
        """
        rows, log = ([each for each in self.counters if each.series == self._engine + name] for name in OWN)
        return {
            "rows_read": _first([*rows, ROWS, READS], before, after),
            "log_kb": _first(log, before, after),
        }


def _value(
    counter: Counter, before: Mapping[str, str], after: Mapping[str, str], dt: float
) -> Optional[float]:
    now = _total(counter, after)
    if now is None or counter.kind == "gauge":
        return None if now is None else now * counter.scale
    then = _total(counter, before)
    if then is None or now < then or dt <= 0:  # a restarted server counts from zero again
        return None
    return (now - then) * counter.scale / dt


def _first(
    counters: Sequence[Counter], before: Mapping[str, str], after: Mapping[str, str]
) -> Optional[float]:
    """What the first of them that the server has came to."""
    there = (counter for counter in counters if _total(counter, after) is not None)
    counter = next(there, None)
    return None if counter is None else _value(counter, before, after, 1.0)


def _total(counter: Counter, status: Mapping[str, str]) -> Optional[float]:
    try:
        return float(sum(float(status[name]) for name in counter.status.split("+")))
    except (KeyError, ValueError):
        return None


def rows_read(status: Mapping[str, str]) -> Optional[float]:
    """The rows that the server has read so far, of whatever table; None where it has not said."""
    return _total(READS, status)


def read_status(client: Client) -> Dict[str, str]:
    """SHOW GLOBAL STATUS; nothing of a server that does not answer."""
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
