"""Conducts the load of a plan from other machines: their agents connect here, and get their steps from it.

One listener for the whole plan. A thread for each load target reads its messages and passes them to the
`RemoteGenerators` of a step.
"""

from __future__ import annotations

import contextlib
import errno
import ipaddress
import socket
import threading
import time
from typing import Any, Callable, Dict, List, Optional, Set

from app.agent.system.detaching import detach
from app.agent.system.errors import AgentError
from app.protocol.answers import LoadTargetAdmission, TrialPort
from app.protocol.load_link import (
    BandwidthProbe,
    BandwidthProbeReceived,
    Bye,
    GeneratorEnded,
    Hello,
    LinkTrialResult,
    Message,
    Ping,
    Pong,
    SysbenchLine,
    load_token_hash,
)

from .clocks import RemoteClockOffset
from .link import LoadLinkError, LoadTlsLink, for_server

PINGS = 10  # soon after a load target has dialled in; then one a second
PING_S, FIRST_PING_S = 1.0, 0.1
HELLO_S = 10.0  # for the handshake of a stranger
MOST_STRANGERS = 32  # at once
FILLER_BYTES, FILLERS = 100_000, 80  # of a trial: 8 MB
TRIAL_S = 60.0
BYE_S = 2.0
TRIALS_S = 30.0  # for all load targets to be asked

Heard = Callable[[str, Optional[Message]], None]  # name of a load target, and what it said; None: it is gone


class ConnectedLoadTargets:
    """Who has dialled in, by name."""

    def __init__(self, listener: socket.socket, asked: LoadTargetAdmission, names: List[str]) -> None:
        self.names = names
        self.address = asked.address
        self.port = int(listener.getsockname()[1])
        self._has_fixed_port = asked.port > 0
        self._listener = listener
        self.admitted = set(asked.admitted)
        self._context = for_server(asked.certificate, asked.key)
        self._links: Dict[str, LoadTlsLink] = {}
        self._clocks: Dict[str, RemoteClockOffset] = {}
        self._hearers: Dict[int, Heard] = {}  # by run
        self._changed = threading.Condition()
        self._strangers = threading.Semaphore(MOST_STRANGERS)
        self._run = 0
        self.is_open = True
        self.tried: Set[str] = set()  # names of load targets whose trial is over

    @classmethod
    def listening(cls, asked: LoadTargetAdmission, names: List[str]) -> ConnectedLoadTargets:
        """A conductor on its address; raises AgentError if that is not of this machine, or taken."""
        family = socket.AF_INET6 if ":" in asked.address else socket.AF_INET
        listener = socket.socket(family, socket.SOCK_STREAM)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            _bind(listener, asked)
            listener.listen(MOST_STRANGERS)
            return cls(listener, asked, names)
        except (OSError, ValueError) as error:
            listener.close()
            text = "cannot listen on {} port {} for load targets: {}"
            raise AgentError(text.format(asked.address, asked.port, error)) from None

    def begin(self) -> None:
        """Listen, and ping; both in threads that end with the process."""
        for action in (self._accept, self._ping):
            threading.Thread(target=action, daemon=True).start()

    def end(self) -> None:
        """Tell all that the plan is over, let them hang up, and stop listening."""
        self.is_open = False
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)  # ends the wait for the next one
        self._listener.close()
        for name in self.names:
            with contextlib.suppress(LoadLinkError):
                self.send(name, Bye())
        end = time.monotonic() + BYE_S
        with self._changed:
            while self._links and time.monotonic() < end:
                self._changed.wait(0.1)
            left = list(self._links.values())
        for link in left:
            link.close()

    def missing(self, limit_s: float, look: Callable[[], bool]) -> List[str]:
        """The load targets that are not there by then, clock included; gives up early if `look` says so."""
        end = time.monotonic() + limit_s
        while True:
            with self._changed:
                gone = [name for name in self.names if self.clock(name).offset() is None]
                if not gone:
                    return []
                self._changed.wait(0.25)
            if time.monotonic() > end or look():
                return gone

    def port_of_server(self, contender: int) -> int:
        """Where the server of a contender listens: behind the port that a person has named; 0: anywhere."""
        return self.port + 1 + contender if self._has_fixed_port else 0

    @property
    def is_loopback(self) -> bool:
        """Whether load targets come through a tunnel, or from this machine itself."""
        return ipaddress.ip_address(self.address).is_loopback

    def clock(self, name: str) -> RemoteClockOffset:
        return self._clocks.get(name) or RemoteClockOffset()

    def round_trip_s(self, name: str) -> Optional[float]:
        """The round trip of the network to a load target; None if unknown."""
        link = self._links.get(name)
        return link.round_trip_s() if link else None

    def hear(self, hearer: Heard) -> int:
        """A new run, whose messages go to this hearer."""
        with self._changed:
            self._run += 1
            self._hearers[self._run] = hearer
            return self._run

    def forget(self, run: int) -> None:
        with self._changed:
            self._hearers.pop(run, None)

    def send(self, name: str, message: Message) -> None:
        link = self._links.get(name)
        if link is None:
            raise LoadLinkError("it is gone")
        link.send(message)

    # who dials in

    def _accept(self) -> None:
        while self.is_open:
            try:
                plain, _ = self._listener.accept()
            except OSError:
                return
            if not self._strangers.acquire(blocking=False):
                plain.close()
                continue
            threading.Thread(target=self._greet, args=(plain,), daemon=True).start()

    def _greet(self, plain: socket.socket) -> None:
        """Let a load target in by its token; all others are closed without a word."""
        try:
            link = self._secured(plain)
            hello = None if link is None else self._hello_of(link)
        finally:
            self._strangers.release()
        if link is None or hello is None:
            return
        if hello.trial:
            with contextlib.suppress(LoadLinkError):
                link.send(_trial(link))
            link.close()
            self.tried.add(hello.name)
        else:
            self._listen_to(hello.name, link)

    def _secured(self, plain: socket.socket) -> Optional[LoadTlsLink]:
        plain.settimeout(HELLO_S)
        with contextlib.suppress(OSError):
            secure = self._context.wrap_socket(plain, server_side=True)
            try:
                return LoadTlsLink(secure)
            except OSError:  # it has gone meanwhile
                secure.close()
        plain.close()
        return None

    def _hello_of(self, link: LoadTlsLink) -> Optional[Hello]:
        """The hello of a load target; the link of anybody else is closed."""
        with contextlib.suppress(LoadLinkError):
            hello = link.receive(HELLO_S)
            if (
                isinstance(hello, Hello)
                and hello.name in self.names
                and load_token_hash(hello.name, hello.token) in self.admitted
            ):
                return hello
        link.close()
        return None

    def _listen_to(self, name: str, link: LoadTlsLink) -> None:
        with self._changed:
            before = self._links.pop(name, None)
            self._links[name], self._clocks[name] = link, RemoteClockOffset()
            self._changed.notify_all()
        if before is not None:
            before.close()
        with contextlib.suppress(LoadLinkError):
            while True:
                self._take(name, link.receive())
        self._lose(name, link)

    def _take(self, name: str, message: Message) -> None:
        if isinstance(message, Pong):
            self.clock(name).add(message.at, message.clock, time.monotonic())
        elif isinstance(message, (SysbenchLine, GeneratorEnded)):
            hearer = self._hearers.get(message.run)
            if hearer is not None:
                hearer(name, message)

    def _lose(self, name: str, link: LoadTlsLink) -> None:
        with self._changed:
            is_current = self._links.get(name) is link
            if is_current:
                del self._links[name], self._clocks[name]
                self._changed.notify_all()
            hearers = list(self._hearers.values()) if is_current else []
        link.close()
        for hearer in hearers:
            hearer(name, None)

    def _ping(self) -> None:
        """Ping all: often while one is new, else once a second."""
        left: Dict[LoadTlsLink, int] = {}
        while self.is_open:
            links = dict(self._links)
            left = {link: left.get(link, PINGS) - 1 for link in links.values()}
            for link in links.values():
                with contextlib.suppress(LoadLinkError):
                    link.send(Ping(time.monotonic()))
            time.sleep(FIRST_PING_S if any(each > 0 for each in left.values()) else PING_S)


