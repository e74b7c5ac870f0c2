"""How far replicas are behind: a number that the primary gets once a second, and when each shows it.

All times are of the agent's own clock, from the primary's answer to the look that finds the number: at most
the time between two looks too long. A number that has not arrived waits in a queue, so that a lag of minutes
is found too.
"""

from __future__ import annotations

import os
import re
import threading
import time
from collections import deque
from math import ceil, inf, isfinite
from statistics import median
from typing import Any, Deque, Dict, Iterator, List, NamedTuple, Optional, Sequence

from app.agent.server.mysql import READ_S, Client, QueryError
from app.agent.system.errors import AgentError

from .relayed import RelayedServer

BEAT_S = 1.0
LOOKS_S = (0.003, 0.01, 0.02, 0.05, 0.1)  # from a beat, then from one look to the next
SHARE = 0.05  # of the most that a replica may be asked
HELD_S = 1.5  # for so long the latest lag stands for now: beats and seconds are not in step
STILL_S = 60.0  # in which a replica has to show something new
LONGER = 2.0  # times the session so far, as what took long there may take long on the replica
NO_TABLE = "1146 "  # it has not arrived yet
_NUMBER = re.compile("[0-9]{1,9}")
_INSERT = "INSERT INTO dyno_marker VALUES ('beat', '', '{} 0', UTC_TIMESTAMP())"
_BEAT = "UPDATE dyno_marker SET about = '{} {}', at = UTC_TIMESTAMP() WHERE kind = 'beat'"
_SHOWN = "SELECT about FROM dyno_marker WHERE kind = 'beat'"
_STILL = (
    "it has shown nothing new for {:.0f} s of what Dyno writes on its primary: check that it replicates it"
)


class Beat(NamedTuple):
    """One number: when the primary had it, how long the replica took, and by how much that is too long."""

    at: float
    lag_s: float
    late_s: float


class ReplicaLag(threading.Thread):
    """Looks at one replica, at most 15 times a second."""

    def __init__(self, server: RelayedServer, token: str) -> None:
        super().__init__(name="lag of " + server.name, daemon=True)
        self.server = server
        self._client, self._token = server.another_client(READ_S), token
        self._lock, self._beaten, self._ended = threading.Lock(), threading.Event(), threading.Event()
        most = server.place.max_queries
        self._least_s = 1.0 / (SHARE * most) if most else 0.0  # between two looks
        self._waiting: Deque[Any] = deque()  # number, and when the primary had it
        self._seen: List[Beat] = []
        self._lost: List[float] = []  # beats whose arrival nobody has seen
        self._looked_at = 0.0  # when the latest look began
        self._worst: Optional[float] = None  # since the latest sample
        self._held: Optional[float] = None
        self._held_at = 0.0
        self.row = ""  # as it was shown last
        self.problem = ""  # why the latest look was not answered
        self.awaited_s = 0.0  # before the step

    @property
    def number(self) -> int:
        """The latest of this session that was shown."""
        token, _, number = self.row.partition(" ")
        return int(number) if token == self._token and _NUMBER.fullmatch(number) else 0

    def expect(self, number: int, at: float) -> None:
        with self._lock:
            self._waiting.append((number, at))
        self._beaten.set()

    def run(self) -> None:
        looks = 0
        while not self._ended.is_set():
            if not self._waiting:
                self._beaten.wait(BEAT_S)
                self._beaten.clear()
                looks = 0
            elif not self._ended.wait(max(LOOKS_S[min(looks, len(LOOKS_S) - 1)], self._least_s)):
                self._look()
                looks += 1
        self._client.close()

    def _look(self) -> None:
        began = time.monotonic()
        try:
            row, self.problem = _row_of(self._client), ""
        except QueryError as error:
            self._lose(str(error))
            return
        with self._lock:
            self.row = row
            self._take(began, time.monotonic())

    def _take(self, began: float, now: float) -> None:
        number, lags = self.number, [self._worst or 0.0]
        while self._waiting and self._waiting[0][0] <= number:
            _, at = self._waiting.popleft()
            self._seen.append(Beat(at, now - at, now - max(self._looked_at, at)))
            lags.append(now - at)
        lags += [began - at for _, at in list(self._waiting)[:1]]
        self._looked_at, self._worst = began, max(lags)

    def _lose(self, problem: str) -> None:
        """It does not answer: when the numbers so far arrive is not to be known."""
        with self._lock:
            self.problem = problem
            self._lost += [at for _, at in self._waiting]
            self._waiting.clear()
            self._worst = self._held = None

    def now_ms(self) -> Optional[float]:
        """The longest lag since the latest sample; None where the replica does not answer."""
        now = time.monotonic()
        with self._lock:
            if self._worst is not None:
                self._held, self._held_at, self._worst = self._worst, now, None
            elif now - self._held_at > HELD_S:
                self._held = None
            return None if self._held is None else self._held * 1e3

    def forget(self) -> None:
        """Those of earlier steps."""
        with self._lock:
            self._seen, self._lost = [], []

    def fact(self, first: float, last: float) -> Dict[str, Any]:
        """The lags of the numbers of a step; of one that has not arrived what it has taken so far."""
        with self._lock:
            seen = [each for each in self._seen if first <= each.at <= last]
            waiting = [max(0.0, self._looked_at - at) for _, at in self._waiting if first <= at <= last]
            lost = sum(first <= at <= last for at in self._lost)
        lags = sorted([*(each.lag_s for each in seen), *waiting])
        most = median([*(each.lag_s for each in seen), *[inf] * len(waiting)]) if lags else inf
        return {
            "name": self.server.name,
            "median_ms": _ms(median(lags)) if lags else None,
            "median_most_ms": _ms(most) if isfinite(most) else None,
            "p95_ms": _ms(lags[ceil(0.95 * len(lags)) - 1]) if lags else None,
            "longest_ms": _ms(lags[-1]) if lags else None,
            "resolution_ms": _ms(max(each.late_s for each in seen)) if seen else None,
            "beats": len(lags),
            "waiting": len(waiting),
            "lost": lost,
            "awaited_s": round(self.awaited_s, 3),
        }

    def end(self) -> None:
        self._ended.set()
        self._beaten.set()


