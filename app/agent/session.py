"""One session: a contender taken once through the sequence, from an empty directory to its last event."""

from __future__ import annotations

import contextlib
import os
import time
from typing import Any, Dict, Optional

from app.engines import engine_of
from app.protocol.events import Mark, SessionEnded, SessionStarted, StepEnded, StepStarted
from app.protocol.machine_checks import BUSY_START
from app.protocol.plan import LIMIT, PREPARING, QUERYING, Contender, Plan, Step, Turn
from app.protocol.sysbench import seed_of
from app.protocol.waits import PRESET

from .load.conductor import Conductor
from .load.generator import write_lua
from .sampling.counters import Counters, read_status, status_deltas
from .sampling.figures import figure_of
from .sampling.host import HostSampler
from .sampling.locks import STATUS, RowLocks
from .sampling.sampler import Sampler
from .sampling.sizes import sizes
from .sampling.statements import Statements
from .sampling.thread_states import ThreadSampler
from .sampling.waits import Waits
from .server.connection_limits import raise_file_limit
from .server.debt import is_indebted, read_debt
from .server.mysql import QueryError
from .server.program import find_sysbench
from .server.server import Server
from .steps.analyse import Analysing
from .steps.baton import Place, Position
from .steps.before_session import run_canary, wait_until_quiet
from .steps.drive_step import DriveStep
from .steps.engine_limits import Lacking
from .steps.facts import Facts
from .steps.from_snapshot import FromSnapshot
from .steps.limit_step import LimitStep
from .steps.repeating import Repeating
from .steps.running import Running, hooks_of
from .steps.settle_step import pause, run_restart, run_settle
from .steps.step_settings import StepSettings
from .survey.builds import build_of
from .system.control import ASKED_FOR, Control, StopRequested
from .system.directory import OF_SESSION, Directory
from .system.errors import AgentError
from .system.journal import DiskFullError, Journal
from .system.other_agents import agents_elsewhere

NO_NAMES = (
    "waits and statements have no names: the Performance Schema is off."
    " Instruments `waits` in the plan turn it on"
)
STOP_S = 60  # for a clean shutdown at the end, before it is killed


class SessionError(Exception):
    """The session cannot go on; its text is the reason it ends with."""


