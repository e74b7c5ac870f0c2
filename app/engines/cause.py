"""Causes by name: the figures of a step that show one, and how much of its clients' time it can account for.

Figures and times are names of values, joined and chosen like status variables in `counter.py`: `a+b-c|d`. The
values are those of `history/steps/step_values.py`: costs per query, waits, load of others, means of series.
A cause of an engine is in the file of the engine.
"""

from __future__ import annotations

from typing import List, Mapping, NamedTuple, Optional, Tuple

from .counter import names_in, total_of

Values = Mapping[str, float]

# of the clients' threads, per query
RUNNING, WAITS_FOR_CPU = "client_running_us", "client_runnable_us"
DISK, NETWORK = "client_disk_us", "client_network_us"
FSYNC, COMMITS = "client_fsync_us", "client_commit_us"
UNNAMED = "unnamed_us"  # waiting that no wait has a name for
SYNCS, STALLS = "syncs_us", "stalls_us"  # also of clients that wait for the one that syncs or is stalled
SCHEDULE = "schedule_us"  # of clients that wait until their next event is due
SERVER_CPU = "server-cpu"  # where the time of the clients is not known
OTHERS = "others.share_pct"
TAKEN = ".taken_us"  # behind a share of time or CPUs: the clients' time that it is
_QUERY_CACHE = (
    "wait/synch/mutex/sql/Query_cache::structure_guard_mutex"
    "+wait/synch/cond/sql/Query_cache::COND_cache_status_changed"
)
US = "us per query"


class Cause(NamedTuple):
    """Something that can make queries slow."""

    name: str
    title: str  # a sentence
    words: str  # behind the figure
    figure: str
    least: float  # a smaller figure is no cause
    time: str  # microseconds per query
    per: str = ""  # what the figure is divided by
    scale: float = 1.0
    state: str = ""  # of the threads, where the time does not say so
    is_state: bool = False  # only what the threads did: left out where a reason accounts for half of it

    @property
    def names(self) -> str:
        """All that it reads, in one expression."""
        return "|".join(filter(None, (self.figure, self.per, self.time)))

    @property
    def states(self) -> List[str]:
        """The states of threads that it can be a reason of."""
        return [*names_in(self.time), self.state]

    def value(self, values: Values) -> Optional[float]:
        """The figure; None if it was not measured."""
        found, per = total_of(self.figure, values), total_of(self.per, values) if self.per else 1.0
        return None if found is None or not per else found / per * self.scale

    def time_us(self, values: Values) -> Optional[float]:
        """The clients' time that it can account for, at most all of it."""
        found, whole = total_of(self.time, values), values.get("client_us")
        return None if found is None or whole is None else min(max(found, 0.0), whole)


def _state(name: str, title: str, time: str, of: str = "") -> Cause:
    return Cause(name, title, US, time, 1.0, time, state=of or time, is_state=True)


def cache_miss_cause(cache: str, series: str, block: str) -> Cause:
    """A cache of an engine that does not hold what queries read; the system may have it in memory."""
    return Cause(
        "small-cache",
        "The data do not fit the {}".format(cache),
        "{} read per query".format(block),
        series,
        0.05,
        DISK + "+cpu_system_us|" + DISK,
        per="queries",
    )


def slow_syncs_cause(series: str) -> Cause:
    """Clients that wait long for each sync of a log."""
    return Cause(
        "slow-sync", "Syncs take long", "ms each", "client_fsync_ms", 2.0, SYNCS, series, state=FSYNC
    )


def slow_reads_cause(series: str) -> Cause:
    """Clients that wait long for each block that they read."""
    return Cause("slow-reads", "Reads take long", "ms each", "client_disk_ms", 1.0, DISK, per=series)


def compaction_cause(series: str) -> Cause:
    """An engine that merges files in the background."""
    return Cause(
        "compaction",
        "Compaction takes CPU and disk",
        "KiB written per query",
        series,
        1.0,
        "{}+{}".format(WAITS_FOR_CPU, DISK),
        per="queries",
    )


def table_locks_cause(series: str) -> Cause:
    """Table locks of an engine that locks whole tables, by the series of its waits."""
    figure, time = ("waits.table_lock_{0}|unnamed_{0}".format(unit) for unit in ("ms", "us"))
    return Cause("table-lock", "The clients wait for table locks", "ms each", figure, 0.1, time, per=series)


def _taken(name: str, title: str, words: str, figure: str, least: float) -> Cause:
    """CPU that others take: a client loses that share of its time."""
    return Cause(name, title, words, figure, least, figure + TAKEN, state=WAITS_FOR_CPU)


# of every server; where two account for the same time, the first comes first
CAUSES: Tuple[Cause, ...] = (
    Cause("row-lock", "The clients wait for row locks", US, "waits.row_lock_us", 1.0, "waits.row_lock_us"),
    Cause(
        "metadata-lock",
        "The clients wait for metadata locks",
        US,
        "waits.metadata_lock_us",
        1.0,
        "waits.metadata_lock_us",
    ),
    Cause("query-cache", "The clients wait for the query cache", US, _QUERY_CACHE, 1.0, _QUERY_CACHE),
    _taken("quota", "A CPU quota holds the server back", "% of the time", "others.throttled_pct", 1.0),
    _taken("steal", "The hypervisor takes CPU", "% of the CPUs", "others.steal_pct", 2.0),
    _taken("other-programs", "Other programs take CPU", "% of the CPUs", OTHERS, 5.0),
    Cause(
        "connections",
        "Connections are opened all the time",
        "per second",
        "server.connections",
        10.0,
        "{}+{}|{}".format(WAITS_FOR_CPU, UNNAMED, WAITS_FOR_CPU),
    ),
    Cause(
        "many-rows",
        "Queries read many rows, perhaps without an index",
        "rows per query",
        "rows_read",
        50.0,
        "{}+{}".format(RUNNING, WAITS_FOR_CPU),
    ),
    Cause(SERVER_CPU, "The server takes CPU", US, "cpu_us", 1.0, "cpu_us", is_state=True),
    _state("work", "The clients' threads run", RUNNING),
    _state("cpu", "The clients' threads wait for a CPU", WAITS_FOR_CPU),
    _state("disk", "The clients' threads wait for the disk", DISK),
    _state("sync", "The clients' threads wait for syncs", SYNCS, of=FSYNC),
    _state("link", "The server waits for its clients", NETWORK),
    _state("rate", "The clients wait for the rate of the step", SCHEDULE),
)
