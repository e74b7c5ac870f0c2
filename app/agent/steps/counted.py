"""What is counted in a step: by the load generator, of the server's threads, and of what they waited for."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Tuple

from app.agent.existing.meter import ExistingServerMeter
from app.agent.existing.server import ExistingServer
from app.agent.load.generator import add
from app.agent.load.generators import Driving, RemoteGenerators
from app.agent.load.roles import RoleGenerators
from app.agent.load.statement_times import StatementTimes
from app.agent.profiling.profile import StackSampling
from app.agent.sampling.process import ThreadCounters
from app.agent.sampling.sampler import summed_query_count
from app.agent.sampling.statements import Digests
from app.agent.sampling.waits import Amounts, has_restarted, wait_differences
from app.agent.server.affinity import affinity
from app.agent.server.server import Server
from app.engines import engine_of
from app.engines.waits import KINDS, wait_event_kind
from app.protocol.events import MomentEvent, ProgressEvent
from app.protocol.latency import Counts, counts_of, without
from app.protocol.latency import add as add_counts
from app.protocol.plan import PREPARING
from app.protocol.waits import LONGEST, MOST_WAITS, Wait, Waits

from .role_costs import UNNAMED, RoleCosts

if TYPE_CHECKING:
    from app.protocol.others import Others
    from app.protocol.plan import Step

    from .running import RunningSession

COUNTS = ("interval_s", "events", "reads", "writes", "other", "errors", "reconnects", "control", "rows")
OF_REST = ("events", "reads", "writes", "other", "errors", "reconnects")
# costs of this machine, which are not those of a server elsewhere
OF_MACHINE = (
    *("machine_cpu_us", "disk_busy_us", "context_switches"), *("reads", "read_kb", "writes", "written_kb"),
)  # fmt: skip
LEAST_REST_S = 0.05
LATE_S = 1.2  # after the last sample, the host is sampled without the generator's line
LAST = 2  # seconds of the step in which the threads of the server are looked at


class RunningStepMeter:
    """Counts a step while its load runs: takes the lines of the generator, and samples with them."""

    def __init__(self, session: RunningSession, index: int, step: Step) -> None:
        self._session, self._index, self._step = session, index, step
        self._s = -step.warmup  # the second that is sampled next
        self._answered_at = time.monotonic()  # when the server last answered its clients or Dyno
        self._first: Any = None  # the moments at the bounds of the measured part
        self._last: Any = None
        self._costs = ServerThreadCosts(session.server)
        self._progress = UntimedStepProgress(session, index, step)
        self.counted = GeneratorCounts()
        self.role_costs = RoleCosts(session.server)
        self.waits = StepWaitsCounter(session)
        self.profile = StackSampling(session.server.pid or 0, session.path, step)
        server = session.server
        self._existing = ExistingServerMeter(server) if isinstance(server, ExistingServer) else None
        self.in_force: Dict[str, Any] = {}

    def prepare(self) -> None:
        """Before the counting: looking for tools may take longer than a second."""
        self.profile.prepare()
        if self._existing:
            self._existing.prepare()
        self._session.threads.begin_step(sum(role.threads for role in self._roles_here()))

    def begin(self) -> None:
        """Count from here on; after the warm-up `begin_measured` counts anew."""
        session = self._session
        session.host.others.begin()
        session.sampler.means.clear()
        session.sampler.begin(whole=True)
        self._first = session.sampler.moment
        self._costs.begin()
        self.waits.begin(self._first[1])
        if self._existing:
            self._existing.begin(self._first[1])
        self._progress.begin()

    def begin_roles(self, connections: Mapping[str, List[int]]) -> None:
        """All clients of all roles wait for the moment to begin."""
        here = {role.role for role in self._roles_here()}
        are_named = self.role_costs.begin({role: ids for role, ids in connections.items() if role in here})
        if not are_named and len(here) > 1:
            self._session.journal.log("{}: {}".format(self._step.label, UNNAMED))

    def _roles_here(self) -> List[Step]:
        """The step or its roles, as far as the server carries them out that is shown."""
        roles, server = self._session.plan.together(self._index), self._session.server
        return [each for each in roles if not isinstance(server, ExistingServer) or server.shows(each)]

    def begin_measured(self) -> None:
        session = self._session
        self._first = session.sampler.look(whole=True)  # the latest sample may be older
        self._costs.begin()
        self.profile.begin()
        self.waits.begin(self._first[1])
        if self._existing:
            self._existing.begin(self._first[1])
        self.role_costs.begin_measured()
        session.threads.begin_part()
        if isinstance(session.generator, RemoteGenerators):
            session.generator.begin_measured()
        session.journal.write(MomentEvent, name="measured", step=self._index)

    def end(self) -> None:
        """The load has ended, however that was."""
        self.profile.end()
        self.waits.stop()
        self._session.threads.end_step()

    # while the load runs

    def read(self, generator: Driving, seconds: float) -> List[Dict[str, Any]]:
        """Its new lines, [] after the time limit; looks at the threads of the server meanwhile."""
        end, threads = time.monotonic() + seconds, self._session.threads
        lines: List[Dict[str, Any]] = []
        while not lines and generator.is_open:
            lines = generator.read(threads.due_in(end - time.monotonic()))
            threads.look()
            if time.monotonic() >= end:
                break
        return lines

    def look(self) -> str:
        """React to requests, and take what is due; returns why the step is to end early."""
        self._session.look(self._index)
        if self._session.control.takes_profile():
            self._begin_profile()
        self.profile.look()
        return self._session.control.interrupts

    def _begin_profile(self) -> None:
        """A person asks where the server spends its time, from now to the end of the step."""
        if self.profile.request():
            second = float(self._s)
            self._session.journal.write(MomentEvent, name="profiled", step=self._index, value=second)

    def take(self, line: Mapping[str, Any]) -> None:
        """Take a line of the generator."""
        kind, generator = line.get("type"), self._session.generator
        if self._step.load_cores and generator and not self.in_force:
            self.in_force["load_cores"] = affinity(generator.pid)
        if kind == "second":
            self._take_second(line)
        elif kind == "measured":
            self.begin_measured()
            self.counted.warm_rows = line["rows"]
        elif kind == "statement":
            self.counted.statement = str(line["text"])
        elif kind == "figure":
            self.counted.statement_times.take(line)
        elif kind == "schedule":
            self.counted.behind_s = float(line["behind_s"])
        elif kind == "total":
            self.take_total(line)

    def _take_second(self, line: Mapping[str, Any]) -> None:
        second = round(float(line["time_s"])) - 1 - self._step.warmup
        self.role_costs.look(line.get("roles", {}))
        self.counted.add_second(line, second >= 0)
        if second < self._s:
            return  # its second was sampled without it: the load of that second stays missing
        self._s = second
        self._count(line)

    def take_slice(self, line: Mapping[str, Any], s: int) -> None:
        """Take the slices of second `s`."""
        self._s = s
        self.counted.add_second(line, True)
        self._count(line)

    def _count(self, line: Mapping[str, Any]) -> None:
        self.counted.add_sampled(line, self._s >= 0)
        if self._s >= max(0, self._step.seconds - LAST):
            self._costs.look(summed_query_count(self.counted.measured))  # the clients are there still
        self._sample(line)

    def _sample(self, line: Optional[Mapping[str, Any]], derived: bool = False) -> None:
        is_scan = self._step.kind == "scan"
        latencies = self.counted.of_second if line else None
        self._session.sampler.take(self._index, self._s, line, derived, is_scan, latencies)
        if self._session.sampler.has_server or _has_answers(line):
            self._answered_at = time.monotonic()
        self._s += 1
        self._progress.write(self.counted, line)

    @property
    def late_in_s(self) -> float:
        """When the host is sampled without a line, unless one comes."""
        return self._session.sampler.at + LATE_S - time.monotonic()

    @property
    def silent_s(self) -> float:
        """How long the server has answered neither its clients nor Dyno."""
        return time.monotonic() - self._answered_at

    def sample_if_late(self) -> None:
        if self.late_in_s <= 0 and not self.counted.total:
            self._sample(None)

    def begin_slice(self) -> None:
        """The load goes on after a pause, which no rate may contain."""
        self._session.sampler.begin()
        self._session.threads.begin()

    def take_total(self, line: Mapping[str, Any]) -> None:
        """Write the last second: the total minus the intervals, marked as derived."""
        self.profile.end()
        session, counted = self._session, self.counted
        total = counted.total = dict(line)
        session.await_last_client()
        if self._step.kind == "scan":  # it knows the rows of the load, we know what came and went since
            total["rows"] = {**line["rows"], "read": session.write_accounting.rows_in_tables}
        rest = counted.rest(line)
        if rest and (not self._step.seconds or self._s < self._step.seconds):
            self._sample(rest, derived=True)
        self._last = session.sampler.look(whole=True)
        self.waits.end(self._last[1])
        if self._existing:
            self._existing.end(self._last[1], self._queries_here())

    def _queries_here(self) -> int:
        """Of all roles that the shown server carries out, in the measured part."""
        load, total = self._session.generator, self.counted.total or {}
        if not isinstance(load, RoleGenerators):
            return summed_query_count(total)
        here = {each.role for each in self._roles_here()}
        return sum(summed_query_count(each.total or {}) for each in load.roles if each.step.role in here)

    # what the measured part took

    def spent(self, queries: int) -> Dict[str, Optional[float]]:
        """What machine and server used, named like the costs per query."""
        spent = self._session.sampler.spent(self._first, self._last)
        spent.update(self._costs.spent(queries, spent["cpu_us"]))
        spent.update(self.profile.spent())
        if self._session.only_drives:
            spent.update(dict.fromkeys(OF_MACHINE))
        return spent

    def existing(self, queries: int) -> Tuple[Dict[str, Any], List[str]]:
        """Of a server that runs already: what is not its own in the step, and marks; else nothing."""
        if self._existing is None or self.counted.total is None:
            return {}, []
        total, during_ms = self.counted.total, self._session.sampler.round_trip_ms
        avg = total.get("latency_ms", {}).get("avg")
        mean_ms = avg * int(total["events"]) / queries if avg and queries else None
        here = self._existing.queries
        return self._existing.fact(here, during_ms, mean_ms), self._existing.marks(
            here, self._step.kind in PREPARING
        )

    def others(self) -> Others:
        return self._session.others_between(self._first[0], self._last[0])


def _has_answers(line: Optional[Mapping[str, Any]]) -> bool:
    """Whether a client, of any role, was answered in a second."""
    lines = [line, *line.get("roles", {}).values()] if line else []
    return any(map(summed_query_count, lines))


class GeneratorCounts:
    """The counts of the load generator, from its lines: by second as they come, and in total at its end."""

    def __init__(self) -> None:
        self.measured: Dict[str, Any] = {}  # the measured intervals that have a sample
        self.latencies: Counts = {}  # of the measured seconds, also those without a sample
        self.of_second: Optional[Counts] = None  # the latest; None: they are not known
        self.rows: Dict[str, Any] = {}  # of all seconds
        self.warm_rows: Dict[str, Any] = {}  # of the warm-up, once it is over
        self.total: Optional[Dict[str, Any]] = None
        self.events = 0
        self.statement_times = StatementTimes()
        self.statement = ""  # of the workload, to be explained; '' where it sends none
        self.behind_s: Optional[float] = None  # how far its schedule was; None: it has no rate

    def add_second(self, line: Mapping[str, Any], is_measured: bool) -> None:
        """Add what counts also where the second has no sample."""
        self.rows = add(self.rows, line["rows"])
        self.of_second = counts_of(line["buckets"]) if "buckets" in line else None
        if is_measured:
            add_counts(self.latencies, self.of_second or {})

    def add_sampled(self, line: Mapping[str, Any], is_measured: bool) -> None:
        """Add what counts only with a sample."""
        self.events += int(line["events"])
        if is_measured:
            self.measured = add(self.measured, {name: line[name] for name in COUNTS if name in line})

    def begin_measured(self) -> None:
        """The warm-up is over: what came so far is its own."""
        self.warm_rows, self.latencies = self.rows, {}

    def rest(self, total: Mapping[str, Any]) -> Dict[str, Any]:
        """The total minus the intervals, as a line; {} if nothing is left."""
        interval = float(total["time_s"]) - float(self.measured.get("interval_s", 0.0))
        if interval < LEAST_REST_S:
            return {}
        rest: Dict[str, Any] = {name: max(0, total[name] - self.measured.get(name, 0)) for name in OF_REST}
        rows = self.measured.get("rows", {})
        rest["rows"] = {
            name: max(0, count - rows.get(name, 0)) for name, count in total.get("rows", {}).items()
        }
        found = total.get("buckets")
        self.of_second = without(counts_of(found), self.latencies) if found else None
        return {**rest, "interval_s": interval}


class UntimedStepProgress:
    """Writes the progress of a step without a fixed time: rows of a load or a scan, or events."""

    def __init__(self, session: RunningSession, index: int, step: Step) -> None:
        self._session, self._index, self._step = session, index, step
        self._read_before: Optional[float] = None

    def begin(self) -> None:
        self._read_before = self._session.sampler.rows_read

    def write(self, counted: GeneratorCounts, line: Optional[Mapping[str, Any]]) -> None:
        """Write it after a second, if its line has come."""
        step = self._step
        if step.kind == "scan":
            self._write_scan()
        if line is None or step.seconds:
            return
        if step.kind == "load":
            done = counted.measured.get("rows", {}).get("inserted", 0)
            self._write(done, self._session.plan.rows_loaded_by(step), "rows")
        elif step.events:
            self._write(counted.events, step.events, "events")

    def _write_scan(self) -> None:
        """By the rows that the server has read, as a table takes minutes."""
        now, before = self._session.sampler.rows_read, self._read_before
        if now is not None and before is not None:
            total = self._session.write_accounting.rows_in_tables
            self._write(max(0.0, min(now - before, total)), total, "rows")

    def _write(self, done: float, total: float, unit: str) -> None:
        self._session.journal.write(ProgressEvent, step=self._index, done=done, total=total, unit=unit)


class ServerThreadCosts:
    """Switches of the server's threads, and how its CPU divides into user and system.

    A thread that ends takes its count along, and those of the clients end with the step. So they are read
    while the clients are still there, and what they did until then represents the whole step.
    """

    def __init__(self, server: Server) -> None:
        self._server = server
        self._first: Optional[ThreadCounters] = None
        self._last: Optional[ThreadCounters] = None
        self._queries = 0  # until the last look

    def begin(self) -> None:
        self._first, self._last = ThreadCounters.of(self._server.pid), None

    def look(self, queries: int) -> None:
        self._last, self._queries = ThreadCounters.of(self._server.pid), queries

    def spent(self, queries: int, cpu_us: Optional[float]) -> Dict[str, Optional[float]]:
        """The costs over the whole step, named like the costs per query; None if not read in time."""
        first, last = self._first, self._last
        if first is None or last is None or not self._queries:
            return {}
        voluntary, involuntary = last.switches_since(first)
        part = queries / self._queries
        user, system = last.user_s - first.user_s, last.system_s - first.system_s
        share = user / (user + system) if user + system > 0 else None
        known = cpu_us is not None and share is not None
        return {
            "voluntary_switches": voluntary * part,
            "involuntary_switches": involuntary * part,
            "cpu_user_us": (cpu_us or 0.0) * (share or 0.0) if known else None,
            "cpu_system_us": (cpu_us or 0.0) * (1 - (share or 0.0)) if known else None,
        }


class StepWaitsCounter:
    """What the threads of the server waited for in the measured part, by name, and its statements."""

    def __init__(self, session: RunningSession) -> None:
        self._session = session
        self._before: Optional[Amounts] = None
        self._after: Optional[Amounts] = None
        self._files: Dict[str, float] = {}  # bytes at the beginning, after `end` those since then
        self._statements: Digests = {}  # at the end

    def begin(self, status: Mapping[str, str]) -> None:
        """Begin to count, after the warm-up once more."""
        sampler = self._session.sampler
        self._before = sampler.waits.amounts(status)
        self._files = sampler.waits.files()
        sampler.statements.begin()
        sampler.locks.begin(status)

    def end(self, status: Mapping[str, str]) -> None:
        sampler = self._session.sampler
        self._after = sampler.waits.amounts(status)
        files = sampler.waits.files()
        self._files = {name: bytes_ - self._files.get(name, 0.0) for name, bytes_ in files.items()}
        self._statements = sampler.statements.end()

    def stop(self) -> None:
        self._session.sampler.statements.stop()

    def fields(self, queries: int) -> Dict[str, Any]:
        """The fields of step_ended; none if the server restarted or does not tell, or before the end."""
        before, after = self._before, self._after
        if before is None or after is None or has_restarted(before, after):
            return {}
        sampler = self._session.sampler
        events = self._events(wait_differences(before, after), queries)
        measured = sampler.waits.kinds
        kinds = {kind: sum(each.ms or 0.0 for each in events if each.kind == kind) for kind in measured}
        found = Waits(
            sampler.waits.is_on,
            {kind: round(ms, 3) for kind, ms in kinds.items()},
            _longest(events),
            sampler.locks.pairs(),
            {name: moved for name, moved in self._files.items() if moved > 0},
        )
        statements = sampler.statements.since_begin(self._statements)
        return {"waits": found, "statements": statements}

    def _events(self, amounts: Amounts, queries: int) -> List[Wait]:
        waits = engine_of(self._session.contender.engine).status_waits
        kinds = {each.name: each.kind for each in waits}
        found = [
            Wait(
                name[:LONGEST],
                kinds.get(name) or wait_event_kind(name),
                amount.times,
                None if amount.ms is None else round(amount.ms, 3),
                None if amount.ms is None or not queries else round(amount.ms * 1e3 / queries, 4),
            )
            for name, amount in amounts.items()
        ]
        return [each for each in found if each.kind in KINDS]


def _longest(events: List[Wait]) -> List[Wait]:
    """The longest first, then those that are only counted."""
    counted = [each for each in events if each.ms is None]
    timed = sorted((each for each in events if each.ms is not None), key=lambda each: -(each.ms or 0.0))
    return [*timed[: MOST_WAITS - len(counted)], *counted]
