"""The objects of a running session that its steps share; its server stops while another session works."""

from __future__ import annotations

import os
import time
from typing import Optional, Set

from app.agent.load.conductor import Conductor
from app.agent.load.generators import Driving
from app.agent.sampling.disturbance import Allowed, others_between
from app.agent.sampling.host import HostSampler
from app.agent.sampling.reading import Reading
from app.agent.sampling.sampler import Sampler
from app.agent.sampling.thread_states import ThreadSampler
from app.agent.sampling.write_accounting import WriteAccounting
from app.agent.server.logged_errors import LoggedErrors
from app.agent.server.server import Server
from app.agent.system.control import Control, StopRequested
from app.agent.system.directory import Directory
from app.agent.system.journal import DiskFullError, Journal
from app.protocol.others import Others
from app.protocol.plan import Plan, Turn

from .baton import BREATH_S, Hooks, Place

ROOM = 16 << 20  # bytes of free space below which a session cannot go on
IDLE_S = 0.5  # for the disk to finish what the session has asked of it
LOOK_S = 0.01
QUIET_LOOKS = 3  # one after the other that find no request


class Running:
    """A running session."""

    def __init__(
        self,
        plan: Plan,
        turn: Turn,
        directory: Directory,
        journal: Journal,
        control: Control,
        place: Place,
        conductor: Optional[Conductor] = None,
    ) -> None:
        self.place = place  # in its round
        self.conductor = conductor  # of load targets; None: the load comes from here
        self.plan = plan
        self.turn = turn
        self.contender = plan.contender_of(turn)
        self.directory = directory
        self.journal = journal
        self.control = control
        self.path = directory.session(turn.session)
        self.generator: Optional[Driving] = None
        self.crashes = 0
        self.write_accounting = WriteAccounting(plan)
        self.server: Server = None  # type: ignore[assignment]  # made by the session when it begins to serve
        self.sampler: Sampler = None  # type: ignore[assignment]
        self.host: HostSampler = None  # type: ignore[assignment]
        self.threads: ThreadSampler = None  # type: ignore[assignment]
        self.error_log = LoggedErrors(journal)
        self.open_step = -1
        self.agent = ""  # the hash of the agent file

    def at(self, name: str) -> str:
        return os.path.join(self.path, name)

    def lua(self, name: str) -> str:
        return os.path.join(self.at("lua"), os.path.basename(name))

    def look(self, index: int) -> None:
        """Look for requests of people, lines of the error log, and room on the disk."""
        self.control.look(self.journal, index)
        if self.server is not None:
            self.error_log.write_new(self.server)
            self.check_room()

    def others_between(self, first: Reading, last: Reading) -> Others:
        """The load of others between two readings; logs it if it was above a limit."""
        allowed = Allowed.of(self.plan, swaps=bool(self.contender.memory_limit))
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


def hooks_of(session: Running) -> Hooks:
    """What a session does when its turn ends and when it comes back."""
    return Hooks(
        lambda: _leave(session),
        lambda: _come_back(session),
        lambda: _breathe(session),
        lambda: _pids(session),
    )


def _leave(session: Running) -> None:
    """Wait for the disk, whose work still belongs to this session; then stop its server."""
    if session.host is not None:
        _await_disk(session)
        session.host.leave()
    if session.server is not None:
        session.server.halt()


def _come_back(session: Running) -> None:
    if session.server is not None:
        session.server.go_on()
    if session.host is not None:
        session.host.come_back()


def _breathe(session: Running) -> None:
    if session.server is not None:
        session.server.go_on()
        time.sleep(BREATH_S)
        session.server.halt()


def _await_disk(session: Running) -> None:
    end, quiet = time.monotonic() + IDLE_S, 0
    while quiet < QUIET_LOOKS and time.monotonic() < end:
        quiet = quiet + 1 if session.host.is_disk_idle() else 0
        time.sleep(LOOK_S)


def _pids(session: Running) -> Set[int]:
    """Process ids of its server and its load."""
    server, generator = session.server, session.generator
    found = {server.pid} if server is not None and server.has_begun else set()
    return found | ({generator.pid} if generator is not None else set())
