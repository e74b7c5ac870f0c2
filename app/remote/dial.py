"""Connects to a target: sockets, jumps, host keys; login.py logs in."""

from __future__ import annotations

import errno
import logging
import os
import socket
import struct
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import paramiko
from paramiko.packet import Packetizer

from app.core import settings
from app.core.errors import InputError, LinkError, TargetError

from .bounded import bounded
from .hostkeys import HostKey, KnownHosts, OfferedHostKey
from .login import log_in
from .route import Hop, find_route
from .secrets import Secrets, label_of_file, system_keyring
from .ssh import SshConnection, close_transports

if TYPE_CHECKING:
    from .target import Ask, OnProgress, Target

CONNECT_S = 10.0
DEAD_S = 8.0  # the kernel gives up a link that has acknowledged nothing for so long
SOCKET_OPTIONS = {  # those that this system knows are set
    "TCP_NODELAY": 1,  # paramiko leaves it out: 50 ms lost at each request
    "TCP_KEEPIDLE": 3,
    "TCP_KEEPINTVL": 2,
    "TCP_KEEPCNT": 3,
    "TCP_USER_TIMEOUT": int(DEAD_S * 1000),
}

# without a handler of its own, paramiko's tracebacks would go to the terminal
logging.getLogger("paramiko").addHandler(logging.NullHandler())


class Dialer:
    """Connects to a target host by host; each must be trusted before anything is sent to it."""

    def __init__(
        self,
        target: Target,
        ask: Ask,
        known_hosts: Path | None = None,
        ssh_config: Path | None = None,
        on_progress: OnProgress = lambda _stage, _what: None,
    ) -> None:
        self._target = target
        self._on_progress = on_progress
        self._known = KnownHosts(known_hosts or settings.home() / "known_hosts")
        self._route = find_route(target, ssh_config)
        keyring = system_keyring() if target.remember else None
        self._secrets = Secrets(ask, keyring, label_of_file(self._route))
        self._transports: list[paramiko.Transport] = []

    def connect(self) -> list[paramiko.Transport]:
        """Logged-in connections; the last one is the target's."""
        try:
            for hop in self._route:
                self._known.check(self._greet(hop))
                self._on_progress("log in", hop.text)
                log_in(self._transports[-1], hop, self._secrets)
        except BaseException:
            close_transports(self._transports)
            raise
        return self._transports

    def trust(self, fingerprint: str) -> OfferedHostKey:
        """Trust the first untrusted host on the way, if it offers this key."""
        try:
            return self._trust(fingerprint)
        finally:
            close_transports(self._transports)

    def _trust(self, fingerprint: str) -> OfferedHostKey:
        for hop in self._route:
            offer = self._greet(hop)
            if offer.key in self._known.keys_of(offer.label) and hop is not self._route[-1]:
                log_in(self._transports[-1], hop, self._secrets)
                continue
            if offer.key.fingerprint != fingerprint:
                raise TargetError(
                    f"{offer.host} port {offer.port} offers {offer.key.type} {offer.key.fingerprint}, not"
                    f" {fingerprint}: Dyno does not trust it; compare the fingerprints on the machine"
                    " itself"
                )
            self._known.trust(offer)
            return offer
        raise AssertionError("a route has at least one host")

    def _greet(self, hop: Hop) -> OfferedHostKey:
        """Exchange keys with the next host; returns the host key that it has proved."""
        deadline = time.monotonic() + CONNECT_S
        label = OfferedHostKey(self._target.name, hop.host, hop.port, HostKey("", b"")).label
        transport = _transport(self._socket_to(hop))
        self._transports.append(transport)
        _prefer(transport, [key.type for key in self._known.keys_of(label)])
        self._on_progress("host key", _place(hop))
        try:
            transport.start_client(timeout=max(deadline - time.monotonic(), 1))
            key = transport.get_remote_server_key()
        except paramiko.ssh_exception.IncompatiblePeer as error:
            raise self._too_old(hop, error) from None
        except (paramiko.SSHException, EOFError, OSError) as error:
            late = time.monotonic() >= deadline - 0.5  # start_client does not tell that it has given up
            said = _why(TimeoutError()) if late else f"does not speak SSH with Dyno: {error or 'it hung up'}"
            raise LinkError(f"{_place(hop)} {said}") from None
        return OfferedHostKey(self._target.name, hop.host, hop.port, HostKey(key.get_name(), key.asbytes()))

    def _socket_to(self, hop: Hop) -> socket.socket | paramiko.Channel:
        """A socket to the first host; for others a channel through the host before."""
        before = [each for each in self._transports if each.is_authenticated()]
        if not before:
            return _open_socket(hop, self._on_progress)
        self._on_progress("connect", _place(hop))
        try:
            return before[-1].open_channel(
                "direct-tcpip", (hop.host, hop.port), ("127.0.0.1", 0), timeout=CONNECT_S
            )
        except (paramiko.SSHException, EOFError, OSError) as error:
            said = error.text if isinstance(error, paramiko.ChannelException) else error
            raise LinkError(f"the host before it on the way cannot reach {_place(hop)}: {said}") from None

    def _too_old(self, hop: Hop, error: Exception) -> TargetError:
        """Says what a host offers that shares nothing with what is safe today."""
        self._transports.pop().close()
        sock = self._socket_to(hop)
        try:
            sock.settimeout(CONNECT_S)
            offers = read_ssh_offers(sock)
        except (ValueError, OSError):
            return TargetError(f"{_place(hop)} is too old or too new for Dyno: {error}")
        finally:
            sock.close()
        if "host key" in str(error):
            return TargetError(
                f"{_place(hop)} ({offers.version}) is too old: its host key is {', '.join(offers.host_keys)}"
                " alone, signed with SHA-1; give the host an ed25519 or ecdsa key (ssh-keygen -A there, and"
                " HostKeyAlgorithms of its sshd_config) or update its OpenSSH"
            )
        return TargetError(
            f"{_place(hop)} ({offers.version}) is too old: {error}; it offers {', '.join(offers.kex)}:"
            " update its OpenSSH"
        )


