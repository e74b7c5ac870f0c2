"""The packets of MySQL's protocol that the relay makes or reads itself; it passes on all others."""

from __future__ import annotations

import struct
from typing import Tuple

from app.agent.server.mysql import Greeting, Wish

PROTOCOL_41, CONNECT_WITH_DB = 1 << 9, 1 << 3
LARGEST = 0xFFFFFF  # bytes of a packet: one of this size goes on in the next
HEADER = 4
QUIT, INIT_DB = 0x01, 0x02
# query, field list, ping, prepare, execute, long data, close, reset, set option, fetch, reset connection
PASSED = frozenset((QUIT, 0x03, 0x04, 0x0E, 0x16, 0x17, 0x18, 0x19, 0x1A, 0x1B, 0x1C, 0x1F))
UNKNOWN_COMMAND, NO_SUCH_SCHEMA = 1047, 1044
SALT, PLUGIN = b"no password is sent.", b"mysql_native_password"

first_of = struct.Struct("<IB").unpack_from  # length and number of a packet as one number, its command


class ProtocolError(OSError):
    """A client or a server sends what must not go on; its connection is closed."""


def packet(number: int, payload: bytes) -> bytes:
    return struct.pack("<I", len(payload) | number << 24) + payload


def greeting_packet(greeting: Greeting) -> bytes:
    """What a server says to a new client, with the version and thread id of the real one."""
    flags = greeting.flags | CONNECT_WITH_DB  # else a client sends another command, to choose its schema
    low, high = flags & 0xFFFF, flags >> 16
    version = greeting.version.encode("latin1", "replace")
    return packet(
        0,
        b"".join(
            (
                b"\x0a" + version + b"\0" + struct.pack("<I", greeting.thread_id) + SALT[:8] + b"\0",
                struct.pack("<HBHHB", low, greeting.collation, greeting.status, high, len(SALT) + 1),
                bytes(10) + SALT[8:] + b"\0" + PLUGIN + b"\0",
            )
        ),
    )


def wish_of(response: bytes) -> Wish:
    """What a client asks for in its answer to the greeting; who it says it is counts for nothing."""
    if len(response) < 32:
        raise ProtocolError("no answer to a greeting")
    flags, _, collation = struct.unpack_from("<IIB", response)
    if not flags & PROTOCOL_41:
        raise ProtocolError("a client of before MySQL 4.1")
    return Wish(flags, collation)


def ok_packet(number: int, status: int) -> bytes:
    return packet(number, struct.pack("<BBBHH", 0, 0, 0, status, 0))


def error_packet(number: int, code: int, text: str) -> bytes:
    return packet(number, struct.pack("<BH", 0xFF, code) + b"#HY000" + text.encode())


def instead_of(command: int, argument: bytes, schema: str) -> Tuple[bytes, bytes]:
    """What goes to the server and what to the client, for a command that is not passed on."""
    if command != INIT_DB:
        return b"", error_packet(1, UNKNOWN_COMMAND, "Dyno's relay does not pass on this command")
    if argument not in (b"dyno", schema.encode()):
        return b"", error_packet(1, NO_SUCH_SCHEMA, "Dyno works in the schema {} only".format(schema))
    return packet(0, bytes((INIT_DB,)) + schema.encode()), b""


class Commands:
    """Follows what a client sends, over the borders of packets.

    A packet that begins no command would be the content of a file that the server has asked for (LOAD DATA
    LOCAL), or a login as somebody else.
    """

    def __init__(self) -> None:
        self.is_within = False  # a command: its rest is still to come
        self._left = 0  # bytes of the packet
        self._goes_on = False  # in the next packet
        self._held = b""  # the beginning of a packet

    def passed(self, data: bytes) -> bytes:
        """What of the next bytes goes to the server."""
        data, at = self._held + data, 0
        while at < len(data):
            if not self._left:
                if not self._has_begun(data, at):
                    break
                at += HEADER
            step = min(self._left, len(data) - at)
            at, self._left = at + step, self._left - step
        self._held = data[at:]
        self.is_within = bool(self._left or self._goes_on or self._held)
        return data[:at]

    def _has_begun(self, data: bytes, at: int) -> bool:
        """Whether enough of a packet is there to know what it is."""
        if len(data) < at + HEADER:
            return False
        (header,) = struct.unpack_from("<I", data, at)
        if not self._goes_on:
            command = data[at + HEADER : at + HEADER + 1]
            if header > LARGEST or not header or (command and command[0] not in PASSED):
                raise ProtocolError("a packet that begins no command")
            if not command:
                return False
        self._left = header & LARGEST
        self._goes_on = self._left == LARGEST
        return True
