"""Settling on a server that runs already: its counters of writes come to rest, and nothing forces them."""

from __future__ import annotations

from typing import Dict, List

from app.agent.server.mysql import Client, QueryError
from app.engines.server import CALM_S

from .lag import Beats

# of any engine: bytes, pages or blocks that it has written; those of the schema's neighbours are among them
WRITES = (
    "innodb_data_written",
    "innodb_buffer_pool_pages_flushed",
    "innodb_os_log_written",
    "rocksdb_bytes_written",
    "rocksdb_flush_write_bytes",
    "rocksdb_compact_write_bytes",
    "key_writes",
    "aria_pagecache_writes",
)
FEW = 0.01  # of what was written in the busiest second: so little is rest


class WritesComeToRest:
    """Looks once a second; over when no counter has grown much for a while."""

    def __init__(self, client: Client, beats: Beats) -> None:
        self._beats = beats
        self.debt: Dict[str, int] = {}
        self._client = client  # of its own
        self._last: Dict[str, int] = {}
        self._most: Dict[str, int] = {}  # that each has grown in a second
        self._calm = 0  # looks, one after the other
        self.unpaid: List[str] = []  # what is still waited for
        self.waited_for: Dict[str, int] = {}

    def begin(self) -> None:
        """Nothing is forced; Dyno itself writes no numbers meanwhile."""
        self._beats.rest = True

    def is_over(self, _reading: object) -> bool:
        try:
            grown = self._grown()
        except QueryError:
            self._calm, self.unpaid = 0, ["an answer of the server"]
        else:
            self._calm = self._calm + 1 if self._last and not grown else 0
            self.unpaid = [] if self._calm >= CALM_S else grown or ["writes to stay at rest"]
        for name in self.unpaid:
            self.waited_for[name] = self.waited_for.get(name, 0) + 1
        return not self.unpaid

    def _grown(self) -> List[str]:
        status = self._client.pairs("SHOW GLOBAL STATUS")
        now = {name: int(status[name]) for name in WRITES if status.get(name, "").isdigit()}
        growth = {name: value - self._last.get(name, value) for name, value in now.items()}
        self._last = now
        self._most = {name: max(grew, self._most.get(name, 0)) for name, grew in growth.items()}
        return sorted(name for name, grew in growth.items() if grew > FEW * self._most[name])

    def end(self) -> List[str]:
        """Nothing has to be put back."""
        self._beats.rest = False
        self._client.close()
        return []

    @property
    def text(self) -> str:
        return ", ".join(self.unpaid)