def trust(target: Target, fingerprint: str, ask: Ask) -> OfferedHostKey:
    """Trust the host with exactly this key; raises TargetError where it offers another one."""
    wanted = fingerprint.strip().rstrip("=")
    if not wanted.startswith("SHA256:"):
        raise InputError(f"{fingerprint!r} is no fingerprint: it begins with SHA256: (ssh-keygen -lf FILE)")
    if target.is_local:
        raise InputError("this computer has no host key to trust")
    return Dialer(target, ask).trust(wanted)


def _transport(sock: socket.socket | paramiko.Channel) -> paramiko.Transport:
    transport = paramiko.Transport(sock, packetizer_class=BoundedPacketizer)
    transport.daemon = True
    transport.banner_timeout = CONNECT_S
    transport.handshake_timeout = CONNECT_S
    return transport


def _prefer(transport: paramiko.Transport, types: Sequence[str]) -> None:
    """Prefer host keys of a trusted type, as another key of the same host looks like a change."""
    options = transport.get_security_options()

    def is_trusted(algorithm: str) -> bool:
        return ("ssh-rsa" if algorithm.startswith("rsa-sha2-") else algorithm) in types

    options.key_types = tuple(sorted(options.key_types, key=lambda each: not is_trusted(each)))


def _open_socket(hop: Hop, on_progress: OnProgress) -> socket.socket:
    """A socket connected within CONNECT_S, to any of the addresses."""
    deadline = time.monotonic() + CONNECT_S
    error: OSError = TimeoutError()
    on_progress("resolve", hop.host)
    for family, kind, protocol, _, address in _addresses(hop):
        on_progress("connect", f"{address[0]} port {hop.port}")
        sock = socket.socket(family, kind, protocol)
        try:
            sock.settimeout(max(deadline - time.monotonic(), 0.1))
            _set_options(sock)
            sock.connect(address)
        except OSError as failure:
            sock.close()
            error = failure
        else:
            return sock
    raise LinkError(f"{_place(hop)} {_why(error)}")


def _addresses(hop: Hop) -> list[tuple[Any, ...]]:
    try:
        found: Any = bounded(
            lambda: socket.getaddrinfo(hop.host, hop.port, type=socket.SOCK_STREAM), CONNECT_S
        )
    except TimeoutError:
        raise LinkError(
            f"the name {hop.host} was not resolved within {CONNECT_S:g} s: look at the network"
        ) from None
    except (OSError, UnicodeError) as error:
        raise LinkError(
            f"the name {hop.host} is not known ({error}): check its spelling and the network"
        ) from None
    return list(found)


