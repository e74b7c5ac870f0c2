"""A server that speaks before anybody has logged in: what it sends is never taken in without an end."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import paramiko
import pytest

from app.remote.dial import _transport

HELLO = b"SSH-2.0-liar\r\n"


@contextmanager
def server(first: bytes, then: bytes) -> Iterator[tuple[paramiko.Transport, list[int]]]:
    """Says one thing, and the other one until nobody listens; how many bytes it was rid of."""
    ours, its = socket.socketpair()
    sent = [0]

    def speak() -> None:
        with suppress(OSError):
            its.sendall(first)
            while True:
                sent[0] += its.send(then)

    thread = threading.Thread(target=speak)
    thread.start()
    transport = _transport(ours)
    try:
        yield transport, sent
    finally:
        transport.close()
        ours.close()
        thread.join(5)
        its.close()


@pytest.mark.parametrize(
    ("first", "then"),
    [
        (b"", b"x" * 4096),  # a greeting without an end
        (HELLO, b"\x7f\xff\xff\xfc" + b"\0" * 4092),  # a packet of 2 GiB
        (HELLO, b"\x00\x10\x00\x04" + b"\0" * 4092),  # of 1 MiB
    ],
)
def test_a_server_that_does_not_keep_to_ssh_is_left(first: bytes, then: bytes) -> None:
    with server(first, then) as (transport, sent):
        with pytest.raises((paramiko.SSHException, EOFError)):
            transport.start_client(timeout=5)
        transport.join(5)
        assert not transport.is_alive()
        assert sent[0] < 2 << 20
