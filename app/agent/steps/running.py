"""A session as its steps share it; its server stops while another session works."""

from __future__ import annotations

import contextlib
import os
import re
import time
from dataclasses import replace
from functools import cached_property, partial
from types import MappingProxyType
from typing import Dict, List, Mapping, Optional, Set

from app.agent.existing.meter import round_trip_ms
from app.agent.existing.server import LOOK_S, ExistingServer
from app.agent.load.conductor import ConnectedLoadTargets
from app.agent.load.generators import Driving
from app.agent.sampling.counters import ServerCounterSampler, await_last_client
from app.agent.sampling.disturbance import DisturbanceLimits, others_between
from app.agent.sampling.host import HostSampler
from app.agent.sampling.locks import STATUS, RowLockPairs
from app.agent.sampling.reading import LOADS, Reading
from app.agent.sampling.sampler import LAG, ROUND_TRIP, Further, SessionSampler
from app.agent.sampling.sizes import sizes
from app.agent.sampling.statements import Statements
from app.agent.sampling.thread_states import ThreadSampler
from app.agent.sampling.waits import WaitSampler
from app.agent.sampling.write_accounting import WriteAccounting
from app.agent.server.mysql import Client
from app.agent.server.server import Server
from app.agent.system.control import ControlRequests, StopRequested
from app.agent.system.directory import MarkedDirectory
from app.agent.system.errors import AgentError
from app.agent.system.journal import DiskFullError, Journal
from app.agent.system.loop_disk import LoopDisk
from app.protocol.events import Fact
from app.protocol.others import Others
from app.protocol.plan import Plan, PlannedSession
from app.protocol.series import SeriesDeclaration, role_series_name

from .baton import BREATH_S, SessionTurn, TurnHooks
from .read_view import HeldReadView

ROOM = 16 << 20  # bytes of free space below which a session cannot go on


