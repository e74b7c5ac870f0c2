"""Reads what an SSH server offers in its first packet, to explain why no connection is possible."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Protocol

_KEXINIT = 20
_LARGEST = 35000  # bytes of a packet, as RFC 4253 has it
_MOST_LINES = 100  # before the version, as paramiko has it


class Readable(Protocol):
    def send(self, data: bytes, /) -> int: ...

    def recv(self, size: int, /) -> bytes: ...


@dataclass(frozen=True)
class ServerOffers:
    """The version and the algorithms of an SSH server."""

    version: str  # "OpenSSH_5.3"
    kex: list[str]
    host_keys: list[str]


def read_offers(sock: Readable) -> ServerOffers:
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
    return ServerOffers(version.decode("ascii", "replace").strip().split("-", 2)[-1], kex, host_keys)


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
