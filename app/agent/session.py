"""One session: a contender taken once through the sequence, from an empty directory to its last event."""

from __future__ import annotations

import contextlib
import os
import time
from typing import Any, Dict, Optional

from app.engines import engine_of
from app.protocol.events import MomentEvent, SessionEnded, SessionStarted, StepEnded, StepStarted
from app.protocol.machine_checks import BUSY_START
from app.protocol.plan import COUNT, LIMIT, PREPARING, QUERYING, Contender, Step
from app.protocol.sysbench import seed_of
from app.protocol.waits import PRESET

from .existing.change import ServerChange
from .existing.server import ExistingServer
from .load.generator import write_lua
from .sampling.counters import read_status, status_deltas
from .sampling.figures import figure_of, with_marks_of_role
from .server.connection_limits import raise_file_limit
from .server.debt import is_indebted, read_debt
from .server.mysql import QueryError
from .server.program import find_sysbench
from .server.server import Server
from .steps.analyse import TableAnalysis
from .steps.baton import StepSlicePosition
from .steps.before_session import run_canary, wait_for_quiet_machine
from .steps.condition_check import ConditionCheck
from .steps.count_step import CountStep
from .steps.drive_step import DriveStep
from .steps.engine_limits import MissingFeaturePolicy
from .steps.facts import SessionFactsWriter, record_file_limits, record_loop_disk, record_machine_facts
from .steps.from_snapshot import SnapshotStarter
from .steps.limit_step import LimitStep
from .steps.operation_step import OperationStep
from .steps.repeating import StepRepeater
from .steps.running import BegunSession, RunningSession, turn_hooks
from .steps.settle_step import pause, run_restart, run_settle
from .steps.step_settings import StepSettingsChanges
from .survey.builds import build_of
from .system.control import StopRequested
from .system.directory import OF_SESSION
from .system.errors import AgentError
from .system.journal import DiskFullError
from .system.other_agents import agents_elsewhere

NO_NAMES = (
    "waits and statements have no names: the Performance Schema is off. The instruments *waits* turn it on"
)
NO_NAMES_OF_EXISTING = (
    "waits and statements have no names: the account may not read the Performance Schema, or it is off"
)
_IN_FORCE = "{}: the plan ends, as the change may be in force; dyno target clean calls the program again"
STOP_S = 60  # for a clean shutdown at the end, before it is killed


class SessionAbortedError(Exception):
    """The session cannot go on; its text is the reason it ends with."""