class BegunSession:
    """A session from its first moment on, whether it has a server yet or not."""

    def __init__(
        self,
        plan: Plan,
        turn: PlannedSession,
        directory: MarkedDirectory,
        journal: Journal,
        control: ControlRequests,
        place: SessionTurn,
        agent: str,
        conductor: Optional[ConnectedLoadTargets] = None,
        passwords: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self.plan = plan
        self.turn = turn
        self.contender = plan.contender_of(turn)
        self.directory = directory
        self.path = directory.session(turn.session)
        self.journal = journal
        self.control = control
        self.place = place  # in its round
        self.agent = agent  # the hash of the agent file
        self.conductor = conductor  # of load targets; None: the load comes from here
        self.passwords = passwords  # of servers that run already, by contender
        self.loop_disk = LoopDisk(self.path) if plan.on_loop else None  # that the data lie on

    def at(self, name: str) -> str:
        return os.path.join(self.path, name)

    def look(self, index: int) -> None:
        """Look for requests of people."""
        self.control.look(self.journal, index)


class RunningSession(BegunSession):
    """A session with its server. What samples it is made at its first use, when the server has started."""

    def __init__(self, begun: BegunSession, server: Server, whose: str = "") -> None:
        super().__init__(
            begun.plan,
            begun.turn,
            begun.directory,
            begun.journal,
            begun.control,
            begun.place,
            begun.agent,
            begun.conductor,
            begun.passwords,
        )
        self.server = server
        self.error_log = ErrorLogCopier(begun.journal, whose)
        self.write_accounting = WriteAccounting(begun.plan)
        self.generator: Optional[Driving] = None  # while a step drives
        self.crashes = 0
        self.open_step = -1
        # False: the latest ANALYZE TABLE failed, or its row estimate is far off
        self.has_statistics = True
        self._opened = contextlib.ExitStack()
        self._reached = 1  # servers behind the address of one that runs already

    @cached_property
    def host(self) -> HostSampler:
        host = HostSampler(self._pids, self.path, self.agent)
        self._opened.callback(host.close)
        host.others.without = self.place.pids
        return host

    @cached_property
    def threads(self) -> ThreadSampler:
        client, server = self.server.client, self.server
        of_client = (client.query, self.journal.log, client.connect_another)
        return ThreadSampler(lambda: server.pid, *of_client, lambda: server.own_connections)

    @cached_property
    def sampler(self) -> SessionSampler:
        client, engine, host = self.server.client, self.contender.engine, self.host
        if isinstance(self.server, ExistingServer) and self.server.is_elsewhere:
            host.only_drives()
        waits = WaitSampler(client, engine)
        more = [*waits.status_names, *STATUS, *["questions"] * self.contender.is_existing]
        counters = ServerCounterSampler(client, engine, more)
        threads, statements = self.threads, Statements(client, waits.is_on)
        roles = list(dict.fromkeys(step.role for step in self.plan.steps if step.role))
        kinds = list(dict.fromkeys(step.series_key for step in self.plan.steps if step.event_kind))
        figure_kinds = {at: step.figure_key for at, step in enumerate(self.plan.steps) if step.figure_kind}
        of_load = (roles, kinds, figure_kinds)
        locks = RowLockPairs(client)
        of_session = (waits, locks, statements, threads)
        made = SessionSampler(self.journal, host, counters, *of_session, *of_load, further=self._further())
        if isinstance(self.server, ExistingServer):
            made.expects_silence = partial(_is_left_out, self.server)
        return made

    def _further(self) -> List[Further]:
        """Series of a server that runs already: the round trip, then the lag of each of its replicas."""
        server = self.server
        if not isinstance(server, ExistingServer):
            return []
        lags = [(each.server.name, each.now_ms) for each in server.lags]
        return [
            (ROUND_TRIP, partial(round_trip_ms, server.client, 1)),
            *((_lag_series(name), now_ms) for name, now_ms in lags),
        ]

    @property
    def only_drives(self) -> bool:
        """Whether the server of the step is on another machine than this one."""
        return self.contender.is_existing and not self.server.pid

    def turn_to_server_of(self, index: int) -> None:
        """The server shows that which carries out a step: of roles that of the figure."""
        self.server.turn_to(*self.plan.together(index))

    def await_replicas(self) -> None:
        """Until those of the step have what their primary has, or a person skips it."""
        if isinstance(self.server, ExistingServer):
            for _ in self.server.catching_up():
                self.wait(LOOK_S)
                if self.control.interrupts:
                    return

    @cached_property
    def read_view(self) -> HeldReadView:
        held = HeldReadView(Client(self.server.socket, read_s=None), self.contender.engine)
        self._opened.callback(held.close)
        return held

    def close(self) -> None:
        """End the sampling, if it has begun, and the read view."""
        self._opened.close()

    def _pids(self) -> Dict[str, Optional[int]]:
        loads = dict(zip(LOADS, self.generator.pids)) if self.generator else {}
        return {"server": self.server.pid or None, **loads}

    def await_last_client(self) -> None:
        """Wait until only Dyno is connected, where nobody else can be."""
        if not self.contender.is_existing:
            await_last_client(self.server.client, self.threads.connections)

    def sizes(self) -> Dict[str, int]:
        """Bytes of the data by part; of a server that runs already only what it tells of its tables."""
        if isinstance(self.server, ExistingServer):
            return self.server.table_bytes()
        return sizes(self.server.data, self.at("tmp"))

    def lua(self, name: str) -> str:
        return os.path.join(self.at("lua"), os.path.basename(name))

    def look(self, index: int) -> None:
        """Look for requests of people, lines of the error log, and room on the disk."""
        super().look(index)
        self.error_log.write_new(self.server)
        if isinstance(self.server, ExistingServer):
            self._look_what_is_reached(self.server)
        self.check_room()

    def _look_what_is_reached(self, server: ExistingServer) -> None:
        """Say it once if that is more than one server; the fact has all of them."""
        server.relay.take_problems()
        found = server.relay.servers
        if len(found) > self._reached:
            if self._reached == 1:
                self.journal.log(server.several)
            self.journal.write_fact(Fact, list(found), name="servers_reached", when="")
            self._reached = len(found)

    def others_between(self, first: Reading, last: Reading) -> Others:
        """The load of others between two readings; logs it if it was above a limit."""
        swaps, only_drives = bool(self.contender.memory_limit), self.only_drives
        allowed = DisturbanceLimits.of(self.plan, swaps, only_drives)
        found = others_between(first, last, self.host.others, allowed)
        if found.causes:
            self.journal.log("disturbed: {}".format("; ".join(found.texts)))
        return found

    def wait(self, seconds: float) -> None:
        """Wait while a server starts or ends; a request to stop the session kills it."""
        time.sleep(seconds)
        self.look(self.open_step)
        if self.control.interrupts == "stopped":
            self.server.kill()
            raise StopRequested

    def check_room(self, more: int = 0) -> None:
        found = os.statvfs(self.path)
        if found.f_bavail * found.f_frsize < ROOM + more:
            raise DiskFullError(self.path)
        if self.loop_disk is not None and self.loop_disk.has_less_than(ROOM):
            text = "the file system of {:,} MiB that the data lie on is full: choose fewer rows or seconds"
            raise AgentError(text.format(self.plan.loop_bytes >> 20))


def _is_left_out(server: ExistingServer) -> bool:
    return bool(server.left_out)


def turn_hooks(running: RunningSession) -> TurnHooks:
    """What a session does when its turn ends and when it comes back."""
    return TurnHooks(
        lambda: _leave(running),
        lambda: _come_back(running),
        lambda: _breathe(running.server),
        lambda: _pids(running),
    )


def _leave(running: RunningSession) -> None:
    running.threads.pause()
    if running.server.has_begun:
        running.host.leave(running.server.halt)


def _come_back(running: RunningSession) -> None:
    running.server.go_on()
    if running.server.has_begun:
        running.host.come_back()
        running.threads.resume()


def _breathe(server: Server) -> None:
    server.go_on()
    time.sleep(BREATH_S)
    server.halt()


def _pids(running: RunningSession) -> Set[int]:
    """Process ids of its server and its load."""
    server, generator = running.server, running.generator
    found = {server.pid} if server.has_begun and server.pid else set()
    return found | (set(generator.pids) if generator is not None else set())


def _lag_series(replica: str) -> SeriesDeclaration:
    return replace(LAG, name=role_series_name(LAG.name, replica), label="{} {}".format(LAG.label, replica))


# copies errors and warnings from the error log to the journal


_LOOSE = re.compile(r"unknown (?:variable|option) '-*loose[-_]")  # which a preset lets be ignored
LOGGED = 300  # lines of the error log kept in a journal


class ErrorLogCopier:
    """Copies the lines of one error log, each once."""

    def __init__(self, journal: Journal, whose: str = "") -> None:
        self._journal = journal
        self._whose = whose  # before each line; '' for the server of the contender
        self._read = 0  # bytes of the error log
        self._logged = 0

    def write_last(self, server: Server) -> None:
        """Copy the last lines of any level: the server did not start, or is gone."""
        for line in server.log_lines()[-30:]:
            self._write(line)

    def write_new(self, server: Server) -> None:
        """Copy errors and warnings since the last call."""
        path = server.error_log
        size = os.stat(path).st_size if os.path.exists(path) else 0
        if size <= self._read or self._logged >= LOGGED:
            return
        for line in self._new_lines(path):
            if _level(line) != "info" and self._logged < LOGGED:
                self._logged += 1
                self._write(line)

    def _write(self, line: str) -> None:
        self._journal.log(self._whose + line, _level(line), "server")

    def _new_lines(self, path: str) -> List[str]:
        with open(path, "rb") as file:
            file.seek(self._read)
            whole = file.read(1 << 18).rpartition(b"\n")[0]
        self._read += len(whole) + 1 if whole else 0
        return whole.decode(errors="replace").splitlines()


def _level(line: str) -> str:
    if "[ERROR]" in line:
        return "error"
    return "warning" if "[Warning]" in line and not _LOOSE.search(line) else "info"
