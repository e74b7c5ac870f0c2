"""The loop of a process of the relay: passes bytes between clients and the server."""

from __future__ import annotations

import contextlib
import heapq
import os
import select
import ssl
import time
from collections import deque
from typing import Any, Callable, Deque, Dict, List, Optional, Tuple

from .packets import HEADER, PASSED, Commands, ProtocolError, first_of, instead_of

READABLE, WRITABLE = select.EPOLLIN, select.EPOLLOUT
LATER = (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError)
BUFFER = bytearray(1 << 18)  # of one process, for one read at a time
VIEW = memoryview(BUFFER)
RECORD = 1 << 14  # bytes that one read of TLS gives at most


class Passing:
    """All connections of a process."""

    def __init__(self) -> None:
        self.epoll = select.epoll()
        self.handlers: Dict[int, Callable[[int], None]] = {}
        self._new: Deque[Pair] = deque()
        self._later: List[Tuple[float, int, Callable[[], None]]] = []
        wakes, self._wake = os.pipe()
        self.watch(wakes, lambda _: self._begin_new(wakes))

    def add(self, pair: Pair) -> None:
        """Called by other threads."""
        self._new.append(pair)
        os.write(self._wake, b".")

    def _begin_new(self, wakes: int) -> None:
        os.read(wakes, 1)
        self._new.popleft().begin(self)

    def run(self) -> None:
        poll, find = self.epoll.poll, self.handlers.get
        while True:
            for fd, event in poll(self._do_what_is_due() if self._later else None):
                handle = find(fd)
                if handle is not None:  # else the same round has closed it
                    handle(event)

    def later(self, wait_s: float, do: Callable[[], None]) -> None:
        heapq.heappush(self._later, (time.monotonic() + wait_s, id(do), do))

    def _do_what_is_due(self) -> Optional[float]:
        """The seconds until the next is due."""
        while self._later and self._later[0][0] <= time.monotonic():
            heapq.heappop(self._later)[2]()
        return max(0.0, self._later[0][0] - time.monotonic()) if self._later else None

    def watch(self, fd: int, handle: Callable[[int], None], event: int = READABLE) -> None:
        self.handlers[fd] = handle
        self.epoll.register(fd, event)

    def forget(self, fd: int) -> None:
        if self.handlers.pop(fd, None):
            self.epoll.unregister(fd)


class QueryLimit:
    """Spreads the statements of all clients over time: at most so many a second."""

    def __init__(self, most: int) -> None:
        self._gap_s = 1.0 / most
        self._next = 0.0

    def wait_s(self) -> float:
        """Take the next moment; returns how far away that is."""
        now = time.monotonic()
        at = max(self._next, now)
        self._next = at + self._gap_s
        return at - now


class Way:
    """From one socket to the other. While that one does not take everything, nothing more is read."""

    def __init__(self, receive: Callable[[memoryview], int], send: Callable[[Any], int]) -> None:
        self._receive = receive
        self._send = send
        self.rest = b""  # what was read and not taken yet

    def pass_on(self) -> None:
        """Read what has come, and send it; OSError at the end of a connection."""
        try:
            count = self._receive(VIEW)
        except LATER:
            return
        if not count:
            raise ProtocolError("the connection has ended")
        self.send(self.passed(count))

    def passed(self, count: int) -> Any:
        """What goes on of so many bytes in the buffer."""
        return VIEW[:count]

    def send(self, data: Any) -> None:
        size, sent = len(data), 0
        try:
            while sent < size:  # TLS takes a record at a time
                sent += self._send(data[sent:] if sent else data)
        except LATER:
            self.rest = bytes(data[sent:])

    def send_rest(self) -> None:
        rest, self.rest = self.rest, b""
        self.send(rest)


