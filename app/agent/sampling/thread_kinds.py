"""Which threads of a server serve clients, and what the others do, by their names.

A thread has its name from the kernel (MySQL 8, MariaDB 11.8), else from the server, if that knows the thread
ids of the system. If neither names it, a thread that was not there when the server started serves a client.
"""

from __future__ import annotations

import contextlib
import os
from typing import Dict, List, Set

from app.engines import kind_of_thread
from app.engines.query import Query, QueryError
from app.engines.server import OWN_THREAD, ThreadSource, committing, thread_names, thread_sources
from app.protocol.thread_states import CLIENT, OTHER

from .proc_files import read_file
from .thread_files import parse_schedstat

CALM_S = 2.0  # clients that come and go all the time are looked at so often


class ThreadKinds:
    """The threads of one server process, from its start on."""

    def __init__(self, pid: int, query: Query) -> None:
        self.folder = "/proc/{}/task".format(pid)
        self._query = query
        self._first = self._there()  # background threads, and that of Dyno's connection
        self._program = _name(self.folder, pid)  # which is the name of threads that have none
        self._names: Dict[int, str] = {}
        self._told: Dict[int, str] = {}
        self._ran: Dict[int, float] = {}  # threads of earlier steps: the server may use them for new clients
        self._sources: List[ThreadSource] = []
        with contextlib.suppress(QueryError):
            self._sources = thread_sources(query)
        self._count = self._looked_at = 0  # links of the folder: threads and two more
        self._changed = 0.0
        self._ask()
        # it may serve others, if Dyno connects anew
        self._first -= {tid for tid, name in self._told.items() if name == OWN_THREAD}

    def has_changed(self, now: float) -> bool:
        """Whether more or fewer threads are there than at the latest look; waits until they stay."""
        count = os.stat(self.folder).st_nlink  # costs far less than a list
        is_calm, self._count = count == self._count, count
        if count == self._looked_at:
            self._changed = 0.0
            return False
        self._changed = self._changed or now
        return is_calm or now - self._changed > CALM_S

    def begin_step(self) -> None:
        """Call before the clients of the step connect."""
        self._looked_at = 0
        self._ask()  # Dyno's connection may be a new one, served by the thread of an earlier client
        self._told = {tid: name for tid, name in self._told.items() if name != CLIENT}
        self._ran = {tid: _ran(self.folder, tid) for tid in self._there() - self._first}

    def look(self) -> Dict[str, List[int]]:
        """The threads now, by kind."""
        self._looked_at, self._changed = os.stat(self.folder).st_nlink, 0.0
        there = self._there()
        self._names = {tid: self._names.get(tid) or _name(self.folder, tid) for tid in there}
        if any(self._is_unnamed(tid) and tid not in self._told for tid in there):
            self._ask()
        found: Dict[str, List[int]] = {}
        for tid in sorted(there):
            kind = self._kind(tid)
            if kind:
                found.setdefault(kind, []).append(tid)
        return found

    def committing(self) -> Set[int]:
        """The threads whose transactions end now, as far as the server tells."""
        with contextlib.suppress(QueryError):
            return committing(self._query, self._sources)
        return set()

    def _kind(self, tid: int) -> str:
        """'' for threads that do nothing in this step: Dyno's own one, those that wait for a next client."""
        told = self._told.get(tid, "")
        if told == OWN_THREAD:
            return ""
        name = told if self._is_unnamed(tid) else self._names[tid]
        kind = CLIENT if name == CLIENT else kind_of_thread(name) if name else OTHER
        may_serve = kind == CLIENT or (not name and not self._told)
        if not may_serve:
            return kind
        if told == CLIENT:  # also one of the first, that waited for a client
            return CLIENT
        if tid in self._first:
            return OTHER if not name else ""
        return CLIENT if self._is_at_work(tid) else ""

    def _is_unnamed(self, tid: int) -> bool:
        return self._names[tid] in (self._program, "")

    def _is_at_work(self, tid: int) -> bool:
        """Whether it ran in this step: to connect is enough."""
        return tid not in self._ran or _ran(self.folder, tid) > self._ran[tid]

    def _there(self) -> Set[int]:
        return {int(name) for name in os.listdir(self.folder)}

    def _ask(self) -> None:
        with contextlib.suppress(QueryError):
            self._told = thread_names(self._query, self._sources) or self._told


def _name(folder: str, tid: int) -> str:
    """The name that the kernel has, up to 15 characters; '' of a thread that has ended."""
    try:
        return read_file("{}/{}/comm".format(folder, tid)).decode("utf-8", "replace").rstrip("\n")
    except OSError:
        return ""


def _ran(folder: str, tid: int) -> float:
    try:
        return parse_schedstat(read_file("{}/{}/schedstat".format(folder, tid)))[0]
    except OSError:
        return 0.0
