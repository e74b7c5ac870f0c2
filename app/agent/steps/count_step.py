"""A step whose instructions are counted: one client does a number of events while callgrind counts.

What the server does for the client is the work of the thread that serves it; all other threads together are
a second figure. Three times as many events come before it, uncounted, so that all caches are filled and hash
indexes are built: without callgrind an event takes a fifth of the time.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Set

from app.agent.load.gate import ClientGate
from app.agent.load.generator import Generator, driver_options, generator_login_options
from app.agent.profiling.callgrind_dump import counted_stacks
from app.agent.sampling.figures import latency_of, totals_of
from app.agent.sampling.unnamed_clients import UnnamedClientThreads, threads_in
from app.agent.system.errors import AgentError
from app.protocol.step_parts import Totals
from app.protocol.sysbench import command, lua_environment, lua_wrapper_of

if TYPE_CHECKING:
    from app.agent.server.callgrind import InstructionCounter
    from app.protocol.plan import Step

    from .facts import SessionFactsWriter
    from .running import RunningSession

READ_S = 0.25  # the longest wait for a line before requests of people are looked for
LIMIT_S = 1200.0  # for a line: a server under valgrind on a busy machine is slow
WARM = 3  # times the events that are counted, before these
NO_THREAD = "it is not known which thread serves the client, so nothing was counted for it"


class _EndedEarlyError(Exception):
    """The step has no figure; the fields say why."""

    def __init__(self, outcome: str, reason: str) -> None:
        super().__init__(reason)
        self.fields = {"outcome": outcome, "reason": reason}


class CountStep:
    """One counted step, from the start of its client to its figures."""

    def __init__(
        self, session: RunningSession, facts: SessionFactsWriter, index: int, step: Step, seed: int
    ) -> None:
        self._session, self._facts = session, facts
        self._index, self._step, self._seed = index, step, seed
        self._gate = ClientGate()
        self._threads: Dict[int, int] = {}  # instructions of each

    def run(self) -> Dict[str, Any]:
        """Run the step to its end; returns the fields of step_ended."""
        try:
            return self._run_beside(1 + self._hold_read_view())
        except _EndedEarlyError as early:
            return early.fields
        finally:
            self._gate.close()

    def _hold_read_view(self) -> int:
        """Hold purge back from the first write on; the number of connections that this takes."""
        try:
            return int(self._session.read_view.hold()) if self._step.writes else 0
        except AgentError as error:
            raise _EndedEarlyError("failed", str(error)) from None

    def _run_beside(self, own: int) -> Dict[str, Any]:
        """Run it while Dyno itself has so many connections."""
        server = self._session.server
        if server.counter is None:
            raise _EndedEarlyError("failed", "the server does not run under valgrind")
        clients = UnnamedClientThreads(
            "/proc/{}/task".format(server.pid), server.client.query, server.client.connect_another, own
        )
        clients.begin_step(1)
        try:
            return self._run(server.counter, clients)
        finally:
            clients.end_step()

    def _run(self, counter: InstructionCounter, clients: UnnamedClientThreads) -> Dict[str, Any]:
        session, server, began = self._session, self._session.server, time.monotonic()
        with generator_login_options(server) as login:
            generator = self._start([*driver_options(server.socket, server.loopback_port), *login])
            session.generator = generator
            try:
                if not self._await(generator, "ready")["workers"]:
                    raise _EndedEarlyError("failed", "the server refused the client")
                found = clients.find(threads_in("/proc/{}/task".format(server.pid)), 1)
                self._pass(generator, WARM)
                counter.begin(server.pid)
                self._pass(generator)
                self._threads = counter.end(server.pid, min(found) if len(found) == 1 else -1)
                self._gate.dismiss(1)
                total = self._await(generator, "total")
            finally:
                generator.stop()
                session.generator = None
        figures = self._figures(counter, total, found, time.monotonic() - began)
        if figures["outcome"] == "completed":
            self._facts.write_stacks(self._step, counted_stacks(counter.stacks, self._step.events))
        return figures

    def _start(self, driver: List[str]) -> Generator:
        session, step = self._session, self._step
        contender = session.contender
        line = command(step, session.plan, contender.engine, contender.table_options, driver, self._seed)
        return Generator(
            [*line, "--gate-fd={}".format(self._gate.reader)],
            session.lua(lua_wrapper_of(step, session.plan)),
            session.at("sysbench.log"),
            step.load_cores,
            keep=[self._gate.reader],
            environment=lua_environment(step, session.plan),
        )

    def _pass(self, generator: Generator, times: int = 1) -> None:
        """Let the client carry out its events this many times, and wait for it."""
        self._gate.give(1, float(times * self._step.events))
        self._await(generator, "passed")

    def _await(self, generator: Generator, kind: str) -> Dict[str, Any]:
        """The next line of this kind."""
        end = time.monotonic() + LIMIT_S
        while generator.is_open and time.monotonic() < end:
            found = next((line for line in generator.read(READ_S) if line.get("type") == kind), None)
            if found is not None:
                return found
            self._session.look(self._index)
            if self._session.control.interrupts:
                raise _EndedEarlyError(self._session.control.interrupts, self._session.control.why)
        raise _EndedEarlyError("failed", self._why(generator))

    def _why(self, generator: Generator) -> str:
        server = self._session.server
        if server.has_died():
            return server.end_text()
        said = [] if generator.is_open else generator.complaints()
        return said[0][:500] if said else "the client did not answer within {:.0f} s".format(LIMIT_S)

    def _figures(
        self, counter: InstructionCounter, total: Dict[str, Any], found: Set[int], seconds: float
    ) -> Dict[str, Any]:
        events, totals = self._step.events, totals_of(total)
        own: Optional[int] = self._threads.get(next(iter(found), -1)) if len(found) == 1 else None
        if not own:
            return {"outcome": "failed", "reason": NO_THREAD, "seconds": round(seconds, 4)}
        done = int(totals.events or 0)
        queries = events * int(totals.queries or 0) / done if done else 0.0
        others = sum(self._threads.values()) - own
        per_query = {"instructions": own, "other_instructions": others}
        return {
            "outcome": "completed",
            "value": round(own / events, 2),
            "seconds": round(seconds, 4),
            "totals": Totals(events=events, transactions=events, queries=round(queries)),
            "latency_ms": latency_of({}),
            "per_query": {name: round(each / queries, 2) for name, each in per_query.items() if queries},
            "in_force": {"variables": dict(counter.options)},
        }
