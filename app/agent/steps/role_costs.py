"""CPU and switches of each role of a step: those of the server's threads that serve its connections."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, NamedTuple, Optional

from app.agent.sampling.proc_files import parse_switches, read_file
from app.agent.sampling.sampler import summed_query_count
from app.agent.sampling.thread_files import parse_schedstat
from app.engines.query import QueryError
from app.engines.server import supported_thread_sources, thread_pool, threads_of_connections

if TYPE_CHECKING:
    from app.agent.server.server import Server

_OF_THE_WHOLE_SERVER: Dict[str, Optional[float]] = dict.fromkeys(("cpu_user_us", "cpu_system_us"))
UNNAMED = "the server names no threads of connections: CPU and switches are those of all roles together"


class ThreadUse(NamedTuple):
    """What threads have used so far."""

    cpu_us: float = 0.0
    voluntary_switches: float = 0.0
    involuntary_switches: float = 0.0


class RoleCosts:
    """Reads the threads of each role at its begin and each second, as they end with their clients."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._threads: Dict[str, List[int]] = {}  # by role
        self._first: Dict[str, ThreadUse] = {}
        self._last: Dict[str, ThreadUse] = {}
        self._queries: Dict[str, int] = {}  # of each role so far
        self._seen: Dict[str, int] = {}  # the same at the latest reading

    def begin(self, connections: Mapping[str, List[int]]) -> bool:
        """All clients are there and wait; False if the server does not tell which threads are theirs."""
        query, threads = self._server.client.query, {}
        with contextlib.suppress(QueryError):
            if not thread_pool(query):
                threads = threads_of_connections(query, supported_thread_sources(query))
        if all(each in threads for ids in connections.values() for each in ids):
            self._threads = {role: [threads[each] for each in ids] for role, ids in connections.items()}
        self._first = self._read()
        return bool(self._first)

    def begin_measured(self) -> None:
        """The warm-up is over: count anew."""
        self._first, self._queries = self._read(), {}

    def look(self, lines: Mapping[str, Mapping[str, Any]]) -> None:
        """A second of these roles is over."""
        found = self._read() if lines else {}
        for role, line in lines.items():
            self._queries[role] = self._queries.get(role, 0) + summed_query_count(line)
            if role in found:
                self._last[role], self._seen[role] = found[role], self._queries[role]

    def _read(self) -> Dict[str, ThreadUse]:
        found = {}
        for role, threads in self._threads.items():
            with contextlib.suppress(OSError, KeyError, IndexError):  # a client has left
                found[role] = _sum([_use(self._server.pid, each) for each in threads])
        return found

    def spent(self, role: str, queries: int) -> Dict[str, Optional[float]]:
        """What its threads used for all of its queries, named like the costs per query; {} if not read."""
        first, last, seen = self._first.get(role), self._last.get(role), self._seen.get(role, 0)
        if first is None or last is None or not seen:
            return {}
        part = queries / seen
        used = {name: (now - then) * part for name, then, now in zip(ThreadUse._fields, first, last)}
        return {**_OF_THE_WHOLE_SERVER, **used}


def _use(pid: Optional[int], thread: int) -> ThreadUse:
    folder = "/proc/{}/task/{}/".format(pid, thread)
    running_s, _ = parse_schedstat(read_file(folder + "schedstat"))
    return ThreadUse(running_s * 1e6, *map(float, parse_switches(read_file(folder + "status"))))


def _sum(parts: List[ThreadUse]) -> ThreadUse:
    return ThreadUse(*map(sum, zip(*parts)))
