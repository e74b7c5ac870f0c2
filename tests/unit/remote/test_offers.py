"""The first packet of an SSH server."""

from __future__ import annotations

import struct

import pytest

from app.remote.dial import SshServerAlgorithms, read_ssh_offers
from tests.fakes import ByteSocket


def packet(kex: str, host_keys: str, kind: int = 20) -> bytes:
    names = b"".join(struct.pack(">I", len(text)) + text.encode() for text in (kex, host_keys))
    payload = bytes([kind]) + bytes(16) + names
    return struct.pack(">IB", len(payload) + 5, 4) + payload + bytes(4)


def test_version_key_exchange_and_host_keys() -> None:
    sock = ByteSocket(b"hello, who are you\r\nSSH-2.0-OpenSSH_5.3 old\r\n" + packet("a,b", "ssh-rsa,ssh-dss"))
    assert read_ssh_offers(sock) == SshServerAlgorithms("OpenSSH_5.3 old", ["a", "b"], ["ssh-rsa", "ssh-dss"])
    assert sock.sent.startswith(b"SSH-2.0-")


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"SSH-2.0-x\r\n",
        b"x" * 2000,
        b"hello\r\n" * 1000,
        b"SSH-2.0-x\r\n" + packet("a", "b", kind=1),
        b"SSH-2.0-x\r\n" + b"\xff" * 40,
        b"SSH-2.0-x\r\n" + packet("a", "b")[:-20],
    ],
)
def test_what_is_no_ssh_server(content: bytes) -> None:
    sock = ByteSocket(content)
    with pytest.raises(ValueError):
        read_ssh_offers(sock)
    assert len(content) < 7000 or sock.recv(1)  # lines without end are not read to their end
