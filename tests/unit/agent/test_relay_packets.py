"""What the relay makes of packets: its greeting and answers, commands of a client, bytes that do not fit."""

from __future__ import annotations

import contextlib
import random
import socket
import struct
from collections.abc import Iterator

import pytest

from app.agent.existing.packets import (
    LARGEST,
    PASSED,
    Commands,
    ProtocolError,
    error_packet,
    greeting_packet,
    instead_of,
    ok_packet,
    packet,
    wish_of,
)
from app.agent.existing.passing import BUFFER, Pair, Passing
from app.agent.server.mysql import Greeting, Wish

QUERY = packet(0, b"\x03SELECT 1")
CLOSE = packet(0, b"\x19\1\0\0\0")


def test_the_greeting_has_what_the_real_server_said() -> None:
    greeting = Greeting("8.0.33", 4_000_000_000, 0x00FF_A20D, 2, 255)
    payload = greeting_packet(greeting)[4:]
    assert payload[:8] == b"\x0a8.0.33\0"
    assert struct.unpack_from("<I", payload, 8) == (4_000_000_000,)
    low, collation, status, high, salt = struct.unpack_from("<HBHHB", payload, 21)
    assert (low | high << 16, collation, status, salt) == (0x00FF_A20D, 255, 2, 21)
    assert payload.endswith(b"\0mysql_native_password\0") and greeting_packet(greeting)[3] == 0


def test_a_client_says_what_it_wants() -> None:
    response = struct.pack("<IIB23s", 1 << 9 | 1 << 16, 1 << 24, 224, b"") + b"root\0\0"
    assert wish_of(response) == Wish(1 << 9 | 1 << 16, 224)


@pytest.mark.parametrize("response", [b"", b"x" * 31, struct.pack("<IIB23s", 0, 0, 0, b"")])
def test_what_is_no_answer_to_a_greeting_ends_the_connection(response: bytes) -> None:
    with pytest.raises(ProtocolError):
        wish_of(response)


def test_ok_and_error_have_their_number() -> None:
    assert ok_packet(2, 2) == b"\x07\0\0\2" + b"\0\0\0\2\0\0\0"
    assert error_packet(2, 1045, "Zoë") == b"\x0d\0\0\2\xff\x15\x04#HY000Zo\xc3\xab"


def test_another_schema_is_refused_and_dyno_is_the_one_of_the_server() -> None:
    use_bench = packet(0, b"\x02bench")
    assert instead_of(2, b"dyno", "bench") == instead_of(2, b"bench", "bench") == (use_bench, b"")
    for command, argument, code in (
        (2, b"mysql", 1044),
        (2, b"", 1044),
        (17, b"root\0", 1047),
        (8, b"", 1047),
    ):
        to_server, to_client = instead_of(command, argument, "bench")
        assert to_server == b"" and struct.unpack_from("<BH", to_client, 4) == (0xFF, code)
        assert to_client[3] == 1


def test_no_text_begins_with_a_command_that_is_passed_on() -> None:
    """A server could have a client send a file under a number that looks like a command."""
    assert not PASSED & {*range(32, 256), *b"\t\n\r"}


LONG = packet(0, b"\x03" + b"x" * (LARGEST - 1)) + packet(1, b"y" * 70_000)
EXACT = packet(0, b"\x03" + b"x" * (LARGEST - 1)) + packet(1, b"")  # its end is an empty packet


@pytest.mark.parametrize("stream", [QUERY * 50, CLOSE + QUERY, LONG + QUERY, EXACT + QUERY * 2], ids=range(4))
def test_commands_pass_however_they_are_cut(stream: bytes) -> None:
    draw = random.Random(7)
    for most in (5, 100_000) if len(stream) < 10_000 else (4_000_000,):
        commands, at, passed = Commands(), 0, b""
        while at < len(stream):
            size = draw.randint(1, most)
            passed += commands.passed(stream[at : at + size])
            at += size
        assert passed == stream and not commands.is_within