def _set_options(sock: socket.socket) -> None:
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in SOCKET_OPTIONS.items():
        if hasattr(socket, name):
            sock.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)


def _why(error: OSError) -> str:
    if isinstance(error, ConnectionRefusedError):
        return "refuses the connection: is sshd running there, on this port?"
    if isinstance(error, TimeoutError) or error.errno == errno.ETIMEDOUT:
        return (
            f"did not answer within {CONNECT_S:g} s: check that the machine is on and that no firewall"
            " blocks it"
        )
    return f"cannot be reached: {error.strerror or os.strerror(error.errno or 0)}"


def _place(hop: Hop) -> str:
    return f"{hop.host} port {hop.port}"


def connect_ssh(
    target: Target, ask: Ask, on_progress: OnProgress = lambda _stage, _what: None
) -> SshConnection:
    """A connection to a target whose host key is trusted; `ask` is called where a secret is needed."""
    return SshConnection(target.name, Dialer(target, ask, on_progress=on_progress).connect())


# packets of SSH with a limit to their size: paramiko waits for whatever length a server announces


MOST_PACKET = 512 << 10  # bytes; OpenSSH sends 256 KiB at most, RFC 4253 demands 35,000 bytes
MOST_GREETING = 64 << 10  # bytes before the version of the server


class BoundedPacketizer(Packetizer):
    """Closes the connection if a server sends more than SSH allows."""

    _greeted = 0

    def read_all(self, n: int, check_rekey: bool = False) -> bytes:
        if n > MOST_PACKET:
            raise paramiko.SSHException(f"a packet of {n:,} bytes")
        return super().read_all(n, check_rekey)

    def _read_timeout(self, timeout: float) -> bytes:
        """The next bytes of the greeting, each line with a time limit."""
        data: bytes = super()._read_timeout(timeout)  # type: ignore[misc]
        self._greeted += len(data)
        if self._greeted > MOST_GREETING:
            raise paramiko.SSHException("a greeting without end")
        return data


# reads what an SSH server offers in its first packet, to explain why no connection is possible


_KEXINIT = 20
_LARGEST = 35000  # bytes of a packet, as RFC 4253 has it
_MOST_LINES = 100  # before the version, as paramiko has it


class Readable(Protocol):
    def send(self, data: bytes, /) -> int: ...

    def recv(self, size: int, /) -> bytes: ...


@dataclass(frozen=True)
class SshServerAlgorithms:
    """The version and the algorithms of an SSH server."""

    version: str  # "OpenSSH_5.3"
    kex: list[str]
    host_keys: list[str]


def read_ssh_offers(sock: Readable) -> SshServerAlgorithms:
    """Greets a server and reads what it offers; raises ValueError or OSError."""
    sock.send(b"SSH-2.0-Dyno\r\n")
    greeting = (_line(sock) for _ in range(_MOST_LINES))
    version = next((line for line in greeting if line.startswith(b"SSH-")), None)
    if version is None:
        raise ValueError("not an SSH server")
    length, padding = struct.unpack(">IB", _exactly(sock, 5))
    if not padding < length <= _LARGEST:
        raise ValueError("not an SSH packet")
    packet = _exactly(sock, length - 1)
    if packet[0] != _KEXINIT:
        raise ValueError("the first packet is not its offers")
    kex, rest = _names(packet[17:])  # after the kind and the cookie
    host_keys, _ = _names(rest)
    return SshServerAlgorithms(version.decode("ascii", "replace").strip().split("-", 2)[-1], kex, host_keys)


def _names(data: bytes) -> tuple[list[str], bytes]:
    (length,) = struct.unpack(">I", data[:4])
    return data[4 : 4 + length].decode("ascii", "replace").split(","), data[4 + length :]


def _line(sock: Readable) -> bytes:
    line = b""
    while not line.endswith(b"\n"):
        line += _exactly(sock, 1)
        if len(line) > 1024:
            raise ValueError("not an SSH server")
    return line


def _exactly(sock: Readable, size: int) -> bytes:
    data = b""
    while len(data) < size:
        more = sock.recv(size - len(data))
        if not more:
            raise ValueError("the server has hung up")
        data += more
    return data
