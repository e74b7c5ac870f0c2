"""A step that the load generator carries out: load, index, warmup, drive, scan."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Sequence, Union

from app.agent.load.generator import Generator, driver_options, generator_login_options
from app.agent.load.generators import Driving, LoadTargetLogin, RemoteGenerators
from app.agent.load.roles import RoleGenerators
from app.agent.sampling.counters import read_status, status_deltas
from app.agent.sampling.figures import (
    achieved_rate,
    figures_of_total,
    marks_of,
    missed_rate_marks,
    missing_clients_reason,
    out_of_rows,
    totals_of,
)
from app.protocol.events import CLIENT_BOUND, LOPSIDED, TUNNELLED
from app.protocol.load_shares import DRIVEN
from app.protocol.others import DISTURBED
from app.protocol.step_parts import Totals
from app.protocol.sysbench import LOAD_WRAPPER, command, lua_environment, lua_wrapper_of, seed_of

from .counted import RunningStepMeter
from .pace import overdue_reason, step_load_pacing
from .role_results import RolesEnd
from .same_work import SameWork

if TYPE_CHECKING:
    from app.protocol.plan import Step

    from .facts import SessionFactsWriter
    from .running import RunningSession

DIAL_S = 30.0  # for a load target that has dropped out to come back
_NO_WORD = "no word from the load target{} {}: it is used again once it is back"
_BOTTLENECK = "the client is the bottleneck: all CPUs of the load target {} are busy"


class DriveStep:
    """One step by sysbench: starts it, lets its pace follow it, ends with figures."""

    def __init__(
        self, session: RunningSession, facts: SessionFactsWriter, index: int, step: Step, seed: int
    ) -> None:
        self._session = session
        self._facts = facts
        self._step = step
        self._seed = seed
        self._rows_before = session.write_accounting.rows_in_tables
        self._work = SameWork(session, facts, step)
        self._measuring = RunningStepMeter(session, index, step)
        self._pace = step_load_pacing(session, index, step, self._measuring)
        self._elsewhere = RemoteLoad(session, index, step, seed)
        self._roles = RolesEnd(session, facts, index, self._measuring.role_costs)
        self._status: Dict[str, str] = {}
        self._code = 0  # that sysbench ended with

    def run(self) -> Dict[str, Any]:
        """Run the step to its end; returns the fields of step_ended."""
        try:
            return self._elsewhere.missing() or self._run()
        finally:
            self._pace.close()

    def _run(self) -> Dict[str, Any]:
        session, measuring = self._session, self._measuring
        session.await_replicas()
        if session.control.interrupts:
            return {"outcome": session.control.interrupts, "reason": session.control.why}
        self._work.begin()
        measuring.prepare()
        # after the EXPLAINs of the work and the connections of `prepare`, which are no part of the step
        self._status = read_status(session.server.client)
        measuring.begin()
        with generator_login_options(session.server) as login:
            generator = session.generator = self._elsewhere.start() or self._start(login)
            try:
                interrupted = self._pace.follow(generator)
                if not interrupted:
                    self._code = generator.wait()
            finally:
                generator.stop()
                session.generator = None
                measuring.end()
        figures = self._figures(interrupted, generator)
        measuring.profile.discard()
        load = generator if isinstance(generator, RoleGenerators) else None
        return self._roles.complete(figures, load, measuring.counted.total)

    def _start(self, login: Sequence[str]) -> Union[Generator, RoleGenerators]:
        pace, roles = self._pace, self._roles.steps
        if not roles:
            return self._start_one(login, self._step, pace.options, pace.files)
        start = partial(self._start_one, login)
        return RoleGenerators(roles, start, self._step.cap_s, self._measuring.begin_roles)

    def _start_one(
        self, login: Sequence[str], step: Step, options: Sequence[str], files: Sequence[int]
    ) -> Generator:
        """Start one sysbench: of the step, or of a role of it."""
        server = self._session.server
        driver = [*driver_options(server.socket_of(step), server.loopback_port), *login]
        log = "sysbench.log" if step is self._step else "sysbench-{}.log".format(step.role)
        return start_sysbench(self._session, step, driver, options, files, log)

    def _figures(self, interrupted: str, generator: Driving) -> Dict[str, Any]:
        step, session, measuring = self._step, self._session, self._measuring
        counted, total = measuring.counted, measuring.counted.total
        if total is None:
            return self._without_total(interrupted, generator)
        status = status_deltas(self._status, read_status(session.server.client))
        totals = totals_of(total)
        events, queries, done = int(totals.events or 0), int(totals.queries or 0), totals.rows or {}
        seconds = float(total["time_s"])
        spent = measuring.spent(queries)
        session.threads.connected(int(status.get("connections", 0)))
        spent.update(session.threads.spent(seconds))
        spent.update(measuring.role_costs.spent(step.role, queries))
        others = measuring.others()
        existing, its_marks = measuring.existing(queries)
        if existing:
            self._facts.write_existing(step, existing)
        schedule = achieved_rate(step, counted.behind_s, events, seconds)
        outcome, reason = self._outcome(interrupted, generator)
        session.write_accounting.count_rows(done)
        session.write_accounting.count_rows(counted.warm_rows)
        if counted.statement:
            self._facts.write_explain(step, counted.statement)
        figures = {**session.sampler.engine_figures, **counted.statement_times.figures()}
        self._facts.write_engine_figures(step, figures)
        if measuring.profile.mark:
            self._facts.write_stacks(step, measuring.profile.stacks())
        return {
            "outcome": outcome,
            "reason": reason,
            **figures_of_total(step, total, spent, session.plan.tables * session.plan.rows),
            "marks": [
                *marks_of(totals, session.crashes > 0, step.threads),
                *([DISTURBED] if others.causes else []),
                *measuring.profile.marks,
                *out_of_rows(self._rows_before, session.write_accounting.rows_in_tables),
                *self._work.end(totals, spent, seconds),
                *missed_rate_marks(schedule, seconds),
                *self._elsewhere.marks(self._facts),
                *its_marks,
            ],
            "schedule": schedule,
            "in_force": measuring.in_force,
            "status": status,
            "others": others,
            **measuring.waits.fields(queries),
            "threads": session.threads.in_step(),
        }

    def _without_total(self, interrupted: str, generator: Driving) -> Dict[str, Any]:
        """The figures of a step that ended before its total: its seconds so far, and no result."""
        counted = self._measuring.counted
        self._session.await_last_client()
        outcome, reason = self._outcome(interrupted or "broken", generator)
        self._session.write_accounting.count_rows(counted.rows)
        totals = totals_of(counted.measured) if counted.measured else Totals()
        return {
            "outcome": outcome,
            "reason": reason,
            "seconds": counted.measured.get("interval_s", 0.0),
            "totals": totals,
            "in_force": self._measuring.in_force,
        }

    def _outcome(self, interrupted: str, generator: Driving) -> Any:
        if interrupted in ("stopped", "skipped"):
            return interrupted, self._session.control.why
        if interrupted == "overdue":
            return "failed", overdue_reason(self._measuring)
        if not interrupted and self._code == 0:
            missing = missing_clients_reason(self._step, self._measuring.counted.total or {})
            return ("failed", missing) if missing else ("completed", "")
        return "failed", failure_reason(self._session, generator, self._code)


def start_sysbench(
    session: RunningSession,
    step: Step,
    driver: Sequence[str],
    options: Sequence[str],
    files: Sequence[int],
    log: str,
    reconnects: bool = False,  # its clients connect again
) -> Generator:
    """One sysbench beside the server, for a step or a role of one."""
    contender, plan = session.contender, session.plan
    seed = seed_of(plan, session.turn.repeat, step)
    line = command(step, plan, contender.engine, contender.table_options, driver, seed)
    lua = LOAD_WRAPPER if step.role else lua_wrapper_of(step, plan) or step.lua
    return Generator(
        [*line, *options],
        session.lua(lua),
        session.at(log),
        step.load_cores,
        keep=files,
        environment=lua_environment(step, plan, reconnects),
    )


class RemoteLoad:
    """The load targets of one step; of a step that is driven from here nothing of it happens."""

    def __init__(self, session: RunningSession, index: int, step: Step, seed: int) -> None:
        self._session = session
        self._index, self._step, self._seed = index, step, seed
        self._conductor = session.conductor if step.kind in DRIVEN else None
        self.generators: Optional[RemoteGenerators] = None

    def missing(self) -> Dict[str, Any]:
        """The end of a step some of whose load targets do not come; {} if all are there."""
        missing = self._conductor.missing(DIAL_S, self._is_interrupted) if self._conductor else []
        if not missing:
            return {}
        if self._session.control.interrupts:
            return {"outcome": self._session.control.interrupts, "reason": self._session.control.why}
        reason = _NO_WORD.format("s" if len(missing) > 1 else "", ", ".join(missing))
        return {"outcome": "failed", "reason": reason}

    def _is_interrupted(self) -> bool:
        self._session.look(self._index)
        return bool(self._session.control.interrupts)

    def start(self) -> Optional[RemoteGenerators]:
        """Start the load; None if it comes from here."""
        server, contender = self._session.server, self._session.turn.contender
        if self._conductor:
            login = LoadTargetLogin(server.address, server.port, server.password)
            place = (self._conductor, self._index, contender)
            self.generators = RemoteGenerators(*place, self._step, self._seed, login)
        return self.generators

    def marks(self, facts: SessionFactsWriter) -> List[str]:
        """Write what the load targets did; the marks of the step that come from it."""
        if not self.generators or not self._conductor:
            return []
        facts.write_load(self._step, self.generators.fact())
        names = self.generators.bottlenecks
        for name in names:
            self._session.journal.log(_BOTTLENECK.format(name))
        lopsided = self.generators.lopsided
        if lopsided:
            self._session.journal.log("the load is lopsided: " + lopsided)
        marks = [CLIENT_BOUND] * bool(names) + [LOPSIDED] * bool(lopsided)
        return marks + [TUNNELLED] * self._conductor.is_loopback


def failure_reason(session: RunningSession, generator: Driving, code: int) -> str:
    """Why a step failed, in the words of the server or of sysbench."""
    said = generator.complaints()
    for text in said[:5]:
        session.journal.log(text, "error", "sysbench")
    first = said[0][:500] if said else ""
    if session.server.has_died():
        end = session.server.end_text()
        # of the end of a server that runs already nobody else tells anything
        return "{}: {}".format(end, first) if first and session.contender.is_existing else end
    return first or "sysbench ended with exit code {} and no message".format(code)
