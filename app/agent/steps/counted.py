"""What the load generator has counted in a step so far, added up from its lines."""

from __future__ import annotations

from typing import Any, Dict, Mapping, Optional

from app.agent.load.generator import add
from app.protocol.latency import Counts, buckets_of, counts_of, without
from app.protocol.latency import add as add_counts

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