class SessionRunner:
    """Takes its contender through the sequence."""

    def __init__(self, begun: BegunSession) -> None:
        self._begun = begun
        self._steps: Optional[StepExecutor] = None  # from the moment on at which there is a server for them
        self._change = ServerChange(begun.path)

    def run(self) -> str:
        """Take the contender through the sequence; the answer is the outcome."""
        begun, journal = self._begun, self._begun.journal
        begun.control.begin_session()
        journal.begin()
        outcome, reason = "failed", ""
        try:
            journal.write(SessionStarted, agent=begun.agent, pid=os.getpid())
            outcome, reason = self._measure()
        except StopRequested:
            outcome, reason = "stopped", self._begun.control.why
        except (SessionAbortedError, AgentError, QueryError) as error:
            reason = str(error)
        except DiskFullError:
            reason = "the disk with {} is full: free some space there".format(begun.path)
            if self._steps is not None:
                self._steps.running.server.kill()  # it would wait for room
        finally:
            self._take_down()
        self._write_last(outcome, reason)
        journal.close()
        return outcome

    @property
    def is_disturbed(self) -> bool:
        """Whether others have disturbed a step that could not be repeated in place."""
        return self._steps is not None and self._steps.repeating.wants_session

    def _write_last(self, outcome: str, reason: str) -> None:
        """Write the end of an unfinished step, of all its roles, then of the session; room is reserved."""
        journal, step = self._begun.journal, self._steps.running.open_step if self._steps else -1
        for at in [step, *self._begun.plan.beside(step)] if step >= 0 else ():
            with contextlib.suppress(DiskFullError):
                journal.write(StepEnded, step=at, outcome=outcome, reason=reason)
        with contextlib.suppress(DiskFullError):
            journal.write(SessionEnded, outcome=outcome, reason=reason, events=journal.seq + 1)

    def _measure(self) -> Any:
        begun, plan, control = self._begun, self._begun.plan, self._begun.control
        for other in agents_elsewhere(begun.directory) if plan.allow_busy else ():
            begun.journal.log(BUSY_START + str(other))
        pause(begun, -1, time.monotonic() + plan.pause)
        if plan.quiet_wait and not control.ends_session:
            wait_for_quiet_machine(begun)
        if plan.canary_of(begun.contender) and not control.ends_session:
            run_canary(begun, self._server_of)
        if control.ends_session:
            return "stopped", control.why
        if begun.contender.change_by:
            self._change.make(begun.contender)
        self._steps = StepExecutor(RunningSession(begun, self._server()))
        return self._steps.run()

    def _server(self) -> Server:
        """The server of the contender, not yet started; what it needs is there."""
        begun, plan = self._begun, self._begun.plan
        if not find_sysbench():
            raise SessionAbortedError("sysbench is not installed: install sysbench 1.0.20 or newer")
        clients = plan.most_clients
        record_machine_facts(begun)
        record_file_limits(begun, {"clients": clients, "open_files": raise_file_limit(clients)})
        write_lua(begun.at("lua"), plan.files)
        if begun.loop_disk is not None:
            begun.loop_disk.make(plan.loop_bytes)
            record_loop_disk(begun)
        conductor = begun.conductor
        reached = (conductor.address, conductor.port_of_server(begun.turn.contender)) if conductor else ()
        return self._server_of(begun.contender, plan.transport, clients, plan.instruments, *reached)

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
        if contender.is_existing:
            return ExistingServer(contender, self._begun.path, self._begun.passwords, self._begun.plan)
        build = build_of(contender, self._begun.directory)
        how = (transport, clients, instruments, address, port)
        return Server(vars(contender), self._begun.path, build.options, build.environment, *how)

    def _take_down(self) -> None:
        """Generator, server, data and private directory go, whatever happened."""
        if self._steps is not None:
            self._steps.take_down()
        if self._begun.loop_disk is not None:
            self._begun.loop_disk.remove()
        for part in OF_SESSION:
            self._begun.directory.discard(self._begun.at(part))
        self._begun.directory.empty_trash()
        if self._change.is_recorded:
            self._unmake_change()

    def _unmake_change(self) -> None:
        """A plan ends where that fails: sessions of others would be measured with the change."""
        try:
            self._change.unmake()
        except AgentError as error:
            self._begun.journal.log(_IN_FORCE.format(error), "error")
            self._begun.control.end_plan("a change of the server could not be unmade")


