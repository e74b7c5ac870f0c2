"""Which threads serve the clients of a step, where the server does not name the thread of a connection.

So it is with MySQL 5.5 and 5.6, and later ones without the Performance Schema. A client gets a new thread, or
one that waits in the thread cache and looks like any background thread. So before the clients of a step
connect, Dyno takes all cached threads by connections of its own, and keeps them until the step ends: then
every new thread serves a client.
"""

from __future__ import annotations

import contextlib
import os
import time
from typing import Callable, List, Set

from app.engines.query import Query, QueryError
from app.engines.server import CONNECTION_LIMIT, CONNECTION_THREADS

Close = Callable[[], None]
CALM_S, LIMIT_S = (
    0.005,
    1.0,
)  # between two looks whether the last step's clients are gone, and for all of them
SPARE = 4  # connections that are left to others
TRIES = 3  # to find an empty thread cache


class UnnamedClientThreads:
    """Made when no client is connected but Dyno."""

    def __init__(self, folder: str, query: Query, connect: Callable[[], Close], own: int = 1) -> None:
        self._folder = folder
        self._query = query
        self._connect = connect
        self._own = own  # connections of Dyno that stay
        self._taken: List[Close] = []
        self._before: Set[int] = set()
        self.background = threads_in(folder)

    def begin_step(self, wanted: int) -> None:
        """Call before the clients of the step connect."""
        self.end_step()
        with contextlib.suppress(QueryError):
            self._await_calm()
            for _ in range(TRIES):
                if not self._take_cached(wanted):
                    break
        self._before = threads_in(self._folder)

    def _await_calm(self) -> None:
        """Wait until the threads of the last step's clients are in the cache, or gone."""
        end, before = time.monotonic() + LIMIT_S, (0, 0)
        while (now := self._connected_and_cached()) != before and time.monotonic() < end:
            before = now
            time.sleep(CALM_S)

    def _take_cached(self, wanted: int) -> bool:
        """Take the cached threads, if so many connections are allowed; False if there are none."""
        connected, cached = self._connected_and_cached()
        room = int(self._query(CONNECTION_LIMIT)[0]["connections"]) - connected - wanted - SPARE
        self._taken += [self._connect() for _ in range(cached if cached <= room else 0)]
        return 0 < cached <= room

    def find(self, there: Set[int], wanted: int) -> Set[int]:
        """The threads of the clients; none as long as they have not all connected."""
        with contextlib.suppress(QueryError):
            if self._connected_and_cached()[0] == self._own + self.taken + wanted:
                return there - self._before
        return set()

    @property
    def taken(self) -> int:
        return len(self._taken)

    def end_step(self) -> None:
        while self._taken:
            self._taken.pop()()

    def _connected_and_cached(self) -> tuple[int, int]:
        found = {
            str(row["variable_name"]).lower(): int(row["value"]) for row in self._query(CONNECTION_THREADS)
        }
        return found.get("threads_connected", 0), found.get("threads_cached", 0)


def threads_in(folder: str) -> Set[int]:
    return {int(name) for name in os.listdir(folder)}
