"""One process at a time: for work that two of them would do twice."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from .history import HistoryBusyError


@contextmanager
def hold_named_lock(directory: Path, name: str) -> Iterator[None]:
    """Hold a lock of this name; raises BusyError if another process holds it. It ends with its process."""
    path = directory / f"{name}.lock"
    with closing(sqlite3.connect(path, timeout=0, isolation_level=None)) as lock:
        try:
            lock.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError:
            raise HistoryBusyError(f"{path}: another process holds it, try again") from None
        yield
