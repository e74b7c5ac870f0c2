"""Which threads of a server serve clients, and what the others do, by their names.

MariaDB and the Performance Schema name the thread of each connection; `UnnamedClientThreads` finds those
that nobody names. Other threads have their names from the kernel (MySQL 8, MariaDB 11.8), or from the server.
"""

from __future__ import annotations

import contextlib
import os
from typing import Callable, Dict, List, Optional, Set

from app.engines import kind_of_thread
from app.engines.query import Query, QueryError
from app.engines.server import (
    OWN_THREAD,
    ThreadSource,
    committing_threads,
    supported_thread_sources,
    thread_names,
    thread_pool,
)
from app.protocol.thread_states import CLIENT, OTHER

from .proc_files import read_file
from .unnamed_clients import Close, UnnamedClientThreads, threads_in

CALM_S = 2.0  # clients that come and go all the time are looked at so often


class ThreadKinds:
    """The threads of one server process; made before the first client connects."""

    def __init__(
        self, pid: int, query: Query, connect: Callable[[], Close], own: Callable[[], Set[int]] = set
    ) -> None:
        self.folder = "/proc/{}/task".format(pid)
        self._query = query
        self._own = own  # connections of Dyno beside that which asks
        self._program = _name(self.folder, pid)  # which is the name of threads that have none
        self._names: Dict[int, str] = {}
        self._told: Dict[int, str] = {}
        self._sources: List[ThreadSource] = []
        self.pool = ""  # how threads serve connections, if it is not one each
        with contextlib.suppress(QueryError):
            self._sources, self.pool = supported_thread_sources(query), thread_pool(query)
        self._count = self._looked_at = 0  # links of the folder: threads and two more
        self._changed = 0.0
        self._ask()
        self._unnamed: Optional[UnnamedClientThreads] = None
        if not self._told and not self.pool:
            self._unnamed = UnnamedClientThreads(self.folder, query, connect)

    def has_changed(self, now: float) -> bool:
        """Whether more or fewer threads are there than at the latest look; waits until they stay."""
        count = os.stat(self.folder).st_nlink  # costs far less than a list
        is_calm, self._count = count == self._count, count
        if count == self._looked_at:
            self._changed = 0.0
            return False
        self._changed = self._changed or now
        return is_calm or now - self._changed > CALM_S

    def begin_step(self, wanted: int) -> None:
        """Call before the clients of the step connect."""
        self._looked_at = 0
        if self._unnamed:
            self._unnamed.begin_step(wanted)

    @property
    def connections(self) -> int:
        """How many Dyno has."""
        return 1 + (self._unnamed.taken if self._unnamed else 0)

    def end_step(self) -> None:
        if self._unnamed:
            self._unnamed.end_step()

    def look(self, wanted: int) -> Dict[str, List[int]]:
        """The threads now, by kind; `wanted`: how many clients there should be."""
        self._looked_at, self._changed = os.stat(self.folder).st_nlink, 0.0
        there = threads_in(self.folder)
        self._names = {tid: self._names.get(tid) or _name(self.folder, tid) for tid in there}
        self._ask()
        clients = self._clients(there, wanted)
        found: Dict[str, List[int]] = {CLIENT: sorted(clients)} if clients else {}
        for tid in sorted(there - clients):
            kind = self._kind(tid)
            if kind:
                found.setdefault(kind, []).append(tid)
        return found

    def committing(self) -> Set[int]:
        """The threads whose transactions end now, as far as the server tells."""
        with contextlib.suppress(QueryError):
            return committing_threads(self._query, self._sources)
        return set()

    def _clients(self, there: Set[int], wanted: int) -> Set[int]:
        if self.pool:
            return set()
        if self._unnamed:
            return self._unnamed.find(there, wanted + len(self._own()))
        return {tid for tid in there if self._told.get(tid) == CLIENT}

    def _kind(self, tid: int) -> str:
        """What a thread does that serves no client; '' if it is Dyno's own, or waits for a next client."""
        told = self._told.get(tid, "")
        name = told if self._names[tid] in (self._program, "") else self._names[tid]
        kind = kind_of_thread(name) if name else OTHER
        if kind == CLIENT or OWN_THREAD in (told, name):
            return ""
        return kind if name or not self._unnamed or tid in self._unnamed.background else ""

    def _ask(self) -> None:
        with contextlib.suppress(QueryError):
            self._told = thread_names(self._query, self._sources, self._own()) or self._told


def _name(folder: str, tid: int) -> str:
    """The name that the kernel has, up to 15 characters; '' of a thread that has ended."""
    try:
        return read_file("{}/{}/comm".format(folder, tid)).decode("utf-8", "replace").rstrip("\n")
    except OSError:
        return ""