class WayFromTls(Way):
    """A large result comes in many records: several of them become one write to the client."""

    def passed(self, count: int) -> Any:
        if count == RECORD:
            with contextlib.suppress(OSError):  # the next read says it again
                while count <= len(BUFFER) - RECORD:
                    got = self._receive(VIEW[count:])
                    if not got:
                        break
                    count += got
        return VIEW[:count]


class WayToServer(Way):
    """Passes on commands of clients, but for those that would reach more than one schema."""

    refuse: Callable[[int, bytes], bytes]

    def __init__(self, receive: Callable[[memoryview], int], send: Callable[[Any], int]) -> None:
        super().__init__(receive, send)
        self._commands = Commands()

    def passed(self, count: int) -> Any:
        commands = self._commands
        if not commands.is_within and count > HEADER:
            header, command = first_of(BUFFER)
            if header + HEADER == count:  # one whole command, as nearly always
                if command in PASSED:
                    return VIEW[:count]
                return self.refuse(command, bytes(VIEW[HEADER + 1 : count]))
        return commands.passed(bytes(VIEW[:count]))


class Pair:
    """A client and its connection to the server."""

    _loop: Passing

    def __init__(
        self,
        client: Any,
        server: Any,
        schema: str,
        welcome: bytes = b"",
        limit: Optional[QueryLimit] = None,
    ) -> None:
        self._limit = limit
        self._waits = False  # for the moment of its next statement
        client.setblocking(False)
        server.setblocking(False)
        self._client = client
        self._server = server
        self._schema = schema
        if isinstance(server, ssl.SSLSocket):
            tls: Any = server._sslobj  # type: ignore[attr-defined]  # its own methods do more, for the same
            self._to_client: Way = WayFromTls(lambda view: int(tls.read(len(view), view)), client.send)
            self._to_server = WayToServer(client.recv_into, tls.write)
        else:
            self._to_client = Way(server.recv_into, client.send)
            self._to_server = WayToServer(client.recv_into, server.send)
        self._to_server.refuse = self._refuse
        self._to_client.rest = welcome

    def begin(self, loop: Passing) -> None:
        self._loop = loop
        self._watch()

    def _on_client(self, event: int) -> None:
        if self._limit is not None and event & ~WRITABLE and not self._to_server.rest:
            wait_s = self._limit.wait_s()
            if wait_s > 0:
                self._waits = True
                self._loop.later(wait_s, self._go_on)
                self._watch()
                event &= WRITABLE
        if event:
            self._handle(event, self._to_server, self._to_client)

    def _go_on(self) -> None:
        if self._client.fileno() >= 0:
            self._waits = False
            self._watch()
            self._handle(READABLE, self._to_server, self._to_client)

    def _on_server(self, event: int) -> None:
        self._handle(event, self._to_client, self._to_server)

    def _handle(self, event: int, from_it: Way, to_it: Way) -> None:
        try:
            if event & WRITABLE:
                to_it.send_rest()
            if event & ~WRITABLE and not from_it.rest:
                from_it.pass_on()
            if event & WRITABLE or from_it.rest or to_it.rest:
                self._watch()
        except OSError:
            self._close()

    def _refuse(self, command: int, argument: bytes) -> bytes:
        """What goes to the server in place of such a command; the client may have an answer at once."""
        to_server, to_client = instead_of(command, argument, self._schema)
        self._to_client.send(to_client)
        return to_server

    def _watch(self) -> None:
        """Listen to a side only while the other one takes everything."""
        for side, handle, from_it, to_it in (
            (self._client, self._on_client, self._to_server, self._to_client),
            (self._server, self._on_server, self._to_client, self._to_server),
        ):
            is_held = from_it.rest or (self._waits and side is self._client)
            event = (0 if is_held else READABLE) | (WRITABLE if to_it.rest else 0)
            self._loop.forget(side.fileno())
            if event:  # else its end would be reported again and again
                self._loop.watch(side.fileno(), handle, event)

    def _close(self) -> None:
        for side in (self._client, self._server):
            self._loop.forget(side.fileno())
            side.close()
