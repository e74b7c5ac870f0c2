"""A step that the load generator carries out: load, index, warmup, drive, scan."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Sequence, Union

from app.agent.load.generator import Generator, credentials, driver_options
from app.agent.load.generators import Generators, Login
from app.agent.profiling.profile import Profile
from app.agent.sampling.counters import await_last_client, read_status, status_deltas
from app.agent.sampling.figures import (
    clients_missing,
    latency_of,
    marks_of,
    out_of_rows,
    per_unit,
    totals_of,
    value_of,
)
from app.agent.sampling.sampler import queries
from app.agent.server.affinity import affinity
from app.agent.system.control import ASKED_FOR
from app.protocol.events import CLIENT_BOUND, LOPSIDED, TUNNELLED, Mark
from app.protocol.load_shares import DRIVEN
from app.protocol.others import DISTURBED, to_json
from app.protocol.plan import RATE_MISSED, Step
from app.protocol.sysbench import WRAPPED, command, stem_of, wrapper_of

from .counted import Counted, NamedWaits, StepProgress, ThreadCosts
from .same_work import SameWork

if TYPE_CHECKING:
    from app.protocol.plan import Step

    from .facts import Facts
    from .running import Running

Driving = Union[Generator, Generators]


LATE_S = 1.2  # after the last sample, the host is sampled without the generator's line
LAST = 2  # seconds of the step in which the threads of the server are looked at
OVERDUE_S = 120  # beyond its declared seconds: then it is stuck
REACHED = 0.99  # of the schedule must have begun when the step ends
DIAL_S = 30.0  # for a load target that has dropped out to come back
_NO_WORD = "no word from the load target{} {}: it is used again once it is back"
_BOTTLENECK = "the client is the bottleneck: all CPUs of the load target {} are busy"


class DriveStep:
    """One step by sysbench: reads its lines, samples with them, ends with figures."""

    def __init__(self, session: Running, facts: Facts, index: int, step: Step, seed: int) -> None:
        self._session = session
        self._facts = facts
        self._index = index
        self._step = step
        self._seed = seed
        self._s = -step.warmup
        self._counted = Counted()
        self._first: Any = None  # the moments at the bounds of the measured part
        self._last: Any = None
        self._progress = StepProgress(session, index, step)
        self._rows_before = session.write_accounting.rows_in_tables
        self._work = SameWork(session, facts, step)
        self._in_force: Dict[str, Any] = {}
        self._status: Dict[str, str] = {}
        self._costs = ThreadCosts(session.server)
        self._profile = Profile(session.server.pid or 0, session.path, step)
        self._waits = NamedWaits(session)
        self._code = 0  # that sysbench ended with
        self._elsewhere = Elsewhere(session, index, step, seed)

    def run(self) -> Dict[str, Any]:
        """Run the step to its end; returns the fields of step_ended."""
        return self._elsewhere.missing() or self._run()

    def _run(self) -> Dict[str, Any]:
        session = self._session
        self._work.begin()
        self._profile.prepare()  # looking for tools may take longer than a second
        session.threads.begin_step(self._step.threads)
        # after the EXPLAINs of the work and the connections of begin_step, which are no part of the step
        self._status = read_status(session.server.client)
        session.host.others.begin()
        session.sampler.means.clear()
        session.sampler.begin(whole=True)
        self._first = session.sampler.moment
        self._costs.begin()
        self._waits.begin(self._first[1])
        self._progress.begin()
        with credentials(session.server) as login:
            driver = [*driver_options(session.server.socket, session.server.loopback_port), *login]
            generator = session.generator = self._elsewhere.start() or self._start(driver)
            try:
                interrupted = self._follow(generator)
            finally:
                generator.stop()
                session.generator = None
                self._profile.end()
                self._waits.stop()
                session.threads.end_step()
        figures = self._figures(interrupted, generator)
        self._profile.discard()
        return figures

    def _start(self, driver: Sequence[str]) -> Generator:
        session, contender = self._session, self._session.contender
        line = command(
            self._step, session.plan, contender.engine, contender.table_options, driver, self._seed
        )
        lua = session.lua(wrapper_of(self._step, session.plan) or self._step.lua)
        log, workload = session.at("sysbench.log"), {WRAPPED: stem_of(self._step)}
        return Generator(line, lua, log, self._step.load_cores, environment=workload)

    def _follow(self, generator: Driving) -> str:
        """Read its lines until it ends; returns why it was ended early."""
        began = time.monotonic()
        declared = self._step.seconds + self._step.warmup
        while generator.is_open:
            lines = self._read(generator, min(0.25, self._session.sampler.at + LATE_S - time.monotonic()))
            for line in lines:
                self._take(line)
            if (
                not lines  # a server that hangs holds up the sample: lines wait then, and tell the stall
                and time.monotonic() - self._session.sampler.at >= LATE_S
                and generator.is_open
                and not self._counted.total
            ):
                self._sample(None)
            self._session.look(self._index)
            self._profile.look()
            if self._session.control.interrupts:
                return self._session.control.interrupts
            if self._step.seconds and time.monotonic() - began > declared + OVERDUE_S:
                return "overdue"
        self._code = generator.wait()
        return ""

    def _read(self, generator: Driving, seconds: float) -> List[Dict[str, Any]]:
        """Its new lines, [] after the time limit; looks at the threads of the server meanwhile."""
        end, threads = time.monotonic() + seconds, self._session.threads
        lines: List[Dict[str, Any]] = []
        while not lines and generator.is_open:
            lines = generator.read(threads.due_in(end - time.monotonic()))
            threads.look()
            if time.monotonic() >= end:
                break
        return lines

    def _take(self, line: Mapping[str, Any]) -> None:
        kind, generator = line.get("type"), self._session.generator
        if self._step.load_cores and generator and not self._in_force:
            self._in_force["load_cores"] = affinity(generator.pid)
        if kind == "second":
            self._take_second(line)
        elif kind == "measured":
            self._begin_measured()
            self._counted.warm_rows = line["rows"]
        elif kind == "statement":
            self._counted.statement = str(line["text"])
        elif kind == "schedule":
            self._counted.behind_s = float(line["behind_s"])
        elif kind == "total":
            self._take_total(line)

    def _begin_measured(self) -> None:
        session = self._session
        self._first = session.sampler.look(whole=True)  # the latest sample may be older
        self._costs.begin()
        self._profile.begin()
        self._waits.begin(self._first[1])
        session.threads.begin_part()
        self._elsewhere.begin_measured()
        session.journal.write(Mark, name="measured", step=self._index)

    def _take_second(self, line: Mapping[str, Any]) -> None:
        second = round(float(line["time_s"])) - 1 - self._step.warmup
        self._counted.add_second(line, second >= 0)
        if second < self._s:
            return  # its second was sampled without it: the load of that second stays missing
        self._s = second
        self._count(line)
        self._sample(line)

    def _count(self, line: Mapping[str, Any]) -> None:
        self._counted.add_sampled(line, self._s >= 0)
        if self._s >= max(0, self._step.seconds - LAST):
            self._costs.look(queries(self._counted.measured))  # the clients are there still

    def _sample(self, line: Optional[Mapping[str, Any]], derived: bool = False) -> None:
        is_scan = self._step.kind == "scan"
        self._session.sampler.take(self._index, self._s, line, derived, rows_by_server=is_scan)
        self._s += 1
        self._progress.write(self._counted, line)

    def _take_total(self, line: Mapping[str, Any]) -> None:
        """Write the last second: the total minus the intervals, marked as derived."""
        self._profile.end()
        total = self._counted.total = dict(line)
        await_last_client(self._session.server.client, self._session.threads.connections)
        if self._step.kind == "scan":  # it knows the rows of the load, we know what came and went since
            total["rows"] = {**line["rows"], "read": self._session.write_accounting.rows_in_tables}
        rest = self._counted.rest(line)
        if rest and (not self._step.seconds or self._s < self._step.seconds):
            self._sample(rest, derived=True)
        self._last = self._session.sampler.look(whole=True)
        self._waits.end(self._last[1])

    def _figures(self, interrupted: str, generator: Driving) -> Dict[str, Any]:
        step, session, counted, total = self._step, self._session, self._counted, self._counted.total
        if total is None:
            return self._without_total(interrupted, generator)
        status = status_deltas(self._status, read_status(session.server.client))
        totals = totals_of(total)
        seconds = float(total["time_s"])
        rows = session.plan.tables * session.plan.rows
        value = value_of(step, totals, seconds, rows)
        spent = session.sampler.spent(self._first, self._last)
        spent.update(self._costs.spent(totals["queries"], spent["cpu_us"]))
        spent.update(self._profile.spent())
        session.threads.connected(int(status.get("connections", 0)))
        spent.update(session.threads.spent(seconds))
        others = session.others_between(self._first[0], self._last[0])
        schedule = self._schedule(int(totals["events"]), seconds)
        outcome, reason = self._outcome(interrupted, generator)
        session.write_accounting.count_rows(totals["rows"])
        session.write_accounting.count_rows(counted.warm_rows)
        if counted.statement:
            self._facts.write_explain(step, counted.statement)
        self._facts.write_engine_figures(step, session.sampler.engine_figures)
        if step.profile:
            self._facts.write_stacks(step, self._profile.stacks())
        return {
            "outcome": outcome,
            "reason": reason,
            "value": value,
            "seconds": round(seconds, 4),
            "totals": totals,
            "latency_ms": latency_of(total),
            "buckets": total.get("buckets", []),
            "per_query": per_unit(spent, totals["queries"]),
            "per_row": per_unit(spent, sum(totals["rows"].values())),
            "marks": [
                *marks_of(totals, session.crashes > 0, step.threads),
                *([DISTURBED] if others.causes else []),
                *self._profile.marks,
                *out_of_rows(self._rows_before, session.write_accounting.rows_in_tables),
                *self._work.end(totals, spent, seconds),
                *schedule_marks(schedule, seconds),
                *self._elsewhere.marks(self._facts),
            ],
            "schedule": schedule,
            "in_force": self._in_force,
            "status": status,
            "others": to_json(others),
            **self._waits.fields(totals["queries"]),
            "threads": session.threads.in_step(),
        }

    def _schedule(self, events: int, seconds: float) -> Dict[str, Any]:
        behind_s = self._counted.behind_s
        return {} if behind_s is None else schedule_of(self._step, behind_s, events, seconds)

    def _without_total(self, interrupted: str, generator: Driving) -> Dict[str, Any]:
        """The figures of a step that ended before its total: its seconds so far, and no result."""
        counted = self._counted
        await_last_client(self._session.server.client, self._session.threads.connections)
        outcome, reason = self._outcome(interrupted or "broken", generator)
        self._session.write_accounting.count_rows(counted.rows)
        totals = totals_of(counted.measured) if counted.measured else {}
        return {
            "outcome": outcome,
            "reason": reason,
            "seconds": counted.measured.get("interval_s", 0.0),
            "totals": totals,
            "in_force": self._in_force,
        }

    def _outcome(self, interrupted: str, generator: Driving) -> Any:
        if interrupted in ("stopped", "skipped"):
            return interrupted, ASKED_FOR
        if interrupted == "overdue":
            return "failed", "sysbench did not end within {} s after its time: Dyno ended it".format(
                OVERDUE_S
            )
        if not interrupted and self._code == 0:
            missing = clients_missing(self._step, self._counted.total or {})
            return ("failed", missing) if missing else ("completed", "")
        return "failed", _why(self._session, generator, self._code)


class Elsewhere:
    """The load targets of one step; of a step that is driven from here nothing of it happens."""

    def __init__(self, session: Running, index: int, step: Step, seed: int) -> None:
        self._session = session
        self._index, self._step, self._seed = index, step, seed
        self._conductor = session.conductor if step.kind in DRIVEN else None
        self.generators: Optional[Generators] = None

    def missing(self) -> Dict[str, Any]:
        """The end of a step some of whose load targets do not come; {} if all are there."""
        missing = self._conductor.missing(DIAL_S, self._is_interrupted) if self._conductor else []
        if not missing:
            return {}
        if self._session.control.interrupts:
            return {"outcome": self._session.control.interrupts, "reason": ASKED_FOR}
        reason = _NO_WORD.format("s" if len(missing) > 1 else "", ", ".join(missing))
        return {"outcome": "failed", "reason": reason}

    def _is_interrupted(self) -> bool:
        self._session.look(self._index)
        return bool(self._session.control.interrupts)

    def start(self) -> Optional[Generators]:
        """Start the load; None if it comes from here."""
        server, contender = self._session.server, self._session.turn.contender
        if self._conductor:
            login = Login(server.address, server.port, server.password)
            place = (self._conductor, self._index, contender)
            self.generators = Generators(*place, self._step, self._seed, login)
        return self.generators

    def begin_measured(self) -> None:
        if self.generators:
            self.generators.begin_measured()

    def marks(self, facts: Facts) -> List[str]:
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


def _why(session: Running, generator: Driving, code: int) -> str:
    """Why a step failed, in the words of the server or of sysbench."""
    said = generator.complaints()
    for text in said[:5]:
        session.journal.log(text, "error", "sysbench")
    if session.server.has_died():
        return "the server crashed {}: {}".format(session.server.exit_text(), session.server.last_error())
    return said[0][:500] if said else "sysbench ended with exit code {} and no message".format(code)


def schedule_of(step: Step, behind_s: float, events: int, seconds: float) -> Dict[str, Any]:
    """The rate that was asked for and reached, and what waited at the end, in seconds and events."""
    return {
        "rate": step.rate,
        "achieved": round(events / seconds, 2) if seconds > 0 else None,
        "behind_s": round(behind_s, 4),
        "queued": round(behind_s * step.rate) if step.seconds else None,  # else the step was not cut off
    }


def schedule_marks(schedule: Mapping[str, Any], seconds: float) -> List[str]:
    """The mark of a step that could not keep its rate."""
    return [RATE_MISSED] if schedule.get("behind_s", 0.0) > (1 - REACHED) * seconds else []
