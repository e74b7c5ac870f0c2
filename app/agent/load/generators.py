"""sysbench on several load targets, with the face of a single `Generator`."""

from __future__ import annotations

import contextlib
import queue
import time
from functools import partial
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

from app.agent.sampling.sampler import summed_query_count
from app.protocol.load_link import (
    BeginLoad,
    EndLoadRun,
    GeneratorEnded,
    Message,
    OpenGate,
    StartSysbench,
    SysbenchLine,
)
from app.protocol.load_shares import seed_of_share, split_load_step

from .clocks import Offset
from .generator import END_S, Generator
from .link import SILENCE_S, LoadLinkError
from .merging import LoadLineMerger, UnreadableLineError
from .roles import RoleGenerators

if TYPE_CHECKING:
    from app.protocol.plan import Step

    from .conductor import ConnectedLoadTargets

AHEAD_S = 0.3  # from the word to the moment at which all begin
MOST_WAITING = 1000  # messages of all load targets
BUSY_PCT = 90.0  # of the CPUs of a load target: it is the bottleneck from here on
LOPSIDED = 4.0  # times the events of a client on another load target
FEW = 100  # events of a load target, of which nothing can be said
_DROPPED = "the load target {} dropped out: the step ends; it is used again once it is back"


class LoadTargetLogin(NamedTuple):
    """Where the server listens for load targets, and the password of its account."""

    address: str
    port: int
    password: str


class LoadTargetWork:
    """What one load target has done in a step."""

    def __init__(self, name: str, threads: int) -> None:
        self.name = name
        self.threads = threads
        self.workers = threads  # clients that come to the gate of slices
        self.events = 0
        self.queries, self.latency_ms = 0, 0.0  # of these events, all together
        self.round_trip_s: Optional[float] = None
        self.cpu: List[float] = []  # percent of the machine, by second
        self.offset: Optional[Offset] = None
        self.has_ended = False

    def fact(self) -> Dict[str, Any]:
        offset = self.offset
        return {
            "name": self.name,
            "threads": self.threads,
            "events": self.events,
            "cpu_pct": None if self.cpu_pct is None else round(self.cpu_pct, 1),
            "rtt_ms": None if self.round_trip_s is None else round(self.round_trip_s * 1e3, 3),
            "network_pct": self._network_pct(),
            "clock_error_ms": None if offset is None else round(offset.error_s * 1e3, 3),
        }

    def _network_pct(self) -> Optional[float]:
        """The least share of its events' time that the network took: a round trip for each query."""
        if self.round_trip_s is None or self.latency_ms <= 0:
            return None
        return round(min(100.0, self.round_trip_s * 1e5 * self.queries / self.latency_ms), 1)

    def count(self, line: Mapping[str, Any]) -> None:
        """Add the events of a line, and how long they took where it says that."""
        events, mean = int(line["events"]), line.get("latency_ms", {}).get("avg")
        self.events += events
        self.queries += summed_query_count(line)
        self.latency_ms += 0.0 if mean is None else events * float(mean)

    def begin(self) -> None:
        """Count anew."""
        self.events = self.queries = 0
        self.latency_ms = 0.0

    @property
    def is_bottleneck(self) -> bool:
        return (self.cpu_pct or 0.0) >= BUSY_PCT

    @property
    def cpu_pct(self) -> Optional[float]:
        """How busy its CPUs were, on average; None before the first second."""
        return sum(self.cpu) / len(self.cpu) if self.cpu else None


