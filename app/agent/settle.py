"""Giving write-back and compaction time to end: forced where the server can, watched, with a cap."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Tuple

from .debt import read_debt
from .mysql import Client

CALM_S = 2  # seconds without a change before compaction counts as over
FEW_PAGES = 128  # a server writes a handful of pages for itself all the time
FORCED = {  # set in this order, put back in the reverse one
    "innodb_max_dirty_pages_pct_lwm": "0",
    "innodb_max_dirty_pages_pct": "0",
    "innodb_idle_flush_pct": "100",
    "innodb_io_capacity": "innodb_io_capacity_max",  # the value of this variable
}


class Settling:
    """One settle step: begin it, ask each second whether it is over, and put back what it changed."""

    def __init__(self, client: Client, engine: str) -> None:
        self._client = client
        self._engine = engine
        self._restore: List[Tuple[str, str]] = []
        self._calm = 0
        self._moved: Tuple[float, ...] = ()
        self.debt: Dict[str, Any] = {}

    def begin(self) -> None:
        if self._engine == "innodb":
            self._force_innodb()
        elif self._engine == "rocksdb":
            self._client.try_run("SET GLOBAL rocksdb_force_flush_memtable_now=1")

    def _force_innodb(self) -> None:
        found = self._client.pairs("SHOW GLOBAL VARIABLES LIKE 'innodb_%'")
        for name, value in FORCED.items():
            if name in found:
                self._restore.append((name, found[name]))
                self._client.try_run("SET GLOBAL {}={}".format(name, found.get(value, value)))

    def is_over(self) -> bool:
        """Asked once a second."""
        self.debt = read_debt(self._client, self._engine)
        if self._engine == "innodb":
            return int(self.debt.get("dirty_pages", 0)) <= FEW_PAGES
        if self._engine == "rocksdb":
            return self._is_compacted()
        return int(self.debt.get("unflushed_key_blocks", 0)) == 0

    def _is_compacted(self) -> bool:
        status = self._client.pairs("SHOW GLOBAL STATUS LIKE 'rocksdb_%'")
        moved = tuple(
            _number(status, name) for name in ("rocksdb_compact_write_bytes", "rocksdb_flush_write_bytes")
        )
        pending = sum(int(value) for name, value in self.debt.items() if name != "memtable_bytes")
        busy = pending or _number(status, "rocksdb_manual_compactions_running") or moved != self._moved
        self._moved = moved
        self._calm = 0 if busy else self._calm + 1
        return self._calm >= CALM_S

    def end(self) -> None:
        """Put back what begin changed, in the reverse order: the watermark may not exceed the limit."""
        for name, value in reversed(self._restore):
            self._client.try_run("SET GLOBAL {}={}".format(name, value))
        self._restore = []

    def text(self) -> str:
        return ", ".join(
            "{} {}".format(name.replace("_", " "), value) for name, value in sorted(self.debt.items())
        )


def _number(status: Mapping[str, str], name: str) -> float:
    try:
        return float(status[name])
    except (KeyError, ValueError):
        return 0.0