class Session(Running):
    """Takes its contender through the sequence."""

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
        super().__init__(plan, turn, directory, journal, control, place, conductor)
        place.attach(hooks_of(self))
        self.facts = Facts(self)
        self.step_settings = StepSettings(self)
        self.analysing = Analysing(self, self.facts)
        self.lacking = Lacking(self)
        self.repeating = Repeating(self, self.facts)
        self.snapshot = FromSnapshot(self, self.facts, self.step_settings, self.open)

    # the whole

    def run(self, agent: str) -> str:
        """Take the contender through the sequence; the answer is the outcome."""
        self.agent = agent
        self.control.begin_session()
        self.journal.begin()
        outcome, reason = "failed", ""
        try:
            self.journal.write(SessionStarted, agent=agent, pid=os.getpid())
            outcome, reason = self._measure()
        except StopRequested:
            outcome, reason = "stopped", ASKED_FOR
        except (SessionError, AgentError, QueryError) as error:
            reason = str(error)
        except DiskFullError:
            reason = "the disk with {} is full: free some space there".format(self.path)
            if self.server is not None:
                self.server.kill()  # it would wait for room
        finally:
            self._take_down()
        self._write_last(outcome, reason)
        self.journal.close()
        return outcome

    def _write_last(self, outcome: str, reason: str) -> None:
        """Write the end of an unfinished step, then of the session; both have reserved room."""
        if self.open_step >= 0:
            with contextlib.suppress(DiskFullError):
                self.journal.write(StepEnded, step=self.open_step, outcome=outcome, reason=reason)
        with contextlib.suppress(DiskFullError):
            self.journal.write(SessionEnded, outcome=outcome, reason=reason, events=self.journal.seq + 1)

    def _measure(self) -> Any:
        for other in agents_elsewhere(self.directory) if self.plan.allow_busy else ():
            self.journal.log(BUSY_START + str(other))
        pause(self, -1, time.monotonic() + self.plan.pause)
        if self.plan.quiet_wait and not self.control.ends_session:
            wait_until_quiet(self)
        if self.plan.canary and not self.control.ends_session:
            run_canary(self, self.facts, self._server_of)
        if not self.control.ends_session:
            self._serve()
        for index, step in enumerate(self.plan.steps):
            if self.control.ends_session:
                return "stopped", ASKED_FOR
            if not self.snapshot.spares(index):
                self._run_step(index, step)
        if self.control.interrupts:
            return "stopped", ASKED_FOR
        self.facts.write_ended()
        return "completed", ""

    def _serve(self) -> None:
        if not find_sysbench():
            raise SessionError("sysbench is not installed: install sysbench 1.0.20 or newer")
        clients = self.plan.most_clients
        self.facts.write_machine()
        self.facts.write_limits({"clients": clients, "open_files": raise_file_limit(clients)})
        write_lua(self.at("lua"), self.plan.files)
        plan = self.plan
        reached = (
            (self.conductor.address, self.conductor.port_of_server(self.turn.contender))
            if self.conductor
            else ()
        )
        self.server = self._server_of(self.contender, plan.transport, clients, plan.instruments, *reached)
        if not self.snapshot.is_found():
            self.server.prepare(self.wait)
            self.open()

    def _server_of(
        self,
        contender: Contender,
        transport: str = "socket",
        clients: int = 1,
        instruments: str = PRESET,
        address: str = "",
        port: int = 0,
    ) -> Server:
        """A server for a contender, in the directory of this session."""
        build = build_of(contender, self.directory)
        how = (transport, clients, instruments, address, port)
        return Server(vars(contender), self.path, build.options, build.environment, *how)

    def open(self) -> None:
        """Start the server on its data, and prepare the sampling."""
        self._start_server()
        self.host = HostSampler(self._pids, self.path, self.agent)
        self.host.others.without = self.place.pids
        client, engine = self.server.client, self.contender.engine
        waits = Waits(client, engine)
        counters = Counters(client, engine, [*waits.status_names, *STATUS])
        self.threads = ThreadSampler(
            lambda: self.server.pid, client.query, self.journal.log, client.connect_another
        )
        statements = Statements(client, waits.is_on)
        self.sampler = Sampler(
            self.journal, self.host, counters, waits, RowLocks(client), statements, self.threads
        )
        if not waits.is_on:
            self.journal.log(NO_NAMES, "info")
        self.facts.write_server()
        self.sampler.declare()

    def _start_server(self) -> float:
        try:
            return self.server.start(self.wait)
        except AgentError:
            self.error_log.write_last(self.server)
            raise

    def _pids(self) -> Dict[str, Optional[int]]:
        return {"server": self.server.pid, "sysbench": self.generator.pid if self.generator else None}

    # a step

    def _run_step(self, index: int, step: Step) -> None:
        self.place.pass_on(Position(index))
        self.control.begin_step(index)
        client = self.server.client
        problem = self.step_settings.bring_about(index, step)
        if step.kind in QUERYING:
            self.lacking.check_rows()
        self.facts.empty_binary_log()
        seed = seed_of(self.plan, self.turn.repeat, step) if step.lua else 0
        before = read_status(client)
        debt = read_debt(client, self.contender.engine)
        self.open_step = index
        self.journal.write(StepStarted, step=index, seed=seed, after_crash=self.crashes > 0, debt=debt)
        if self.server.has_begun:  # else the step itself will start it, from a snapshot
            self.sampler.begin()
            self.sampler.waits.begin()
            self.write_accounting.begin_step(index, self.sampler.reading)
        ended: Dict[str, Any] = {"outcome": "failed", "reason": problem}
        if not problem:
            ended = self.repeating.run(index, step, lambda: self._run_kind(index, step, seed))
        self.step_settings.complete(ended, step)
        if step.kind in QUERYING and not step.writes and is_indebted(debt):
            ended["marks"] = [*ended.get("marks", ()), "indebted"]
        if step.kind in QUERYING:
            marks = [*ended.get("marks", ()), *self.analysing.marks, *self.lacking.marks]
            ended["marks"] = list(dict.fromkeys(marks))
        ended["debt"] = read_debt(client, self.contender.engine) if self.server.is_alive() else {}
        if "status" not in ended:
            ended["status"] = status_deltas(before, read_status(client))
        ended["sizes"] = sizes(self.server.data, self.at("tmp"))
        ended["rows"] = {**self.write_accounting.rows, "in_tables": self.write_accounting.rows_in_tables}
        ended["value"] = figure_of(step, ended, engine_of(self.contender.engine))
        self.journal.write(StepEnded, step=index, **ended)
        self.open_step = -1
        self._after_step(index, step, ended)

    def _run_kind(self, index: int, step: Step, seed: int) -> Dict[str, Any]:
        if step.kind == "settle":
            return run_settle(self, index, step)
        if self.snapshot.is_at(index):
            return self.snapshot.run(index)
        if step.kind == "restart":
            return run_restart(self, index)
        if step.kind == LIMIT:
            return LimitStep(self, self.facts, index, step, seed).run()
        return DriveStep(self, self.facts, index, step, seed).run()

    def _after_step(self, index: int, step: Step, ended: Dict[str, Any]) -> None:
        self.check_room()
        if step.kind == "settle":
            self.snapshot.unsettled = ended["reason"]
        self._see_to_server(index)
        if step.kind in PREPARING and not self.lacking.goes_on(step, ended):
            raise SessionError("{} {}: {}".format(step.name, ended["outcome"], ended["reason"]))
        if step.analyse and not self.control.ends_session:
            self.analysing.run(step, index)
            self._see_to_server(index)
        self.facts.write_after(index, step)

    def _see_to_server(self, index: int) -> None:
        if self.server.has_begun and not self.server.is_alive():
            self._recover(index)

    def _recover(self, index: int) -> None:
        """Restart a server that died; its second death ends the session."""
        how, why = self.server.exit_text(), self.server.last_error()
        self.crashes += 1
        self.journal.write(Mark, name="crash", step=index, text="the server crashed {}: {}".format(how, why))
        self.error_log.write_last(self.server)
        if self.crashes > 1:
            raise SessionError("the server crashed again {}: {}".format(how, why))
        seconds = self._start_server()
        self.step_settings.forget()
        self.journal.write(Mark, name="recovered", step=index, value=round(seconds, 3))

    # the end

    def _take_down(self) -> None:
        """Generator, server, data and private directory go, whatever happened."""
        if self.generator is not None:
            self.generator.stop()
        if self.server is not None:
            self._end_server()
        if self.host is not None:
            self.host.close()
        self._remove_data()

    def _end_server(self) -> None:
        """Shut the server down; kill it if a person waits for the end of the session."""
        if self.control.interrupts == "stopped":
            self.server.kill()
        else:
            self.step_settings.put_back()
            self.server.forget_dirty_pages()
            self.server.stop(STOP_S)
        self.server.clean()

    def _remove_data(self) -> None:
        for part in OF_SESSION:
            self.directory.discard(self.at(part))
        self.directory.empty_trash()
