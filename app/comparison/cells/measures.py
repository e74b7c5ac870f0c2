"""What steps can be compared by: their figure, and what else is known of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from app.core.errors import InputError
from app.core.nearest import did_you_mean
from app.engines import all_figures
from app.history.steps.replica_lags import LagOfSlowestReplica, lag_of_slowest_replica
from app.protocol.plan import QPS_UNIT
from app.protocol.thread_states import TITLES, client_time_figure

if TYPE_CHECKING:
    from app.history.steps.figures import StepEntry

    from .cell import ColumnFigure, Row

PER_QUERY, PER_ROW = " per query", " per row"  # of the titles of costs
ROWS = "rows/s"  # the unit of steps that read or write rows as fast as they can


@dataclass(frozen=True)
class Measure:
    """Something that steps can be compared by."""

    name: str
    title: str
    unit: str  # {per}, {of}: what a latency, a cost of the step is of; {figure}: the unit of its result
    read: Callable[[StepEntry], float | None]
    direction: str = "lower"
    marks: Callable[[StepEntry], Sequence[str]] = lambda _: ()  # of this value of a step, not of the step
    resolution: Callable[[StepEntry], float] = lambda _: 0.0  # a smaller difference cannot be measured

    def unit_of(self, row: Row) -> str:
        """The unit for this step; a step that counts rows has costs per row."""
        return self.unit.format(
            per=row.latency_per, of="row" if row.unit == ROWS else "query", figure=row.unit
        )

    def title_of(self, unit: str) -> str:
        """The title for steps with this unit: `CPU per row`."""
        return self.title.replace(PER_QUERY, PER_ROW) if unit.endswith("/row") else self.title


def _latency(name: str) -> Callable[[StepEntry], float | None]:
    return lambda step: step["latency_ms"].get(name)


def _cost(name: str) -> Callable[[StepEntry], float | None]:
    """A cost per query; per row if rows are the result of the step."""

    def read(step: StepEntry) -> float | None:
        spent, per = step["per_query"].get(name), _rows_a_query(step) if step["unit"] == ROWS else 1.0
        return spent / per if spent is not None and per else None

    return read


def _rows_a_query(step: StepEntry) -> float | None:
    rows = (step["value"] or 0.0) * (step["seconds"] or 0.0)
    return rows / step["queries"] if step["queries"] else None


def _mb(name: Literal["data_bytes", "size_bytes"]) -> Callable[[StepEntry], float | None]:
    return lambda step: None if step[name] is None else (step[name] or 0) / 2**20


def _settled(
    name: Literal["write_amplification", "space_amplification"],
) -> Callable[[StepEntry], float | None]:
    return lambda step: step["settled"] and step["settled"][name]


def _of_seconds(
    name: Literal["slowest", "below_half_pct", "longest_stall_s", "history_list_max"],
) -> Callable[[StepEntry], float | None]:
    return lambda step: step["soak"] and step["soak"][name]


def _of_kind(name: Literal["share_pct", "rolled_back_pct"]) -> Callable[[StepEntry], float | None]:
    return lambda step: step["of_kind"] and step["of_kind"][name]


def _of_engine(name: str) -> Callable[[StepEntry], float | None]:
    return lambda step: step["engine_figures"].get(name)


def _for_price(step: StepEntry) -> float | None:
    """Queries for one USD, or what the price of a server that runs already is in."""
    price = (step["existing"] or {}).get("price")
    return step["value"] * 3600 / price if price and step["value"] and step["unit"] == QPS_UNIT else None


def _of_lag(step: StepEntry) -> LagOfSlowestReplica | None:
    return lag_of_slowest_replica(step["existing"])


# unit and direction are the step's own
FIGURE = Measure("value", "Result", "", lambda step: step["value"])
LATENCIES = ("p50_ms", "p95_ms", "p99_ms")  # of these measures
# of the seconds of a timed step of a minute or more; its trends may be negative, and a ratio says nothing
SOAK = (
    Measure("slowest", "Slowest second", "{figure}", _of_seconds("slowest"), "higher"),
    Measure("below_half_pct", "Seconds below half of the median", "%", _of_seconds("below_half_pct")),
    Measure("longest_stall_s", "Longest stall", "s", _of_seconds("longest_stall_s")),
    Measure("history_list_max", "Longest history list", "transactions", _of_seconds("history_list_max")),
)
# of a kind of events; its mix is the workload's
OF_KINDS = (
    Measure("share_pct", "Share of the events", "%", _of_kind("share_pct"), ""),
    Measure("rolled_back_pct", "Rolled back by chance", "%", _of_kind("rolled_back_pct"), ""),
)
MEASURES = (
    FIGURE,
    Measure("p50_ms", "Latency p50", "ms/{per}", _latency("p50")),
    Measure("p95_ms", "Latency p95", "ms/{per}", _latency("p95")),
    Measure("p99_ms", "Latency p99", "ms/{per}", _latency("p99")),
    Measure("cpu_us", "CPU per query", "us/{of}", _cost("cpu_us")),
    Measure("machine_cpu_us", "CPU of the machine per query", "us/{of}", _cost("machine_cpu_us")),
    Measure("disk_busy_us", "Disk at work per query", "us/{of}", _cost("disk_busy_us")),
    Measure("cpu_user_us", "User CPU of the server per query", "us/{of}", _cost("cpu_user_us")),
    Measure("cpu_system_us", "System CPU of the server per query", "us/{of}", _cost("cpu_system_us")),
    Measure("voluntary_switches", "Waits of server threads per query", "/{of}", _cost("voluntary_switches")),
    Measure(
        "involuntary_switches",
        "Preemptions of server threads per query",
        "/{of}",
        _cost("involuntary_switches"),
    ),
    Measure(
        "context_switches", "Context switches of the machine per query", "/{of}", _cost("context_switches")
    ),
    Measure("rows_read", "Rows read per query", "/{of}", _cost("rows_read")),
    Measure("server_read_kb", "KiB read by the server per query", "KB/{of}", _cost("server_read_kb")),
    Measure(
        "server_written_kb", "KiB written by the server per query", "KB/{of}", _cost("server_written_kb")
    ),
    Measure("reads", "Reads of the device per query", "/{of}", _cost("reads")),
    Measure("read_kb", "KiB read by the device per query", "KB/{of}", _cost("read_kb")),
    Measure("written_kb", "KiB written by the device per query", "KB/{of}", _cost("written_kb")),
    Measure("log_kb", "KiB of log per query", "KB/{of}", _cost("log_kb")),
    Measure("cycles", "Cycles per query", "/{of}", _cost("cycles")),
    Measure("instructions", "Instructions per query", "/{of}", _cost("instructions")),
    Measure(
        "other_instructions", "Instructions of other threads per query", "/{of}", _cost("other_instructions")
    ),
    Measure("branch_misses", "Mispredicted branches per query", "/{of}", _cost("branch_misses")),
    Measure("cache_misses", "Cache misses per query", "/{of}", _cost("cache_misses")),
    Measure("tlb_misses", "TLB misses per query", "/{of}", _cost("tlb_misses")),
    Measure("page_faults", "Page faults per query", "/{of}", _cost("page_faults")),
    *(
        Measure(name, f"Client threads, {title} per query", "us/{of}", _cost(name))
        for name, title in zip(map(client_time_figure, TITLES), TITLES.values(), strict=True)
    ),
    Measure("size_mb", "Tables and indexes", "MB", _mb("data_bytes")),
    Measure("directory_mb", "Data directory", "MB", _mb("size_bytes")),
    Measure("space_amplification", "Space amplification", "bytes/byte", _settled("space_amplification")),
    Measure("write_amplification", "Write amplification", "bytes/byte", _settled("write_amplification")),
    Measure("select_min_ms", "SELECT MIN of the key, mean", "ms", _of_engine("select_min_ms")),
    Measure("errors", "Errors", "errors", lambda step: step["errors"]),
    Measure("for_price", "Queries for one unit of money", "queries", _for_price, "higher"),
    Measure(
        "lag",
        "Median lag of the slowest replica",
        "ms",
        lambda step: lag.ms if (lag := _of_lag(step)) else None,
        marks=lambda step: lag.marks if (lag := _of_lag(step)) else (),
        resolution=lambda step: lag.resolution_ms if (lag := _of_lag(step)) else 0.0,
    ),
    *SOAK,
    *OF_KINDS,
    *(
        Measure(each.name, each.title, each.unit, _of_engine(each.name), each.direction)
        for each in all_figures()
    ),
)
# measures that not every engine, and not every workload, has
OF_ENGINE = frozenset(("select_min_ms", *(each.name for each in all_figures())))
_OF_SOAK = frozenset(each.name for each in SOAK)
_OF_KINDS = frozenset(each.name for each in OF_KINDS)


class Measures(Mapping[str, "list[ColumnFigure]"]):
    """The values of a step by the name of a measure; read when asked for, as most are never shown."""

    def __init__(self, measures: Iterable[Measure], read: Callable[[Measure], list[ColumnFigure]]) -> None:
        self._measures = {each.name: each for each in measures}
        self._read = read
        self._found: dict[str, list[ColumnFigure]] = {}

    def __getitem__(self, name: str) -> list[ColumnFigure]:
        if name not in self._found:
            self._found[name] = self._read(self._measures[name])
        return self._found[name]

    def __contains__(self, name: object) -> bool:
        return name in self._measures

    def __iter__(self) -> Iterator[str]:
        return iter(self._measures)

    def __len__(self) -> int:
        return len(self._measures)


def step_measures(places: Sequence[Sequence[StepEntry | None]]) -> list[Measure]:
    """The measures of a step in these sessions, without its result and figures that none of them has."""
    reported = {
        name for place in places for step in place if step is not None for name in step["engine_figures"]
    }
    if any(step["soak"] for place in places for step in place if step is not None):
        reported |= _OF_SOAK
    if any(step["of_kind"] for place in places for step in place if step is not None):
        reported |= _OF_KINDS
    seldom = OF_ENGINE | _OF_SOAK | _OF_KINDS
    return [each for each in MEASURES if each.name in reported or not (each is FIGURE or each.name in seldom)]


def measure_named(name: str) -> Measure:
    """The measure with this name; raises InputError if there is none."""
    for measure in MEASURES:
        if measure.name == name:
            return measure
    known = [each.name for each in MEASURES]
    raise InputError(f"no measure {name!r}{did_you_mean(name, known)}: choose one of {', '.join(known)}")
