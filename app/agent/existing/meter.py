"""What of a step on a server that runs already is the network's, the relay's, or a neighbour's."""

from __future__ import annotations

import contextlib
import os
import time
from statistics import median
from typing import Any, Dict, Iterable, List, Mapping, Optional

from app.agent.server.mysql import Client, QueryError
from app.engines.query import named_whole_number
from app.protocol.events import NOT_ALONE, QUERY_LIMITED, REMOTE
from app.protocol.hosts import is_loopback

from .server import ExistingServer

TRIPS = 5  # of SELECT 1, of which the median counts
# of the statements of a step, and statements a second: less is no neighbour
NEIGHBOUR_SHARE, NEIGHBOUR_MOST = 0.02, 20.0
MOST_TICKED = 1000  # queries, below which the ticks of the clock say nothing of one
LIMITED_SHARE = 0.9  # of a limit: from here on it was what held the clients back
_TICK_S = 1.0 / os.sysconf("SC_CLK_TCK")


def round_trip_ms(client: Client, trips: int = TRIPS) -> Optional[float]:
    """The median time of SELECT 1 through the relay; None if it is not answered."""
    found: List[float] = []
    with contextlib.suppress(QueryError):
        for _ in range(trips):
            began = time.monotonic()
            client.query("SELECT 1")
            found.append((time.monotonic() - began) * 1e3)
    return median(found) if found else None


class ExistingServerMeter:
    """Reads before and after the measured part of a step."""

    def __init__(self, server: ExistingServer) -> None:
        self._server = server
        self._began = self._seconds = self._cpu_s = 0.0
        self._sent = 0
        self._questions: Optional[int] = None
        self._ended = 0.0
        self.queries = 0  # of the clients
        self._before_ms: Optional[float] = None
        self._statements: Optional[float] = None  # of all others

    def prepare(self) -> None:
        """Before the clients come."""
        for each in self._server.lags:
            each.forget()
        self._before_ms = round_trip_ms(self._server.client)

    def begin(self, status: Mapping[str, str]) -> None:
        self._began, self._cpu_s = _now(), cpu_s(self._server.relay.pids)
        self._sent, self._questions = self._server.sent, _questions(status)

    def end(self, status: Mapping[str, str], queries: int) -> None:
        """The clients are done: `queries` are theirs."""
        self.queries, self._ended = queries, _now()
        self._seconds = self._ended - self._began
        self._cpu_s = cpu_s(self._server.relay.pids) - self._cpu_s
        first, last = self._questions, _questions(status)
        own = self._server.sent - self._sent
        self._statements = None
        if first is not None and last is not None and last > first:
            self._statements = max(0.0, last - first - own - queries)

    def marks(self, queries: int, is_load: bool) -> List[str]:
        """What makes tables sends more statements than it counts."""
        is_remote = not all(is_loopback(each.place.host) for each in self._server.used)
        marks = [REMOTE] * is_remote + [NOT_ALONE] * (not is_load and self._has_neighbour(queries))
        return marks + [QUERY_LIMITED] * self._is_limited(queries)

    def _is_limited(self, queries: int) -> bool:
        most = self._server.shown.place.max_queries
        return bool(most) and self._seconds > 0 and queries / self._seconds > LIMITED_SHARE * most

    def _has_neighbour(self, queries: int) -> bool:
        most = max(NEIGHBOUR_SHARE * queries, NEIGHBOUR_MOST * self._seconds)
        return self._statements is not None and self._statements > most

    def fact(self, queries: int, during_ms: Optional[float], mean_ms: Optional[float]) -> Dict[str, Any]:
        """As a session keeps it; `mean_ms`: of a query of the clients."""
        network = None if self._server.several else self._network(during_ms, mean_ms)
        lags = [each.fact(self._began, self._ended) for each in self._server.lags]
        others = None if self._statements is None or not self._seconds else self._statements / self._seconds
        return {
            "rtt_before_ms": _rounded(self._before_ms),
            "rtt_during_ms": _rounded(during_ms),
            "rtt_after_ms": _rounded(round_trip_ms(self._server.client)),
            "network_pct": None if network is None else round(100 * network, 1),
            "relay_cpu_us": round(self._cpu_s * 1e6 / queries, 2) if queries >= MOST_TICKED else None,
            "others_statements": _rounded(others),
            "price": _amount(self._server.shown.price) if len(self._server.used) == 1 else None,
            **({"of": self._server.shown.name} if self._server.shown.name else {}),
            **({"lags": lags} if lags else {}),
        }

    def _network(self, during_ms: Optional[float], mean_ms: Optional[float]) -> Optional[float]:
        trips = [each for each in (self._before_ms, during_ms) if each is not None]
        return min(1.0, min(trips) / mean_ms) if trips and mean_ms else None


def _now() -> float:
    return time.monotonic()


def cpu_s(pids: Iterable[int]) -> float:
    """The CPU that these processes have taken so far."""
    total = 0.0
    for pid in pids:
        with contextlib.suppress(OSError, IndexError, ValueError):
            with open("/proc/{}/stat".format(pid), encoding="ascii", errors="replace") as file:
                words = file.read().rsplit(")", 1)[1].split()
            total += (int(words[11]) + int(words[12])) * _TICK_S
    return total


def _questions(status: Mapping[str, str]) -> Optional[int]:
    return named_whole_number(status, "questions")


def _amount(price: str) -> Optional[float]:
    """Of an hour; None where nobody has said it."""
    try:
        return float(price.partition(" ")[0]) or None
    except ValueError:
        return None


def _rounded(value: Optional[float]) -> Optional[float]:
    return None if value is None else round(value, 3)