class StepExecutor:
    """Carries out the steps of a session on its server."""

    def __init__(self, running: RunningSession) -> None:
        self.running = running
        self._plan, self._control, self._journal = running.plan, running.control, running.journal
        self._facts = SessionFactsWriter(running)
        self._settings = StepSettingsChanges(running)
        self._analysing = TableAnalysis(running, self._facts)
        self._lacking = MissingFeaturePolicy(running)
        self._conditions = ConditionCheck(running, self._facts)
        self.repeating = StepRepeater(running, self._facts)
        self._snapshot = SnapshotStarter(running, self._facts, self._settings, self.open)
        self._broken = ""  # what the server promised to keep and has lost
        running.place.attach(turn_hooks(running))

    def run(self) -> Any:
        """Carry them out, one after the other; returns outcome and reason."""
        if not self._snapshot.is_found():
            self.running.server.prepare(self.running.wait)
            self.open()
        for index, step in enumerate(self._plan.steps):
            if self._control.ends_session:
                return "stopped", self._control.why
            if not self._snapshot.spares(index) and not step.beside:
                self.carry_out(index, step)
        if self._control.interrupts:
            return "stopped", self._control.why
        self._facts.write_ended()
        self._ask(len(self._plan.steps) - 1, "ended", "the last step")
        return ("stopped", self._control.why) if self._control.ends_session else ("completed", "")

    def open(self) -> None:
        """Start the server on its data, and declare what is sampled."""
        self._start_server()
        self._say_what_is_missing(self.running.server, self.running.sampler.waits.is_on)
        self._facts.write_server()
        self.running.sampler.declare()

    def _say_what_is_missing(self, server: Server, has_names: bool) -> None:
        if not isinstance(server, ExistingServer):
            if not has_names:
                self._journal.log(NO_NAMES, "info")
            return
        self.running.look(-1)
        for text in server.notes:
            self._journal.log(text)
        if not has_names and not server.left_out:
            self._journal.log(NO_NAMES_OF_EXISTING, "info")

    def _start_server(self) -> float:
        try:
            return self.running.server.start(self.running.wait)
        except AgentError:
            self.running.error_log.write_last(self.running.server)
            raise

    # a step

    def carry_out(self, index: int, step: Step) -> None:
        running = self.running
        running.place.pass_on(StepSlicePosition(index))
        self._control.begin_step(index)
        client = running.server.client
        problem = self._settings.bring_about(index, step)
        if step.kind in QUERYING:
            self._lacking.check_rows()
        self._facts.empty_binary_log()
        running.turn_to_server_of(index)
        seed = seed_of(self._plan, running.turn.repeat, step) if step.lua else 0
        before = read_status(client)
        debt = read_debt(client, running.contender.engine)
        running.open_step = index
        self._journal.write(StepStarted, step=index, seed=seed, after_crash=running.crashes > 0, debt=debt)
        if running.server.has_begun:  # else the step itself will start it, from a snapshot
            running.sampler.begin()
            running.sampler.waits.begin()
            running.write_accounting.begin_step(index, running.sampler.reading)
        ended: Dict[str, Any] = {"outcome": "failed", "reason": problem}
        if not problem:
            ended = self.repeating.run(index, step, lambda: self._run_kind(index, step, seed))
        self._settings.complete(ended, step)
        if step.kind in QUERYING and not self._plan.writes(index) and is_indebted(debt):
            ended["marks"] = [*ended.get("marks", ()), "indebted"]
        if step.kind in QUERYING:
            marks = [*self._analysing.marks_with(ended.get("marks", ())), *self._lacking.marks]
            ended["marks"] = list(dict.fromkeys(marks))
        ended["marks"] = [*ended.get("marks", ()), *["checked"] * step.check]
        ended["debt"] = read_debt(client, running.contender.engine) if running.server.is_alive() else {}
        if "status" not in ended:
            ended["status"] = status_deltas(before, read_status(client))
        ended["sizes"] = running.sizes()
        accounted = running.write_accounting
        ended["rows"] = {**accounted.rows, "in_tables": accounted.rows_in_tables}
        ended["value"] = figure_of(step, ended, engine_of(running.contender.engine))
        self._conditions.note_end(step, ended, self._plan.writes(index))
        self._write_end(index, ended)
        running.open_step = -1
        self._after_step(index, step, ended)

    def _write_end(self, index: int, ended: Dict[str, Any]) -> None:
        """Write the end of the step, and of the roles and kinds of events beside it."""
        alike = {name: ended.get(name, "") for name in ("outcome", "reason")}
        beside, of_role = ended.pop("beside", {}), ended
        self._journal.write(StepEnded, step=index, **ended)
        for at in self._plan.beside(index):
            own = beside.get(at, alike)
            if self._plan.steps[at].event_kind:
                own = with_marks_of_role(own, of_role)
            else:
                of_role = own
            value = figure_of(
                self._plan.steps[at], {**ended, **own}, engine_of(self.running.contender.engine)
            )
            self._journal.write(StepEnded, step=at, **{**own, "value": value})

    def _run_kind(self, index: int, step: Step, seed: int) -> Dict[str, Any]:
        running = self.running
        if step.kind == "settle":
            return run_settle(running, index, step)
        if self._snapshot.is_at(index):
            return self._snapshot.run(index)
        if step.is_operation:
            return self._run_operation(index, step)
        if step.kind == "restart":
            return run_restart(running, index)
        if step.kind == LIMIT:
            return LimitStep(running, self._facts, index, step, seed).run()
        if step.kind == COUNT:
            return CountStep(running, self._facts, index, step, seed).run()
        return DriveStep(running, self._facts, index, step, seed).run()

    def _run_operation(self, index: int, step: Step) -> Dict[str, Any]:
        """A broken promise of the server fails its session, once the end of the step is written."""
        operation = OperationStep(self.running, self._facts, index, step)
        ended = operation.run()
        self._settings.forget()
        self._broken = operation.broken
        return ended

    def _after_step(self, index: int, step: Step, ended: Dict[str, Any]) -> None:
        self.running.check_room()
        if self._broken:
            raise SessionAbortedError("{}: {}".format(step.label, self._broken))
        if step.kind == "settle":
            self._snapshot.unsettled = ended["reason"]
        self._see_to_server(index)
        self.running.server.turn_to()
        if step.kind in PREPARING and not self._lacking.goes_on(step, ended):
            raise SessionAbortedError("{} {}: {}".format(step.name, ended["outcome"], ended["reason"]))
        if step.kind in PREPARING and isinstance(self.running.server, ExistingServer):
            self.running.server.schema.note_made()
        if step.analyse and not self._control.ends_session:
            self._analysing.run(step, index)
            self._see_to_server(index)
        self._facts.write_after(index, step)
        self._check_conditions(index, step)

    def _check_conditions(self, index: int, step: Step) -> None:
        """After a load Dyno restarts a server of its own, so that it has cached nothing for them."""
        if self._control.ends_session:
            return
        if self._plan.is_loaded_after(index):
            self._ask(index, "loaded", "the load")
            is_own = not self.running.contender.is_existing
            if is_own and self._plan.steps[index + 1].kind != "restart":
                restarted = run_restart(self.running, index)
                self._settings.forget()
                if restarted["reason"]:
                    self._journal.log("after the load: {}".format(restarted["reason"]), "error")
        elif step.check or self._plan.is_loaded_anew_after(index):
            self._ask(index, step.label, step.label)

    def _ask(self, index: int, when: str, after: str) -> None:
        """Ask the conditions of the loads so far; one that is violated ends the session."""
        conditions = self._plan.conditions_until(index)
        problem = self._conditions.run(index, conditions, when) if conditions else ""
        if problem:
            raise SessionAbortedError("after {}: {}".format(after, problem))

    def _see_to_server(self, index: int) -> None:
        server = self.running.server
        if server.has_begun and not server.is_alive():
            self._recover(index)

    def _recover(self, index: int) -> None:
        """Restart a server that died; its second death ends the session."""
        running = self.running
        why = running.server.end_text()
        if running.contender.is_existing:
            raise SessionAbortedError(why)
        running.crashes += 1
        self._journal.write(MomentEvent, name="crash", step=index, text=why)
        running.error_log.write_last(running.server)
        if running.crashes > 1:
            raise SessionAbortedError(why.replace("crashed", "crashed again", 1))
        seconds = self._start_server()
        self._settings.forget()
        self._journal.write(MomentEvent, name="recovered", step=index, value=round(seconds, 3))

    # the end

    def take_down(self) -> None:
        """End generator, server and sampling."""
        running = self.running
        if running.generator is not None:
            running.generator.stop()
        self._end_server(running.server)
        running.close()

    def _end_server(self, server: Server) -> None:
        """Shut the server down; kill it if a person waits for the end of the session."""
        if isinstance(server, ExistingServer):
            self._leave_schema(server)
        elif self._control.interrupts == "stopped" or self._plan.counts:
            server.kill()
        else:
            self._settings.put_back()
            server.forget_dirty_pages()
            server.stop(STOP_S)
        server.clean()

    def _leave_schema(self, server: ExistingServer) -> None:
        if not server.stop():
            text = "what Dyno made stays in the schema {0.schema} ({1}): clean the server {0.build}"
            with contextlib.suppress(DiskFullError):
                self._journal.log(text.format(self.running.contender, server.left), "error")
