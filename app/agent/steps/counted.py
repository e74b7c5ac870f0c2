"""What is counted in a step: by the load generator, of the server's threads, and of what they waited for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional

from app.agent.load.generator import add
from app.agent.sampling.process import Threads
from app.agent.sampling.statements import Digests
from app.agent.sampling.waits import Amounts, between, has_restarted
from app.agent.server.server import Server
from app.engines import engine_of
from app.engines.waits import KINDS, kind_of
from app.protocol.events import Progress
from app.protocol.latency import Counts, buckets_of, counts_of, without
from app.protocol.latency import add as add_counts
from app.protocol.waits import LONGEST, MOST_WAITS, Wait, Waits, to_json

if TYPE_CHECKING:
    from app.protocol.plan import Step

    from .running import Running

COUNTS = ("interval_s", "events", "reads", "writes", "other", "errors", "reconnects", "control", "rows")
OF_REST = ("events", "reads", "writes", "other", "errors", "reconnects")
LEAST_REST_S = 0.05


class Counted:
    """The counts of the load generator, from its lines: by second as they come, and in total at its end."""

    def __init__(self) -> None:
        self.measured: Dict[str, Any] = {}  # the measured intervals that have a sample
        self.latencies: Counts = {}  # of the measured seconds, also those without a sample
        self.rows: Dict[str, Any] = {}  # of all seconds
        self.warm_rows: Dict[str, Any] = {}  # of the warm-up, once it is over
        self.total: Optional[Dict[str, Any]] = None
        self.events = 0
        self.statement = ""  # of the workload, to be explained; '' where it sends none
        self.behind_s: Optional[float] = None  # how far its schedule was; None: it has no rate

    def add_second(self, line: Mapping[str, Any], is_measured: bool) -> None:
        """Add what counts also where the second has no sample."""
        self.rows = add(self.rows, line["rows"])
        if is_measured:
            add_counts(self.latencies, counts_of(line.get("buckets", ())))

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
        if total.get("buckets"):
            rest["buckets"] = buckets_of(without(counts_of(total["buckets"]), self.latencies))
        return {**rest, "interval_s": interval}


class StepProgress:
    """Writes the progress of a step without a fixed time: rows of a load or a scan, or events."""

    def __init__(self, session: Running, index: int, step: Step) -> None:
        self._session, self._index, self._step = session, index, step
        self._read_before: Optional[float] = None

    def begin(self) -> None:
        self._read_before = self._session.sampler.rows_read

    def write(self, counted: Counted, line: Optional[Mapping[str, Any]]) -> None:
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
        self._session.journal.write(Progress, step=self._index, done=done, total=total, unit=unit)


class ThreadCosts:
    """Switches of the server's threads, and how its CPU divides into user and system.

    A thread that ends takes its count along, and those of the clients end with the step. So they are read
    while the clients are still there, and what they did until then represents the whole step.
    """

    def __init__(self, server: Server) -> None:
        self._server = server
        self._first: Optional[Threads] = None
        self._last: Optional[Threads] = None
        self._queries = 0  # until the last look

    def begin(self) -> None:
        self._first, self._last = Threads.of(self._server.pid), None

    def look(self, queries: int) -> None:
        self._last, self._queries = Threads.of(self._server.pid), queries

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


class NamedWaits:
    """What the threads of the server waited for in the measured part, by name, and its statements."""

    def __init__(self, session: Running) -> None:
        self._session = session
        self._before: Amounts = {}
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
        """The fields of step_ended; none if the server restarted, or before the end."""
        after = self._after
        if after is None or has_restarted(self._before, after):
            return {}
        sampler = self._session.sampler
        events = self._events(between(self._before, after), queries)
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
        return {"waits": to_json(found), "statements": [to_json(each) for each in statements]}

    def _events(self, amounts: Amounts, queries: int) -> List[Wait]:
        waits = engine_of(self._session.contender.engine).status_waits
        kinds = {each.name: each.kind for each in waits}
        found = [
            Wait(
                name[:LONGEST],
                kinds.get(name) or kind_of(name),
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
