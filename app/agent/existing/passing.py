"""The loop of a process of the relay: passes bytes between clients and the server."""

from __future__ import annotations

import contextlib
import os
import select
import ssl
from collections import deque
from typing import Any, Callable, Deque, Dict

from .packets import PASSED, Commands, ProtocolError, first_of, instead_of

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
            for fd, event in poll():
                handle = find(fd)
                if handle is not None:  # else the same round has closed it
                    handle(event)

    def watch(self, fd: int, handle: Callable[[int], None], event: int = READABLE) -> None:
        self.handlers[fd] = handle
        self.epoll.register(fd, event)

    def forget(self, fd: int) -> None:
        if self.handlers.pop(fd, None):
            self.epoll.unregister(fd)


class Pair:
    """A client and its connection to the server. What one side does not take yet stops the other one."""

    _loop: Passing

    def __init__(self, client: Any, server: Any, schema: str) -> None:
        self._client = client
        self._server = server
        self._schema = schema
        self._commands = Commands()
        self._to_client = self._to_server = b""  # what it does not take yet
        client.setblocking(False)
        server.setblocking(False)
        self._is_tls = isinstance(server, ssl.SSLSocket)

    def begin(self, loop: Passing) -> None:
        self._loop = loop
        self._watch()

    def _on_client(self, event: int) -> None:
        try:
            if event & WRITABLE:
                self._to_client = _send(self._client, self._to_client)
                self._watch()
            if event & ~WRITABLE and not self._to_server:
                self._from_client()
        except OSError:
            self._close()

    def _on_server(self, event: int) -> None:
        try:
            if event & WRITABLE:
                self._to_server = _send(self._server, self._to_server)
                self._watch()
            if event & ~WRITABLE and not self._to_client:
                self._from_server()
        except OSError:
            self._close()

    def _from_client(self) -> None:
        try:
            count = self._client.recv_into(BUFFER)
        except BlockingIOError:
            return
        if not count:
            raise ProtocolError("the client has gone")
        data = VIEW[:count]
        commands = self._commands
        if not commands.is_within and count > 4:
            header, command = first_of(BUFFER)
            if header + 4 != count:
                data = memoryview(commands.passed(bytes(data)))
            elif command not in PASSED:
                self._answer(command, bytes(data[5:]))
                return
        else:
            data = memoryview(commands.passed(bytes(data)))
        rest = _send(self._server, data)
        if rest:
            self._to_server = rest
            self._watch()

    def _answer(self, command: int, argument: bytes) -> None:
        to_server, to_client = instead_of(command, argument, self._schema)
        self._to_server, self._to_client = (
            _send(self._server, to_server),
            _send(self._client, to_client),
        )
        self._watch()

    def _from_server(self) -> None:
        try:
            count = self._server.recv_into(BUFFER)
        except LATER:
            return
        if not count:
            raise ProtocolError("the server has gone")
        if self._is_tls and count == RECORD:
            count = self._more_records(count)
        rest = _send(self._client, VIEW[:count])
        if rest:
            self._to_client = rest
            self._watch()

    def _more_records(self, count: int) -> int:
        """A large result comes in many records: one write to the client for several of them."""
        with contextlib.suppress(OSError):
            while count <= len(BUFFER) - RECORD:
                got = self._server.recv_into(VIEW[count:])
                if not got:
                    break
                count += got
        return count

    def _watch(self) -> None:
        """Listen to a side only if the other one has taken everything; else it could not be kept."""
        loop = self._loop
        for side, handle, own, other in (
            (self._client, self._on_client, self._to_client, self._to_server),
            (self._server, self._on_server, self._to_server, self._to_client),
        ):
            loop.forget(side.fileno())
            event = (0 if other else READABLE) | (WRITABLE if own else 0)
            if event:
                loop.watch(side.fileno(), handle, event)

    def _close(self) -> None:
        for side in (self._client, self._server):
            self._loop.forget(side.fileno())
            side.close()


def _send(side: Any, data: Any) -> bytes:
    """Send what it takes at once; returns the rest."""
    size = len(data)
    sent = 0
    try:
        while sent < size:
            sent += side.send(data[sent:] if sent else data)
    except LATER:
        pass
    return bytes(data[sent:]) if sent < size else b""