def _bind(listener: socket.socket, asked: LoadTargetAdmission) -> None:
    """Bind to its address; a listener for trials that lasts until its end is waited for."""
    end = time.monotonic() + TRIALS_S
    while True:
        try:
            return listener.bind((asked.address, asked.port))
        except OSError as error:
            if error.errno != errno.EADDRINUSE or time.monotonic() > end:
                raise
            time.sleep(0.2)


def serve_trial_connections(asked: LoadTargetAdmission, log: str) -> TrialPort:
    """Let load targets try to reach this machine, for a while, in a detached process."""
    conductor = ConnectedLoadTargets.listening(asked, asked.names)

    def wait() -> None:
        conductor.begin()
        end = time.monotonic() + TRIALS_S
        while time.monotonic() < end and not conductor.tried >= set(asked.names):
            time.sleep(0.1)

    detach(wait, log)
    return TrialPort(conductor.port)


def _trial(link: LoadTlsLink) -> LinkTrialResult:
    """Round trip and bandwidth of a connection."""
    clock = RemoteClockOffset()
    for _ in range(2 * PINGS):
        link.send(Ping(time.monotonic()))
        pong = _expect(link, Pong)
        clock.add(pong.at, pong.clock, time.monotonic())
    began = time.monotonic()
    for _ in range(FILLERS):
        link.send(BandwidthProbe("x" * FILLER_BYTES))
    link.send(BandwidthProbe(""))
    _expect(link, BandwidthProbeReceived)
    best = clock.offset()
    rtt = link.round_trip_s() or (best.rtt_s if best else 0.0)
    seconds = max(1e-6, time.monotonic() - began - rtt)
    return LinkTrialResult(round(rtt * 1e3, 3), round(FILLERS * FILLER_BYTES * 8 / seconds / 1e6, 1))


def _expect(link: LoadTlsLink, kind: Any) -> Any:
    message = link.receive(TRIAL_S)
    if not isinstance(message, kind):
        raise LoadLinkError("it does not do its part of a trial")
    return message
