"""What the threads of the server do while a step is driven, several times a second.

A thread that runs is counted by the scheduler, so samples only have to tell waits apart: a few are enough.
The agent's own thread looks, between two lines of sysbench: a server that is stopped is not looked at.
"""

from __future__ import annotations

import contextlib
import random
import time
from collections import defaultdict
from typing import Callable, Dict, Iterator, List, Optional, Set

from app.engines.query import Query
from app.protocol.series import SeriesDeclaration
from app.protocol.thread_states import (
    CLIENT,
    LOCK,
    STATES,
    ThreadStates,
    client_time_figure,
    state_share_series,
)

from .proc_files import read_file
from .thread_files import ThreadStateSource, parse_schedstat, thread_read_method
from .thread_group import SampledThreads, ThreadLookInterval
from .thread_kinds import ThreadKinds
from .thread_shares import Shares, StepThreadShares, ThreadKindTally
from .unnamed_clients import Close

CONNECT_S = 0.3  # from the start of sysbench until its clients are looked for
LEAST_S = 0.2  # of a second or slice that counts
LONGEST_SEARCH = 8  # doublings of the time between two searches for clients
RARER = 4  # background threads are looked at each fourth time
COMMIT_QUERY_S = 1.0  # between two questions which clients commit, on average
RELISTED_S = 10.0  # a client that connects anew may get another thread
ALMOST_ALL = 0.9  # of the time of a step, in which the threads of all clients have to be known
OF_DYNO = 10  # connections of its own that a step may have
CONNECT_ANEW = "the server counted {:,} connections more than there were clients, so no thread belongs to one"
_LABELS = {
    "running": "Clients' threads on a CPU",
    "runnable": "Clients' threads waiting for a CPU",
    "disk": "Clients' threads reading and writing files",
    "fsync": "Clients' threads in fsync",
    "commit": "Clients' threads waiting for a group commit",
    "lock": "Clients' threads waiting for a lock of unknown kind",
    "network": "Clients' threads waiting for the client",
    "asleep": "Clients' threads asleep",
    "unknown": "Clients' threads in an unknown state",
}
SERIES = [
    SeriesDeclaration(state_share_series(state), "%", "gauge", "", _LABELS[state], 1) for state in STATES
]
NOTHING: List[Optional[float]] = [None] * len(SERIES)