class RemoteGenerators:
    """Runs a step on all load targets; gives the merged lines. Also the gate of its slices."""

    pid = 0  # of no process of this machine
    pids: Sequence[int] = ()

    def __init__(
        self,
        conductor: ConnectedLoadTargets,
        index: int,
        contender: int,
        step: Step,
        seed: int,
        login: LoadTargetLogin,
    ) -> None:
        self._conductor = conductor
        self._heard: queue.Queue[Tuple[str, Optional[Message]]] = queue.Queue(MOST_WAITING)
        self._run = conductor.hear(self._hear)
        shares = zip(conductor.names, split_load_step(step, len(conductor.names)))
        busy = [(name, each) for name, each in shares if each.threads]
        self.parts = [LoadTargetWork(name, each.threads) for name, each in busy]
        self._at = {name: at for at, (name, _) in enumerate(busy)}
        self._merging = LoadLineMerger(len(busy))
        self._waiting = 0  # clients that wait for the moment to begin
        self._threads, self._is_sliced = step.threads, step.sliced
        self._seconds: Dict[int, List[float]] = {}  # ends of the seconds of load targets, by our clock
        self._code = 0
        self._complaints: List[str] = []
        self.is_open = True
        drive = partial(
            StartSysbench,
            self._run,
            index,
            contender,
            clients=step.threads,
            seconds=step.seconds,
            **login._asdict(),
        )
        first = 0
        for at, (name, each) in enumerate(busy):
            share = {key: getattr(each, key) for key in ("threads", "rate", "events")}
            self._send(name, drive(first=first, seed=seed_of_share(seed, at), **share))
            first += each.threads

    def _hear(self, name: str, message: Optional[Message]) -> None:
        """In the thread of a load target, which waits if it says more than can be taken in."""
        with contextlib.suppress(queue.Full):
            self._heard.put((name, message), timeout=SILENCE_S)

    def read(self, timeout_s: float) -> List[Dict[str, Any]]:
        """The new merged lines, [] after the time limit; is_open is False after the last."""
        lines: List[Dict[str, Any]] = []
        end = time.monotonic() + max(0.0, timeout_s)
        while self.is_open and not lines:
            try:
                name, message = self._heard.get(timeout=max(0.001, end - time.monotonic()))
            except queue.Empty:
                break
            lines = self._take(name, message)
            if time.monotonic() >= end:
                break
        return lines

    def _take(self, name: str, message: Optional[Message]) -> List[Dict[str, Any]]:
        at = self._at.get(name)
        if at is None:
            return []
        if isinstance(message, SysbenchLine):
            return self._take_line(name, at, message)
        part, lines = self.parts[at], self._merging.end(at)
        if message is None and not part.has_ended:
            part.has_ended = True
            self._fail(_DROPPED.format(name))
        elif isinstance(message, GeneratorEnded):
            part.has_ended = True
            if message.code:
                said = message.complaints or ["sysbench ended with exit code {:.0f}".format(message.code)]
                self._fail(*("{}: {}".format(name, text) for text in said))
        self.is_open = self.is_open and not all(each.has_ended for each in self.parts)
        return lines

    def _take_line(self, name: str, at: int, message: SysbenchLine) -> List[Dict[str, Any]]:
        line = message.line if isinstance(message.line, dict) else {}
        if line.get("type") == "waiting":
            self._begin_when_all_wait()
            return []
        try:
            lines = self._merging.take(at, message.line)
        except UnreadableLineError as error:
            self._fail("{} said what cannot be read: {}".format(name, error))
            return []
        self._watch(self.parts[at], line, message)
        return lines

    def _watch(self, part: LoadTargetWork, line: Mapping[str, Any], message: SysbenchLine) -> None:
        """Keep how busy it was, and when its seconds ended by our clock."""
        if line["type"] in ("second", "slice"):
            part.count(line)
            part.cpu += [] if message.cpu_pct is None else [message.cpu_pct]
        elif line["type"] == "total" and not self._is_sliced:
            part.begin()  # it has the events of the last second too, and how long all took
            part.count(line)
        part.round_trip_s = self._conductor.round_trip_s(part.name) or part.round_trip_s
        part.workers = int(line.get("workers", part.workers))
        offset = self._conductor.clock(part.name).offset()
        if offset is not None and (part.offset is None or offset.error_s < part.offset.error_s):
            part.offset = offset
        if line["type"] == "second" and offset is not None:
            second = round(float(line["time_s"]))
            self._seconds.setdefault(second, []).append(message.clock - offset.seconds)

    def _begin_when_all_wait(self) -> None:
        self._waiting += 1
        if self._waiting < self._threads:
            return
        at = time.monotonic() + AHEAD_S
        for part in self.parts:
            offset = self._conductor.clock(part.name).offset()
            self._send(part.name, BeginLoad(self._run, at + (offset.seconds if offset else 0.0)))

    @property
    def apart_ms(self) -> Optional[float]:
        """The most that the same second of two load targets ended apart; None with one of them."""
        spread = [max(ends) - min(ends) for ends in self._seconds.values() if len(ends) > 1]
        return round(max(spread) * 1e3, 3) if spread else None

    def begin_measured(self) -> None:
        """The warm-up is over: what load targets did so far does not count."""
        for part in self.parts:
            part.begin()
            part.cpu = []

    # the gate of slices

    def open(self, _clients: int, seconds: float) -> None:
        """Open the gate of each load target for a slice, for all its clients that work."""
        for part in self.parts:
            self._send(part.name, OpenGate(self._run, part.workers, seconds))

    def dismiss(self, clients: int) -> None:
        """Let all clients go for good."""
        self.open(clients, 0.0)

    # the end

    def _send(self, name: str, message: Message) -> None:
        try:
            self._conductor.send(name, message)
        except LoadLinkError:
            self.parts[self._at[name]].has_ended = True
            self._fail(_DROPPED.format(name))

    def _fail(self, *complaints: str) -> None:
        """End the step on all load targets."""
        if not self._complaints:
            self._code, self._complaints = 1, list(complaints)
            for part in self.parts:
                if not part.has_ended:
                    self._send(part.name, EndLoadRun(self._run))
        self.is_open = False

    def stop(self) -> None:
        """End what still runs, and wait a moment for it."""
        for part in self.parts:
            if not part.has_ended:
                self._send(part.name, EndLoadRun(self._run))
        end = time.monotonic() + END_S + 1
        while not all(part.has_ended for part in self.parts) and time.monotonic() < end:
            with contextlib.suppress(queue.Empty):
                name, message = self._heard.get(timeout=0.1)
                if not isinstance(message, SysbenchLine) and name in self._at:
                    self.parts[self._at[name]].has_ended = True
        self.close()

    def close(self) -> None:
        self.is_open = False
        self._conductor.forget(self._run)

    def wait(self) -> int:
        """The exit code: that of the first one that failed."""
        self.close()
        return self._code

    def complaints(self) -> List[str]:
        return self._complaints

    def fact(self) -> Dict[str, Any]:
        """What each load target did, and how far apart their seconds were."""
        return {"targets": [part.fact() for part in self.parts], "apart_ms": self.apart_ms}

    @property
    def lopsided(self) -> str:
        """The load targets with most and fewest events of a client, where these are far apart; else ''."""
        least, most = min(self.parts, key=_each), max(self.parts, key=_each)
        if most.events < FEW or _each(most) < LOPSIDED * _each(least):
            return ""
        return "{} drove {:,} events, {} {:,}".format(least.name, least.events, most.name, most.events)

    @property
    def bottlenecks(self) -> Sequence[str]:
        return [part.name for part in self.parts if part.is_bottleneck]


# what drives a step: from here, in several roles, or from load targets
Driving = Union[Generator, RoleGenerators, RemoteGenerators]


def _each(part: LoadTargetWork) -> float:
    """Events of a client."""
    return part.events / part.threads
