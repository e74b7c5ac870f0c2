"""What the threads of a server did in a step: states of client threads, and of background threads by kind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .reading import Count, Few, Name, Number

CLIENT = "client"  # the kind of thread that carries out the statements of a connection
OTHER = "other"  # a kind without a name: the build does not name it, or Dyno does not know the name
RUNNING, RUNNABLE, COMMIT, LOCK, UNKNOWN = "running", "runnable", "commit", "lock", "unknown"
TITLES = {  # the states, in the order in which people see them
    RUNNING: "running",
    RUNNABLE: "waiting for a CPU",
    "disk": "disk",
    "fsync": "fsync",
    COMMIT: "group commit",
    LOCK: "lock wait of unknown kind",
    "network": "network",
    "asleep": "asleep",
    UNKNOWN: "unknown",
}
STATES = tuple(TITLES)
COSTS = (  # what machine and server spend per query, besides the counters of the processor and these states
    "cpu_us", "machine_cpu_us", "disk_busy_us", "context_switches", "rows_read", "reads", "read_kb",
    "written_kb", "log_kb", "server_read_kb", "server_written_kb", "cpu_user_us", "cpu_system_us",
    "voluntary_switches", "involuntary_switches",
)  # fmt: skip
WRONG_BY = 0.02  # a share of the threads, for rounding
ON_CPU = (RUNNING, RUNNABLE)  # from the counters of the scheduler; all others from samples


def client_time_figure(state: str) -> str:
    """The name of the time of client threads in a state, among the costs per query."""
    return "client_{}_us".format(state)


def state_share_series(state: str) -> str:
    """The series with the share of a state in the client threads' time."""
    return "threads.{}_pct".format(state)


@dataclass(frozen=True)
class ThreadTimeShare:
    """A part of the time of threads."""

    pct: Number = 0.0
    error_pct: Number | None = None  # half of the 95 % interval, in points; None: less than two seconds


@dataclass(frozen=True)
class ThreadKindShares:
    """The threads of one kind."""

    threads: Number = 0.0  # mean
    samples: Count = 0
    seconds: Few = 0  # seconds or slices in which they were looked at
    shares: dict[Name, ThreadTimeShare] = field(default_factory=dict)  # by state; none: never seen

    @property
    def pcts(self) -> dict[str, float]:
        """Percent of their time, by state, in the order of the states."""
        return {state: self.shares[state].pct for state in STATES if state in self.shares}


@dataclass(frozen=True)
class ThreadStates:
    """By kind of thread; empty where nothing was read."""

    kinds: dict[Name, ThreadKindShares] = field(default_factory=dict)
    problem: Name = ""  # why there is no kind `client`


def consistent_client_costs(
    per_query: Mapping[str, Any], queries: float | None, seconds: float | None, threads: int
) -> dict[str, Any]:
    """The costs, without the times of client threads if these do not add up to that of all clients."""
    times = {name: per_query.get(name) or 0.0 for name in map(client_time_figure, STATES)}
    seen = sum(times.values()) * queries / seconds / 1e6 if queries and seconds else threads
    if abs(seen - threads) <= WRONG_BY * threads:
        return dict(per_query)
    return {name: value for name, value in per_query.items() if name not in times}


def shares_text(shares: Mapping[str, float], least_pct: float = 1.0) -> str:
    """`61 % lock wait of unknown kind, 12 % fsync`, the largest first."""
    found = sorted(shares.items(), key=lambda each: -each[1])
    return ", ".join("{:.0f} % {}".format(pct, TITLES[state]) for state, pct in found if pct >= least_pct)