class ThreadSampler:
    """Looks at the threads of a server from `begin_step` to `end_step`."""

    def __init__(
        self,
        pid: Callable[[], int],
        query: Query,
        log: Callable[[str], None],
        connect: Callable[[], Close],  # to the server, without doing anything
        own: Callable[[], Set[int]] = set,  # connections of Dyno beside that which asks
    ) -> None:
        self._pid = pid
        self._query = query
        self._log = log
        self._connect = connect
        self._own = own
        self.pace = ThreadLookInterval()
        self._server: Optional[_Server] = None
        self._noted: Dict[str, bool] = {}
        self._is_on = False
        self._due = self._began = self._ask_at = 0.0
        self._before_s = 0.0  # of the second, before the server was stopped
        self._looks = 0
        self._second: Dict[str, ThreadKindTally] = defaultdict(ThreadKindTally)
        self._step: Dict[str, StepThreadShares] = defaultdict(StepThreadShares)
        self._known_s = self._unknown_s = 0.0  # with the threads of all clients, and without
        self._anew = 0  # connections of the step beside those that its clients keep
        self.meet()

    def meet(self) -> None:
        """Note the threads of a server that has just started: none of them serves a client of a step."""
        pid = self._pid()
        if not pid:  # of another machine
            if self._server is not None:
                self._server.close()
            self._server = None
        elif self._server is None or self._server.pid != pid:
            if self._server is not None:
                self._server.close()
            try:
                self._server = _Server(pid, self._query, self._connect, self._own)
            except (OSError, ValueError, IndexError) as error:
                self._server = None
                self._note("what the server's threads did is missing: {}".format(error))
            else:
                self._note(self._server.way.problem)

    def _note(self, problem: str) -> None:
        if problem and problem not in self._noted:
            self._noted[problem] = True
            self._log(problem)

    def begin_step(self, clients: int) -> None:
        """Call before the clients of a step connect."""
        self.meet()
        self._clear()
        if self._server is not None:
            self._is_on = True
            with self._while_it_lives():
                self._server.begin_step(clients)
            self.begin()

    def begin_part(self) -> None:
        """Count from here on: the measured part begins."""
        self._clear()
        self._ask_at = 0.0
        self.begin()

    def _clear(self) -> None:
        self._anew = 0
        self._step.clear()
        self._known_s = self._unknown_s = 0.0

    def begin(self) -> None:
        """A second or a slice begins here."""
        if self._is_on and self._server is not None:
            self._second.clear()
            self._before_s = 0.0
            self.resume()

    def pause(self) -> None:
        """The server stops in the middle of a second."""
        if self._is_on and self._server is not None:
            dt = time.monotonic() - self._began
            self._server.end(self._second, dt)
            self._before_s += dt

    def resume(self) -> None:
        if self._is_on and self._server is not None:
            self._began = time.monotonic()
            with self._while_it_lives():
                self._server.begin()

    @contextlib.contextmanager
    def _while_it_lives(self) -> Iterator[None]:
        """A server that has ended has no threads to look at any more."""
        try:
            yield
        except OSError:
            self._is_on = False

    def due_in(self, otherwise: float) -> float:
        """The seconds until `look` has something to do, at most `otherwise`; waiting for it costs CPU too."""
        self.pace.begin()
        return max(0.0, min(self._due - time.monotonic(), otherwise)) if self._is_on else otherwise

    def look(self) -> None:
        """Look at the threads, if it is time."""
        now = time.monotonic()
        if self._is_on and self._server is not None and now >= self._due:
            with self._while_it_lives():
                self._look(self._server, now)

    def _look(self, server: _Server, now: float) -> None:
        if server.is_to_be_listed(now):
            server.list(now, self.pace)
            self.begin()
            self.pace.begin()
        clients = server.clients.look(self._second)
        waiting = {tid for tid, state in clients.items() if state == LOCK}
        if waiting and now >= self._ask_at:
            server.ask(waiting, self._second[CLIENT])
            self._ask_at = now + COMMIT_QUERY_S * random.uniform(0.5, 1.5)
        if self._looks % RARER == 0:
            server.others.look(self._second)
        self._looks += 1
        self.pace.end_look()
        self._due = now + self.pace.pause_s()

    def end(self) -> List[Optional[float]]:
        """A second is over, the next one begins: the values of its series, in their order."""
        if not self._is_on or self._server is None:
            return NOTHING
        self.pace.begin()
        now_s = time.monotonic() - self._began
        dt = self._before_s + now_s
        if dt < LEAST_S:
            self.begin()
            return NOTHING
        self._server.end(self._second, now_s)
        if not self._step:  # the first second: all clients have connected
            self._server.search()
            self._due = 0.0
        found = self._take_second(self._server, dt)
        self.begin()
        self.pace.end_second(dt)
        return NOTHING if found is None else [100 * found[state] for state in STATES]

    def _take_second(self, server: _Server, dt: float) -> Optional[Shares]:
        """Add a second to the step; returns the shares of the clients, None if they are not all known."""
        if server.knows_clients:
            self._known_s += dt
        else:
            self._unknown_s += dt
            self._second.pop(CLIENT, None)
        shares = {
            kind: self._step[kind].take(tally, server.counts.get(kind, 0), dt)
            for kind, tally in self._second.items()
        }
        return shares.get(CLIENT)

    def end_step(self) -> None:
        self._is_on = False
        if self._server is not None:
            self._server.close()

    @property
    def connections(self) -> int:
        """How many Dyno has to the server."""
        return self._server.connections if self._server else 1

    # the figures of the step

    def connected(self, count: int) -> None:
        """How many connections the server counted since `begin_step`: one for each client, if they stay."""
        if self._server is not None:
            self._anew = count - self._server.wanted

    @property
    def _problem(self) -> str:
        """Why the time of the clients' threads is not known; '' if it is."""
        if self._server is None or self._known_s + self._unknown_s == 0:
            return ""
        if self._anew > max(self._server.wanted, OF_DYNO):
            return CONNECT_ANEW.format(self._anew)
        share = self._known_s / (self._known_s + self._unknown_s)
        return "" if share >= ALMOST_ALL else self._server.clients_text(share)

    def in_step(self) -> Optional[ThreadStates]:
        """Shares by kind and state; None where nothing was read."""
        problem = self._problem
        kinds = {name: step.kind() for name, step in sorted(self._step.items())}
        if problem:
            kinds.pop(CLIENT, None)
        known = {name: kind for name, kind in kinds.items() if kind is not None}
        return ThreadStates(known, problem) if known or problem else None

    def spent(self, seconds: float) -> Dict[str, Optional[float]]:
        """Time of client threads in the seconds of a step, named like the costs per query."""
        step = self._step.get(CLIENT)
        kind = step.kind() if step is not None and not self._problem else None
        if kind is None:
            return {}
        of_1_pct = kind.threads * seconds * 1e4  # microseconds
        return {client_time_figure(state): kind.pcts.get(state, 0.0) * of_1_pct for state in STATES}


