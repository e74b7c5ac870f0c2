"""Servers that are none, or want something of their client: each is a function of one connection."""

from __future__ import annotations

import contextlib
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from app.agent.existing.packets import error_packet, greeting_packet, ok_packet, packet
from app.agent.server.mysql import Greeting

FLAGS = 0x000F_A20D  # protocol 4.1, plugins, schema, statements by the semicolon; neither TLS nor files
TLS = 1 << 11
SSL_REQUEST = 36  # bytes
FILE = "private.txt"  # in its folder

Behaviour = Callable[["OddServer", socket.socket], None]


@dataclass
class OddServer:
    port: int
    folder: Path
    heard: bytearray = field(default_factory=bytearray)
    connections: int = 0

    def hear(self, connection: socket.socket) -> bytes:
        """What comes next; kept, as a test looks for what must not come."""
        chunk = connection.recv(1 << 16)
        self.heard += chunk
        return chunk


@contextmanager
def odd_server(behave: Behaviour, folder: Path, host: str = "127.0.0.1") -> Iterator[OddServer]:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.create_server((host, 0), family=family) as listening:
        server = OddServer(listening.getsockname()[1], folder)
        over = threading.Event()

        def serve() -> None:
            while True:
                connection, _ = listening.accept()
                if over.is_set():
                    return connection.close()
                server.connections += 1
                threading.Thread(target=_served, args=(behave, server, connection), daemon=True).start()

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield server
        over.set()
        socket.create_connection((host, server.port)).close()
        thread.join()


def _served(behave: Behaviour, server: OddServer, connection: socket.socket) -> None:
    with connection, contextlib.suppress(OSError):
        behave(server, connection)


def _greet(connection: socket.socket, flags: int = FLAGS) -> None:
    connection.sendall(greeting_packet(Greeting("8.0.99-odd", 7, flags, 2, 45)))


def closes_at_once(_server: OddServer, _connection: socket.socket) -> None:
    pass


def is_silent(server: OddServer, connection: socket.socket) -> None:
    server.hear(connection)


def sends_garbage(_server: OddServer, connection: socket.socket) -> None:
    connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n" * 10)


def says_a_strange_version(_server: OddServer, connection: socket.socket) -> None:
    connection.sendall(packet(0, b"\x0anone\0"))


def never_ends_its_greeting(_server: OddServer, connection: socket.socket) -> None:
    for number in range(256):
        connection.sendall(packet(number, bytes(0xFFFFFF)))


def refuses_this_host(_server: OddServer, connection: socket.socket) -> None:
    connection.sendall(error_packet(0, 1130, "Host is \x1b[31m not allowed\n" + "x" * 400))


def closes_after_its_greeting(_server: OddServer, connection: socket.socket) -> None:
    _greet(connection)


def has_no_tls(server: OddServer, connection: socket.socket) -> None:
    _greet(connection)
    while server.hear(connection):
        pass


def closes_instead_of_tls(server: OddServer, connection: socket.socket) -> None:
    _greet(connection, FLAGS | TLS)
    server.hear(connection)


def speaks_no_tls(server: OddServer, connection: socket.socket) -> None:
    _greet(connection, FLAGS | TLS)
    server.hear(connection)
    connection.sendall(ok_packet(2, 2) * 100)
    server.hear(connection)


def has_another_certificate(server: OddServer, connection: socket.socket) -> None:
    """Keeps what it hears after the handshake."""
    _greet(connection, FLAGS | TLS)
    connection.recv(SSL_REQUEST)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(server.folder / "cert.pem", server.folder / "key.pem")
    with context.wrap_socket(connection, server_side=True) as secure:
        while server.hear(secure):
            pass


def closes_at_the_login(server: OddServer, connection: socket.socket) -> None:
    _greet(connection)
    server.hear(connection)


def stops_in_a_packet(server: OddServer, connection: socket.socket) -> None:
    _greet(connection)
    server.hear(connection)
    connection.sendall(packet(2, bytes(100))[:50])


def _asks_by(plugin: bytes) -> Behaviour:
    def behave(server: OddServer, connection: socket.socket) -> None:
        _greet(connection)
        server.hear(connection)
        connection.sendall(packet(2, b"\xfe" + plugin + b"\0" + b"s" * 20 + b"\0"))
        while server.hear(connection):
            pass

    return behave


wants_the_password = _asks_by(b"mysql_clear_password")
wants_it_in_a_dialog = _asks_by(b"dialog")
wants_it_encrypted = _asks_by(b"sha256_password")
wants_sha2 = _asks_by(b"caching_sha2_password")
wants_the_old_scramble = _asks_by(b"mysql_old_password")
wants_the_unknown = _asks_by(b"a_plugin\x1b[31m")


def _log_in(server: OddServer, connection: socket.socket) -> None:
    _greet(connection)
    server.hear(connection)
    connection.sendall(ok_packet(2, 2))


def _request_of_file(server: OddServer) -> bytes:
    return packet(1, b"\xfb" + bytes(server.folder / FILE))


def wants_a_file(server: OddServer, connection: socket.socket) -> None:
    """Answers each statement by asking for a file."""
    _log_in(server, connection)
    while server.hear(connection):
        connection.sendall(_request_of_file(server))


def wants_a_file_before_it_is_asked(server: OddServer, connection: socket.socket) -> None:
    _greet(connection)
    server.hear(connection)
    connection.sendall(ok_packet(2, 2) + _request_of_file(server))
    server.hear(connection)


def dies_in_an_answer(server: OddServer, connection: socket.socket) -> None:
    _log_in(server, connection)
    server.hear(connection)
    connection.sendall(packet(1, b"\1")[:3])


def forgets_its_clients(server: OddServer, connection: socket.socket) -> None:
    """A proxy that drops an idle connection, and says nothing of it."""
    _log_in(server, connection)
