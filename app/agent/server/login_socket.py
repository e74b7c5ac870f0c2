"""The socket of a login at a server that runs already: its limits of time and size, its TLS."""

from __future__ import annotations

import hashlib
import socket
import time
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Optional

if TYPE_CHECKING:
    import ssl

GREETING_S = 60  # the longest wait for a server to greet; statements of hours wait no longer for it
LOGIN_S = 20  # for a whole login: sysbench gives up if a client is neither connected nor refused in 30 s
CONNECT_S = 10  # for each address of a host
MOST_TEXT = 300  # characters of what a server says about a login
MOST_BYTES = 1 << 20  # that a server may send before it has accepted a login
CONNECTION_FAILED, TLS_FAILED, MALFORMED, NO_PLUGIN = 2003, 2026, 2027, 2059  # numbers of client libraries
OPTIONS = (
    (socket.IPPROTO_TCP, socket.TCP_NODELAY, 1),
    (socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1),
    (socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, 30),  # as proxies and firewalls forget silent connections
    (socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, 10),
    (socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, 120_000),  # ms without an answer of the other machine
)


def harmless(text: str) -> str:
    """What a server says, for a line of a person."""
    return "".join(each if each.isprintable() else "?" for each in text[:MOST_TEXT])


class LoginError(Exception):
    """Nobody is logged in; the number is that of the server or of a client library."""

    def __init__(self, number: int, text: str) -> None:
        self.number = number
        self.text = harmless(text)
        super().__init__("{} {}".format(number, self.text))


class LoginSocket:
    """Reads exactly what it is asked for, so that nothing is lost when somebody else goes on with it."""

    def __init__(self, host: str, port: int) -> None:
        self._until = time.monotonic() + LOGIN_S
        self._left = MOST_BYTES
        try:
            self.socket: Any = socket.create_connection((host, port), CONNECT_S)
        except (UnicodeError, OverflowError):
            text = "{} port {} is no address of a server".format(host, port)
            raise LoginError(CONNECTION_FAILED, text) from None
        for level, option, value in OPTIONS:
            self.socket.setsockopt(level, option, value)

    def secure(self) -> None:
        self.settimeout()
        try:
            self.socket = _tls().wrap_socket(self.socket)
        except OSError as error:
            raise LoginError(TLS_FAILED, "TLS failed: {}".format(error)) from None

    def certificate(self) -> str:
        """The SHA-256 of the certificate that the server has shown."""
        return hashlib.sha256(self.socket.getpeercert(binary_form=True) or b"").hexdigest()

    def require_certificate(self, expected: str) -> None:
        if self.certificate() != expected:
            text = "the server has another certificate than the confirmed one; its SHA-256 is {}"
            raise LoginError(TLS_FAILED, text.format(self.certificate()))

    def release(self) -> Any:
        """The socket itself; this object does not close it any more."""
        released, self.socket = self.socket, None
        return released

    def close(self) -> None:
        if self.socket is not None:
            self.socket.close()

    def settimeout(self, _limit_s: Optional[float] = None) -> None:
        """PyMySQL would give each read a time; here all of the login has one."""
        self.socket.settimeout(max(self._until - time.monotonic(), 0.001))

    def sendall(self, data: bytes) -> None:
        self.socket.sendall(data)

    def read(self, count: int) -> bytes:
        self._left -= count
        if self._left < 0:
            raise LoginError(MALFORMED, "the server sent more than 1 MiB before a login")
        found = bytearray()
        while len(found) < count:
            chunk = self._receive(count - len(found))
            if not chunk:
                break
            found += chunk
        return bytes(found)

    def _receive(self, most: int) -> bytes:
        self.settimeout()
        try:
            return bytes(self.socket.recv(most))
        except TimeoutError:
            text = "the server did not answer within {:g} s".format(LOGIN_S)
            raise LoginError(CONNECTION_FAILED, text) from None


@lru_cache(maxsize=1)
def _tls() -> ssl.SSLContext:
    """For a server that is known by its certificate, whoever has signed that."""
    import ssl

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.options |= ssl.OP_NO_RENEGOTIATION
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context