class Beats(threading.Thread):
    """Writes the numbers on the primary."""

    def __init__(self, primary: RelayedServer, replicas: Sequence[RelayedServer]) -> None:
        super().__init__(name="beats", daemon=True)
        self._primary, self._client = primary, primary.another_client(READ_S)
        self._token = os.urandom(4).hex()
        self._hurried, self._is_over = threading.Event(), False
        self.rest = False  # while the server settles: it would never come to rest
        self._begun = self._answered = 0  # numbers
        self._problem = ""
        self._since = time.monotonic()
        self.lags = {each.name: ReplicaLag(each, self._token) for each in replicas}

    def begin(self) -> None:
        self._client.run(_INSERT.format(self._token))
        for each in self.lags.values():
            each.start()
        self.start()

    def run(self) -> None:
        while not self._is_over:
            due = time.monotonic() + BEAT_S
            if not self.rest:
                self._beat()
            self._hurried.wait(max(0.0, due - time.monotonic()))
            self._hurried.clear()
        self._client.close()

    def _beat(self) -> None:
        self._begun += 1
        try:
            self._client.run(_BEAT.format(self._token, self._begun))
        except QueryError as error:
            self._problem = str(error)  # the next one may come through
            return
        self._answered, self._problem = self._begun, ""
        at = time.monotonic()
        for each in self.lags.values():
            each.expect(self._begun, at)

    def until_shown(self, name: str, still_s: float = 0.0) -> Iterator[None]:
        """Goes on until a replica has all that the primary has now; AgentError where it stands still.

        Without a time it has longer in a longer session.
        """
        lag, number, began = self.lags[name], self._begun + 1, time.monotonic()
        row, since = lag.row, began
        still_s = still_s or STILL_S + LONGER * (began - self._since)
        self._hurried.set()
        while lag.number < number:
            if lag.row != row:
                row, since = lag.row, time.monotonic()
            if time.monotonic() - since > still_s:
                raise AgentError(self._why(lag, number, still_s))
            yield
        lag.awaited_s = time.monotonic() - began

    def _why(self, lag: ReplicaLag, number: int, still_s: float) -> str:
        if self._answered < number:
            return self._primary.text_with("it does not take a row: {}".format(self._problem or "no answer"))
        if lag.problem:
            return lag.server.text_with(lag.problem)
        return lag.server.text_with(_STILL.format(still_s))

    def end(self) -> None:
        """Neither of them writes or looks any more."""
        self._is_over = True
        self._hurried.set()
        for each in self.lags.values():
            each.end()
        threads: Sequence[threading.Thread] = (*self.lags.values(), self)
        for thread in threads:
            if thread.is_alive():
                thread.join(READ_S)


def _row_of(client: Client) -> str:
    try:
        rows = client.query(_SHOWN)
    except QueryError as error:
        if str(error).startswith(NO_TABLE):
            return ""
        raise
    return str(rows[0]["about"]) if rows else ""


def _ms(seconds: float) -> float:
    return round(seconds * 1e3, 3)