@pytest.mark.parametrize(
    "wrong",
    [
        packet(2, b"root:x:0:0"),  # the content of a file
        packet(2, b""),  # its end
        packet(0, b""),
        packet(0, b"\x11root\0"),  # another user
        packet(0, b"\x02mysql"),
        packet(0, b"\xfe"),
    ],
)
@pytest.mark.parametrize("before", [b"", CLOSE, QUERY[:-1]])
def test_what_begins_no_command_does_not_pass(wrong: bytes, before: bytes) -> None:
    commands = Commands()
    commands.passed(before)
    with pytest.raises(ProtocolError):
        commands.passed(b"1" * (before == QUERY[:-1]) + wrong)


class Joined:
    """A pair of the relay between two sockets, and its loop, one step at a time."""

    def __init__(self) -> None:
        self.client, self.theirs = socket.socketpair()
        self.server, self.ours = socket.socketpair()
        for end in (self.client, self.theirs, self.server, self.ours):
            for option in (socket.SO_SNDBUF, socket.SO_RCVBUF):
                end.setsockopt(socket.SOL_SOCKET, option, 4096)
        self.loop = Passing()
        Pair(self.theirs, self.ours, "bench").begin(self.loop)
        for end in (self.client, self.server):
            end.setblocking(False)

    def step(self) -> int:
        found = self.loop.epoll.poll(0)
        for fd, event in found:
            if fd in self.loop.handlers:
                self.loop.handlers[fd](event)
        return len(found)


@pytest.fixture
def joined() -> Iterator[Joined]:
    found = Joined()
    yield found
    found.client.close()
    found.server.close()
    while found.step():
        pass
    found.theirs.close()
    found.ours.close()
    found.loop.epoll.close()


def carried(joined: Joined, source: socket.socket, sink: socket.socket, data: bytes) -> bytes:
    """What arrives of the data, by a reader who takes little at a time."""
    found, at = bytearray(), 0
    for _ in range(100_000):
        with contextlib.suppress(BlockingIOError):
            at += source.send(data[at : at + 50_000])
        joined.step()
        with contextlib.suppress(BlockingIOError):
            found += sink.recv(3000)
        if len(found) == len(data):
            break
    return bytes(found)


def test_what_does_not_fit_waits_and_comes_whole(joined: Joined) -> None:
    command = packet(0, b"\x03" + random.Random(1).randbytes(300_000))
    assert carried(joined, joined.client, joined.server, command) == command
    result = random.Random(2).randbytes(len(BUFFER) * 3 + 17)
    assert carried(joined, joined.server, joined.client, result) == result


def test_a_side_that_takes_nothing_stops_the_other_one(joined: Joined) -> None:
    """Nothing more is read and no CPU is taken, also when the other side has gone meanwhile."""
    sent = 0
    with contextlib.suppress(BlockingIOError):
        while sent < 10 << 20:
            sent += joined.server.send(bytes(4096))
            joined.step()
    assert sent < 1 << 20
    while joined.step():
        pass
    joined.server.close()
    assert not any(joined.step() for _ in range(5))
    found = 0
    joined.client.setblocking(True)
    while True:
        joined.step()
        chunk = joined.client.recv(1 << 16)
        if not chunk:
            break
        found += len(chunk)
    assert found == sent


@pytest.mark.parametrize("side", ["client", "server"])
def test_the_end_of_one_side_is_that_of_the_other(joined: Joined, side: str) -> None:
    gone, left = (joined.client, joined.server) if side == "client" else (joined.server, joined.client)
    gone.sendall(QUERY)
    gone.close()
    while joined.step():
        pass
    assert left.recv(100) == QUERY and left.recv(100) == b""


def test_a_refused_command_is_answered_and_the_next_one_passes(joined: Joined) -> None:
    joined.client.sendall(packet(0, b"\x02mysql"))
    joined.step()
    assert joined.client.recv(100)[4:7] == b"\xff\x14\x04"
    joined.client.sendall(packet(0, b"\x02dyno"))
    joined.step()
    assert joined.server.recv(100) == packet(0, b"\x02bench")


def test_a_file_goes_nowhere(joined: Joined) -> None:
    joined.client.sendall(packet(0, b"\x03SELECT 1"))
    joined.step()
    joined.server.recv(100)
    joined.server.sendall(packet(1, b"\xfb/etc/passwd"))
    joined.step()
    assert joined.client.recv(100)[4:5] == b"\xfb"
    joined.client.sendall(packet(2, b"root:x:0:0"))
    joined.step()
    assert joined.server.recv(100) == b"" and joined.client.recv(100) == b""
