"""The objects of a running session that its steps share."""

from __future__ import annotations

import os
import time
from typing import Optional, Union

from app.agent.load.conductor import Conductor
from app.agent.load.generator import Generator
from app.agent.load.generators import Generators
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

from .baton import Place

ROOM = 16 << 20  # bytes of free space below which a session cannot go on


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
        self.generator: Union[Generator, Generators, None] = None
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