class _Server:
    """The threads of one server process, in two groups: clients and all others."""

    def __init__(
        self, pid: int, query: Query, connect: Callable[[], Close], own: Callable[[], Set[int]]
    ) -> None:
        self.pid = pid
        self.way: ThreadStateSource = thread_read_method(pid)
        if not any(parse_schedstat(read_file("/proc/{0}/task/{0}/schedstat".format(pid)))):
            raise OSError("the kernel does not count the CPU time of threads")
        self._kinds = ThreadKinds(pid, query, connect, own)
        self.clients = SampledThreads(self._kinds.folder, self.way)
        self.others = SampledThreads(self._kinds.folder, self.way)
        self.counts: Dict[str, int] = {}  # threads, by kind
        self.wanted = 0  # clients of the step
        self._searches = 0  # that did not find all of them
        self._not_before = self._listed_at = 0.0

    def begin_step(self, clients: int) -> None:
        self._kinds.begin_step(clients)
        self.counts, self.wanted, self._searches = {}, clients, 0
        self._not_before = time.monotonic() + CONNECT_S

    @property
    def knows_clients(self) -> bool:
        """Whether as many client threads were found as there are clients."""
        return self.counts.get(CLIENT, 0) == self.wanted and not self._kinds.pool

    def clients_text(self, share: float) -> str:
        """Why their time is not known, if they were all found in this share of the step."""
        if self._kinds.pool:
            text = "the server serves its clients by {}, so no thread belongs to a client"
            return text.format(self._kinds.pool)
        text = "for {} clients {} threads were found, and the right number in {:.0f} % of the step"
        return text.format(self.wanted, self.counts.get(CLIENT, 0), 100 * share)

    def is_to_be_listed(self, now: float) -> bool:
        """Whether threads came or went, or clients are missing: they may use threads of earlier clients."""
        is_old = now > self._listed_at + RELISTED_S
        has_changed = self._kinds.has_changed(now) or is_old
        return now >= self._not_before and (has_changed or not self.knows_clients)

    def search(self) -> None:
        """Look for missing clients now, however long none were found."""
        self._searches, self._not_before = 0, 0.0

    def list(self, now: float, pace: ThreadLookInterval) -> None:
        pace.begin()
        found = self._kinds.look(self.wanted)
        self.counts = {kind: len(tids) for kind, tids in found.items()}
        self.clients.kinds = dict.fromkeys(found.pop(CLIENT, []), CLIENT)
        self.others.kinds = {tid: kind for kind, tids in found.items() for tid in tids}
        self._listed_at = now
        self._searches = 0 if self.knows_clients else self._searches + 1
        self._not_before = now + pace.end_listing() * 2 ** min(self._searches, LONGEST_SEARCH)

    def ask(self, waiting: Set[int], clients: ThreadKindTally) -> None:
        """Count the clients that wait for a lock, and those of them that wait for a group commit."""
        clients.asked += len(waiting)
        clients.commits += len(waiting & self._kinds.committing())

    def begin(self) -> None:
        self.clients.begin()
        self.others.begin()

    def end(self, tallies: Dict[str, ThreadKindTally], dt: float) -> None:
        self.clients.end(tallies, dt)
        self.others.end(tallies, dt)

    @property
    def connections(self) -> int:
        return self._kinds.connections

    def close(self) -> None:
        self._kinds.end_step()
        self.clients.close()
        self.others.close()
