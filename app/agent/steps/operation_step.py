"""A step that does something to the server while its roles go on: each of OPERATIONS."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Set, Tuple, Type

from app.agent.load.generator import driver_options, generator_login_options
from app.agent.load.ledger import LedgerCount, LedgerError, LedgerMemory, count_ledger, missing_text
from app.agent.load.roles import AHEAD_S, RoleGenerators
from app.agent.sampling.way_back import RateOfSecond, rate_before, seconds_back
from app.agent.server.mysql import Client, QueryError
from app.agent.server.recovery import phases_of
from app.agent.system.errors import AgentError
from app.engines import engine_of
from app.engines.server import RECOVERY
from app.protocol.events import MomentEvent
from app.protocol.plan import time_limit_s
from app.protocol.step_parts import OperationResult
from app.protocol.sysbench import LEDGER

from .backup import BackupOperation
from .counted import RunningStepMeter
from .ddl import DdlOperation
from .drive_step import failure_reason, start_sysbench
from .facts import tables_of
from .operation import Operation, first_line, quoted_tables
from .outage import Outage
from .pace import UnslicedLoad, overdue_reason
from .role_results import RolesEnd

if TYPE_CHECKING:
    from app.agent.load.generator import Generator
    from app.agent.load.roles import RoleLoad
    from app.protocol.plan import Step

    from .facts import SessionFactsWriter
    from .running import RunningSession

LEDGER_TABLE = "ledger"
PAGE = 50_000  # rows of the ledger that are read at once
_COUNT = "SELECT client, COUNT(*) AS n FROM ledger GROUP BY client"
READ_S = 300.0  # for one of them: the server may still roll back
BUSY_S = 0.1  # between two looks at an operation that outlasts its roles
# of operations; all others are outages
KINDS: Dict[str, Type[Operation]] = {"ddl": DdlOperation, "backup": BackupOperation}
_LOST = "{} promised every answered commit after a {}, and of the ledger {}"


class OperationStep:
    """One operation, with its roles beside it."""

    def __init__(self, session: RunningSession, facts: SessionFactsWriter, index: int, step: Step) -> None:
        self._session, self._index, self._step = session, index, step
        self._engine = engine_of(session.contender.engine)
        self._roles = session.plan.roles(index)
        self._generators: Optional[RoleGenerators] = None
        self._ledger = StepLedger(self._roles)
        self._operation = KINDS.get(step.kind, Outage)(session, step, self._answered)
        self._measuring = OperationMeter(session, index, self._roles[0], self._operation)
        self._ends = RolesEnd(session, facts, index, self._measuring.role_costs)
        self._variables: Dict[str, str] = {}
        self._tables: Set[str] = set()  # that were there before
        self._is_clean = False
        self.broken = ""  # what the server did not keep or bring back: its session fails

    def run(self) -> Dict[str, Any]:
        """Carry it out; returns the fields of step_ended."""
        try:
            self._operation.prepare()
            return self._run()
        except (AgentError, QueryError) as error:
            if self._generators is not None:
                raise
            return {"outcome": "failed", "reason": first_line(error)}
        finally:
            self._operation.end()
            self._clean()
            self._ledger.close()

    def _run(self) -> Dict[str, Any]:
        session, measuring = self._session, self._measuring
        self._variables = session.server.client.pairs("SHOW GLOBAL VARIABLES")
        self._tables = {*tables_of(session.server.client)}
        measuring.prepare()
        measuring.begin()
        pace = UnslicedLoad(time_limit_s(self._roles), measuring)
        with generator_login_options(session.server) as login:
            driver = [*driver_options(session.server.socket, session.server.loopback_port), *login]
            start = partial(self._start_role, driver)
            generators = RoleGenerators(self._roles, start, 0, self._begin)
            session.generator = self._generators = generators
            try:
                interrupted = pace.follow(generators)
                code = 0 if interrupted else generators.wait()
                interrupted = interrupted or self._outlast()
            finally:
                self._operation.end()
                generators.stop()
                session.generator = None
                measuring.end()
        measuring.write_moments()
        outcome, reason = self._outcome(interrupted, code)
        self._bring_back()
        if outcome == "completed":
            outcome, reason = self._check(generators)
        self._clean()
        if outcome == "completed" and self._operation.problem:
            outcome, reason = "failed", self._operation.problem
        figures = self._figures(outcome, reason)
        self._drop_made()
        return self._ends.complete(figures, generators, None)

    def _start_role(self, driver: List[str], role: Step, options: List[str], files: Any) -> Generator:
        own, fds = self._ledger.of(role)
        log = "sysbench-{}.log".format(role.role)
        given = [*options, *own]
        return start_sysbench(self._session, role, driver, given, [*files, *fds], log, reconnects=True)

    def _begin(self, _connections: Mapping[str, List[int]]) -> None:
        """All clients wait at the gate, which opens next."""
        self._operation.begin(time.monotonic() + AHEAD_S)

    def _answered(self) -> bytes:
        return self._generators.answered if self._generators else b""

    def _outlast(self) -> str:
        """Wait for an operation that goes on though its roles have ended; why that ends early."""
        while self._operation.is_busy and not self._session.control.interrupts:
            time.sleep(BUSY_S)
            self._measuring.look()
        return self._session.control.interrupts

    def _check(self, generators: RoleGenerators) -> Any:
        """Outcome and reason of what it leaves."""
        self._operation.rows_stay = not any(_changes_rows(role) for role in generators.roles)
        problem = self._operation.check()
        if self._session.control.interrupts:
            return self._session.control.interrupts, self._session.control.why
        return ("failed", problem) if problem else ("completed", "")

    def _clean(self) -> None:
        """Once, unless the server is killed anyway."""
        if self._is_clean or self._session.control.interrupts == "stopped":
            return
        self._is_clean = True
        if self._session.server.is_alive():
            self._operation.clean()

    def _bring_back(self) -> None:
        """Leave a server that answers, however the step ended; its clients have gone."""
        session = self._session
        if self._operation.at_s is None or session.control.interrupts == "stopped":
            return
        session.server.client.close()
        if session.server.is_alive():
            session.server.await_answer(session.wait)

    def _drop_made(self) -> None:
        """Later steps have the tables of the load alone; a large transaction may still be rolled back."""
        if not self._session.server.is_alive() or self._session.control.interrupts == "stopped":
            return
        client = Client(self._session.server.socket, READ_S)
        try:
            for quoted in quoted_tables([name for name in tables_of(client) if name not in self._tables]):
                client.run("DROP TABLE " + quoted)
        except QueryError as error:
            self._session.journal.log("tables of the {} stay: {}".format(self._step.kind, error))
        finally:
            client.close()

    def _outcome(self, interrupted: str, code: int) -> Any:
        if interrupted in ("stopped", "skipped"):
            return interrupted, self._session.control.why
        if self._operation.problem:
            return "failed", self._operation.problem
        if interrupted:
            return "failed", overdue_reason(self._measuring)
        if code and self._generators:
            return "failed", failure_reason(self._session, self._generators, code)
        if self._operation.value is None:
            return "failed", "the roles ended before the {}".format(self._step.kind)
        return "completed", ""

    def _figures(self, outcome: str, reason: str) -> Dict[str, Any]:
        operation, journal = self._operation, self._session.journal
        for text in operation.notes:
            journal.log(text)
        counted, unread = self._counted(outcome)
        if unread and outcome == "completed":
            outcome, reason = "failed", unread
        found = self._result(counted)
        if operation.ends_session:
            self.broken = operation.problem
        lost = missing_text(counted) if counted else ""
        if lost and found.promised:
            self.broken = _LOST.format(self._engine.title, self._step.kind, lost)
            outcome, reason = "failed", self.broken
        return {
            "outcome": outcome,
            "reason": reason,
            "value": operation.value,
            "seconds": round(self._measuring.counted.measured.get("interval_s", 0.0), 3),
            "operation": found if operation.at_s is not None else None,
            "status": {},  # a server that was started again counts anew
        }

    def _counted(self, outcome: str) -> Tuple[Optional[LedgerCount], str]:
        """The ledger, also of a server that answered too late; or why it cannot be read."""
        operation, server = self._operation, self._session.server
        has_rows = operation.at_s is not None and server.is_alive() and not operation.ends_session
        if self._ledger.memory is None or not has_rows or outcome not in ("completed", "failed"):
            return None, ""
        try:
            return self._ledger.count(server.socket), ""
        except (QueryError, LedgerError) as error:
            return None, "the ledger cannot be read: {}".format(error)

    def _result(self, counted: Optional[LedgerCount]) -> OperationResult:
        operation, kind = self._operation, self._step.kind
        at_s, seconds = operation.at_s or 0.0, self._measuring.seconds
        before = rate_before(seconds, at_s)
        return OperationResult(
            at_s=round(at_s, 3),
            before=None if before is None else round(before, 2),
            stall_s=round(operation.stall_s, 3),
            promised=self._engine.keeps_commits(kind, self._variables),
            on_loop=self._session.loop_disk is not None,
            **self._way_back(seconds, at_s, before),
            **operation.result(),
            **(counted._asdict() if counted else {}),
        )

    def _way_back(self, seconds: List[RateOfSecond], at_s: float, before: Optional[float]) -> Dict[str, Any]:
        """How the rate came back after an outage, and the phases of the recovery."""
        operation = self._operation
        if not isinstance(operation, Outage):
            return {}
        rules = (*self._engine.recovery, *RECOVERY)
        by_log = phases_of(rules, operation.log.lines) if operation.log else {}
        back_s = seconds_back(seconds, at_s, before, operation.first_answer_s or 0.0)
        return {"back_s": back_s, "phases": {**operation.phases, **by_log}}


class OperationMeter(RunningStepMeter):
    """Measures the watched role, and writes the moments of the operation."""

    def __init__(self, session: RunningSession, index: int, watched: Step, operation: Operation) -> None:
        super().__init__(session, index, watched)
        self._watched, self._operation = watched, operation
        self.seconds: List[RateOfSecond] = []

    def take(self, line: Mapping[str, Any]) -> None:
        if line.get("type") == "second":
            end_s = float(line["time_s"]) - self._watched.warmup
            self.seconds.append(RateOfSecond(end_s - float(line["interval_s"]), end_s, int(line["events"])))
        super().take(line)

    def begin(self) -> None:
        self._session.sampler.expects_silence = lambda: self._operation.at_s is not None
        super().begin()

    def end(self) -> None:
        self._session.sampler.expects_silence = bool
        super().end()

    def look(self) -> str:
        self.write_moments()
        return super().look()

    def write_moments(self) -> None:
        """Write the moments since the last time; `value` is the second of the step."""
        kind = self._session.plan.steps[self._index].kind
        for at_s, name in self._operation.take_moments():
            text = kind if name == "operation" else ""
            moment = {"step": self._index, "value": round(at_s, 3), "text": text}
            self._session.journal.write(MomentEvent, name=name, **moment)


class StepLedger:
    """The role of a step that keeps the ledger, if one does."""

    def __init__(self, roles: List[Step]) -> None:
        self._role = next((each for each in roles if each.lua.endswith(LEDGER)), None)
        self.memory = LedgerMemory(self._role.threads) if self._role else None

    def of(self, role: Step) -> Any:
        """The options and open files that a role needs for it."""
        if self.memory is None or role is not self._role:
            return [], []
        return ["--ledger-fd={}".format(self.memory.fd)], [self.memory.fd]

    def count(self, socket: str) -> LedgerCount:
        """Hold the rows in the table against what the clients know."""
        assert self.memory is not None
        client = Client(socket, READ_S)
        try:
            numbers = (
                client.query(_COUNT) if LEDGER_TABLE in tables_of(client) else []
            )  # else all are missing
            rows = {int(each["client"]): _rows(client, int(each["client"])) for each in numbers}
        finally:
            client.close()
        return count_ledger(self.memory.read(), rows)

    def close(self) -> None:
        if self.memory is not None:
            self.memory.close()
            self.memory = None


def _changes_rows(role: RoleLoad) -> bool:
    """Whether a role has added or deleted rows of tables that are not its own."""
    if role.step.lua.endswith(LEDGER):
        return False
    done = [role.rows, (role.total or {}).get("rows") or {}]
    return any(rows.get(name) for rows in done for name in ("inserted", "deleted"))


def _rows(client: Client, number: int) -> List[int]:
    text = "SELECT n FROM ledger WHERE client = {} AND n > {} ORDER BY n LIMIT {}"
    found: List[int] = []
    last = -(1 << 31)
    while True:
        page = [int(each["n"]) for each in client.query(text.format(number, last, PAGE))]
        found += page
        if len(page) < PAGE:
            return found
        last = page[-1]
