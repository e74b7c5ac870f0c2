"""What the load generator has counted in a step so far, added up from its lines, and how far it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Mapping, Optional

from app.agent.load.generator import add
from app.protocol.events import Progress
from app.protocol.latency import Counts, buckets_of, counts_of, without
from app.protocol.latency import add as add_counts

if TYPE_CHECKING:
    from app.protocol.plan import Step

    from .running import Running


COUNTS = ("interval_s", "events", "reads", "writes", "other", "errors", "reconnects", "control", "rows")
OF_REST = ("events", "reads", "writes", "other", "errors", "reconnects")
LEAST_REST_S = 0.05


class Counted:
    """The counts of a step: by second as they come, and in total at its end."""

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
