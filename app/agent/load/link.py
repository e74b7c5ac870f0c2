"""A TLS connection between a conductor and a load target: one message a line, by several threads."""

from __future__ import annotations

import contextlib
import hashlib
import select
import socket
import ssl
import struct
import threading
import time
from typing import Optional

from app.protocol.load_link import MAX_LINE, Message, decode, encode
from app.protocol.reading import ShapeError

from .from_memory import open_fd_path, text_as_pipe

SILENCE_S = 15.0  # without a message: the other side is gone, as it speaks every second
SEND_S = 15.0
_MIN_RTT_AT, _NEVER = 148, 0xFFFFFFFF  # in struct tcp_info
_WANTED = (ssl.SSLWantReadError, ssl.SSLWantWriteError)


class LoadLinkError(Exception):
    """The connection is of no use any more; the text says why."""


class NobodyListensError(LoadLinkError):
    """The machine answers, but nobody listens there."""


class LoadTlsLink:
    """OpenSSL lets only one thread at a time use a connection, so reading never waits within the lock."""

    def __init__(self, connection: ssl.SSLSocket) -> None:
        connection.setblocking(False)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._connection = connection
        self._lock = threading.Lock()
        self._rest = bytearray()
        self.peer = str(connection.getpeername()[0])

    def send(self, message: Message) -> None:
        rest, end = memoryview(encode(message)), time.monotonic() + SEND_S
        with self._lock:
            while rest:
                try:
                    rest = rest[self._connection.send(rest) :]
                except _WANTED:
                    if time.monotonic() > end:
                        raise LoadLinkError("it takes nothing any more") from None
                    select.select([], [self._connection], [], 0.1)
                except (OSError, ValueError) as error:
                    raise LoadLinkError(_said(error)) from None

    def receive(self, limit_s: float = SILENCE_S) -> Message:
        """The next message; raises LinkError at the end, after a silence, and for what is no message."""
        end = time.monotonic() + limit_s
        while b"\n" not in self._rest:
            if len(self._rest) > MAX_LINE:
                raise LoadLinkError("it sent a line of more than {:,} bytes".format(MAX_LINE))
            if not self._read() and time.monotonic() > end:
                raise LoadLinkError("it said nothing for {:.0f} s".format(limit_s))
        line, _, self._rest = self._rest.partition(b"\n")
        try:
            return decode(bytes(line))
        except ShapeError as error:
            raise LoadLinkError("it sent something else than a message: {}".format(error)) from None

    def _read(self) -> bool:
        """Add what has come; waits up to a second for it."""
        try:
            with self._lock:
                chunk = self._connection.recv(1 << 16)
        except _WANTED:
            with contextlib.suppress(OSError, ValueError):
                select.select([self._connection], [], [], 1.0)
            return False
        except (OSError, ValueError) as error:
            raise LoadLinkError(_said(error)) from None
        if not chunk:
            raise LoadLinkError("it closed the connection")
        self._rest += chunk
        return True

    def round_trip_s(self) -> Optional[float]:
        """The shortest round trip of the network, as the kernel has seen it: no program is part of it."""
        try:
            found = self._connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _MIN_RTT_AT + 4)
            (microseconds,) = struct.unpack_from("I", found, _MIN_RTT_AT)
        except (OSError, struct.error):  # closed, or a kernel before 4.6
            return None
        return microseconds / 1e6 if 0 < microseconds < _NEVER else None

    def close(self) -> None:
        with contextlib.suppress(OSError), self._lock:
            self._connection.close()


def _said(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error) or "the connection was lost"


# TLS


def for_server(certificate: str, key: str) -> ssl.SSLContext:
    """A context with this certificate and key; both come from memory, through pipes, and touch no disk."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    with text_as_pipe(certificate) as certificate_file, text_as_pipe(key) as key_file:
        context.load_cert_chain(open_fd_path(certificate_file), open_fd_path(key_file))
    return context


def dial(address: str, port: int, fingerprint: str, limit_s: float = 10.0) -> LoadTlsLink:
    """Connect to a conductor that has the certificate with this SHA-256; raises LinkError."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE  # it is pinned: see below
    try:
        plain = socket.create_connection((address, port), limit_s)
    except ConnectionRefusedError as error:
        raise NobodyListensError(_said(error)) from None
    except OSError as error:
        raise LoadLinkError(_said(error)) from None
    try:
        secure = context.wrap_socket(plain)
        shown = hashlib.sha256(secure.getpeercert(binary_form=True) or b"").hexdigest()
        if shown != fingerprint:
            raise LoadLinkError("another program listens there: its certificate is not that of the plan")
        return LoadTlsLink(secure)
    except LoadLinkError:
        secure.close()
        raise
    except OSError as error:
        plain.close()
        raise LoadLinkError(_said(error)) from None
