"""The connection to a team's server against servers that lie, and what its address may be."""

from __future__ import annotations

import socket
import ssl
import struct
import threading
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from app.core.errors import DynoError, InputError
from app.team import answers, connection
from app.team.address import (
    TeamDatabaseAddress,
    TeamHistoryChoice,
    keep_history_choice,
    parse_team_address,
    read_team_history,
)
from app.team.certificate import pinned_tls_context
from app.team.connection import TeamDatabaseConnection
from app.team.plugin import PlainPasswordPluginError
from app.team.server import unpacked
from app.team.store import ROW, TeamError
from tests.team_server import certify

PASSWORD = "never to be seen"
OK = b"\x00\x00\x00\x02\x00\x00\x00"  # it has committed each statement
BEGIN = ("SET NAMES", "SET sql_mode", "SET time_zone")  # of a connection


def packet(payload: bytes, number: int) -> bytes:
    return struct.pack("<I", len(payload))[:3] + bytes([number]) + payload


def greeting(capabilities: int = 0xF7FF, plugin: bytes = b"mysql_native_password") -> bytes:
    """The first packet of a server; 0x0800 of the capabilities is TLS."""
    high = 0x0008 | 0x0020  # PLUGIN_AUTH, LENENC data
    body = b"\x0a10.0.0-liar\x00" + struct.pack("<I", 7) + b"12345678\x00"
    body += struct.pack("<HBHH", capabilities, 45, 2, high) + bytes([21]) + b"\x00" * 10 + b"123456789012\x00"
    return packet(body + plugin + b"\x00", 0)


@contextmanager
def lying(
    answer: Callable[[socket.socket, list[bytes]], None],
) -> Iterator[tuple[TeamDatabaseAddress, list[bytes]]]:
    """A server that lies to the first who connects; what it was sent."""
    received: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve() -> None:
            client, _ = listening.accept()
            client.settimeout(10)
            with client:
                try:
                    answer(client, received)
                except OSError:
                    pass

        thread = threading.Thread(target=serve)
        thread.start()
        yield TeamDatabaseAddress("anna", "127.0.0.1", listening.getsockname()[1], "team"), received
        thread.join()


def test_a_server_without_tls_gets_no_password() -> None:
    def answer(client: socket.socket, received: list[bytes]) -> None:
        client.sendall(greeting())
        received.append(client.recv(4096))

    with lying(answer) as (address, received), pytest.raises(TeamError, match="offers no TLS"):
        TeamDatabaseConnection(address, PASSWORD, pinned_tls_context("x", "SHA256:00"))
    assert received == [b""]


@pytest.mark.parametrize(
    "plugin", [b"mysql_clear_password", b"dialog", b"mysql_old_password", b"parsec", b"\x1b[2J"]
)
def test_nobody_gets_the_password_as_plain_text(plugin: bytes) -> None:
    def answer(client: socket.socket, received: list[bytes]) -> None:
        client.sendall(greeting())
        received.append(client.recv(4096))
        client.sendall(packet(b"\xfe" + plugin + b"\x00\x01Password: ", 2))
        received.append(client.recv(4096))

    with lying(answer) as (address, received), pytest.raises(TeamError, match="plain text"):
        TeamDatabaseConnection(address, PASSWORD, None)
    assert PASSWORD.encode() not in b"".join(received)


NATIVE, CACHING, SHA256 = "mysql_native_password", "caching_sha2_password", "sha256_password"
AT_ONCE = greeting(0xFFFF, SHA256.encode())  # by its first packet already
SWITCHED = (packet(b"\xfe" + SHA256.encode() + b"\0" + b"1" * 20 + b"\0", 3),)
FULL = (packet(b"\xfe" + CACHING.encode() + b"\0" + b"1" * 20 + b"\0", 3), packet(b"\x01\x04", 5))
ASKED = {
    "at once": (AT_ONCE, SWITCHED),
    "switched": (greeting(0xFFFF), SWITCHED),
    "full": (greeting(0xFFFF), FULL),
}


def asking(folder: Path, first: bytes, then: tuple[bytes, ...]) -> Callable[..., None]:
    """A server that asks for the password within TLS, and lets in who gives it."""

    def answer(client: socket.socket, received: list[bytes]) -> None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(folder / "cert.pem", folder / "key.pem")
        client.sendall(first)
        client.recv(36)
        with context.wrap_socket(client, server_side=True) as secure:
            received.append(secure.recv(4096))
            for each in then:
                secure.sendall(each)
                received.append(secure.recv(4096))
            secure.sendall(packet(OK, 5 + 2 * (len(then) - 1)))
            for _ in BEGIN:
                secure.recv(4096)
                secure.sendall(packet(OK, 1))

    return answer


@pytest.mark.parametrize("known", [NATIVE, "client_ed25519", "another"])
@pytest.mark.parametrize(("first", "then"), ASKED.values(), ids=ASKED)
def test_an_account_that_has_not_shown_its_password_does_not_begin_to(
    first: bytes, then: tuple[bytes, ...], known: str, tmp_path: Path
) -> None:
    context = pinned_tls_context("x", certify(tmp_path))
    asked = lying(asking(tmp_path, first, then))
    with asked as (address, received), pytest.raises(PlainPasswordPluginError) as caught:
        TeamDatabaseConnection(address, PASSWORD, context, known)
    plugin = CACHING if then is FULL else SHA256
    assert known in str(caught.value) and f"--auth-plugin {plugin}" in str(caught.value)
    assert PASSWORD.encode() not in b"".join(received)


@pytest.mark.parametrize("is_known", [True, False])
@pytest.mark.parametrize(("first", "then"), ASKED.values(), ids=ASKED)
def test_an_account_shows_its_password_where_it_did_so_before_or_logs_in_for_the_first_time(
    first: bytes, then: tuple[bytes, ...], is_known: bool, tmp_path: Path
) -> None:
    """docs/security.md says so: the server gets it, within TLS."""
    context, plugin = pinned_tls_context("x", certify(tmp_path)), CACHING if then is FULL else SHA256
    with lying(asking(tmp_path, first, then)) as (address, received):
        made = TeamDatabaseConnection(address, PASSWORD, context, plugin if is_known else "")
        assert made.plugin == plugin
        made.close()
    assert received[-1].endswith(PASSWORD.encode() + b"\0") and PASSWORD.encode() not in received[0]


def test_one_plugin_that_shows_the_password_is_not_the_other(tmp_path: Path) -> None:
    context = pinned_tls_context("x", certify(tmp_path))
    asked = lying(asking(tmp_path, greeting(0xFFFF), SWITCHED))
    with asked as (address, received), pytest.raises(PlainPasswordPluginError):
        TeamDatabaseConnection(address, PASSWORD, context, CACHING)
    assert PASSWORD.encode() not in b"".join(received)


def test_without_tls_the_key_of_a_stranger_gets_no_password_either() -> None:
    def answer(client: socket.socket, received: list[bytes]) -> None:
        client.sendall(greeting())
        client.recv(4096)
        client.sendall(packet(b"\xfe" + SHA256.encode() + b"\0" + b"1" * 20 + b"\0", 2))
        received.append(client.recv(4096))

    with lying(answer) as (address, received), pytest.raises(PlainPasswordPluginError):
        TeamDatabaseConnection(address, PASSWORD, None, NATIVE)
    assert received == [b""]  # not even a question for the key


@pytest.mark.parametrize(
    "said",
    [
        b"", b"SSH-2.0-OpenSSH_9.2\r\n" * 10, b"\xff\xff\xff\x00" + b"x" * 100, packet(b"", 0),
        packet(b"\x0a", 0),
        packet(b"\xff\x15\x04" + b"#28000\x1b[2J" + b"e" * 1000, 0), packet(b"\x0a\xff\x00" + b"\x00" * 7, 0),
        packet(b"\x0a10\x00\x00\x00\x00\x0012345678\x00\xff\xf7", 0),
    ],
    ids=range(8),
)  # fmt: skip
def test_what_is_no_greeting_is_one_line(said: bytes) -> None:
    def answer(client: socket.socket, _: list[bytes]) -> None:
        client.sendall(said)

    with lying(answer) as (address, _), pytest.raises(TeamError) as caught:
        TeamDatabaseConnection(address, PASSWORD, None)
    assert str(caught.value).isprintable() and len(str(caught.value)) < 500


def test_an_answer_without_an_end_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "MOST", 1 << 20)
    monkeypatch.setattr(connection._Connection, "left", 1 << 20)

    def answer(client: socket.socket, _: list[bytes]) -> None:
        client.sendall(greeting())
        client.recv(4096)
        for at in range(2, 60):
            client.sendall(b"\xff\xff\xff" + bytes([at]) + b"x" * 0xFFFFFF)

    with lying(answer) as (address, _), pytest.raises(TeamError, match="more than 1 MiB"):
        TeamDatabaseConnection(address, PASSWORD, None)


def let_in(client: socket.socket) -> None:
    """Accept any login, and the statements with which a connection begins."""
    client.sendall(greeting())
    client.recv(4096)
    client.sendall(packet(OK, 2))
    for _ in BEGIN:
        client.recv(4096)
        client.sendall(packet(OK, 1))


@pytest.mark.parametrize(
    "said",
    [
        packet(b"\x01", 1) + b"\x00" * 40, packet(b"\xfc\xff", 1), b"\xff\xff\xff\x01" + b"x" * 9000, b"\x01",
    ],
    ids=range(4),
)  # fmt: skip
def test_an_unreadable_answer_is_one_line_and_the_connection_can_be_closed(
    said: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "MOST", 1 << 20)

    def answer(client: socket.socket, _: list[bytes]) -> None:
        let_in(client)
        client.recv(4096)
        client.sendall(said)

    with lying(answer) as (address, _):
        made = TeamDatabaseConnection(address, PASSWORD, None)
        with pytest.raises(TeamError) as caught:
            made.rows("SELECT 1", most=1 << 20)
        assert str(caught.value).startswith(("the answer of 127.0.0.1", "the server 127.0.0.1"))
        made.close()
        made.close()


def test_what_no_login_answers_is_one_line() -> None:
    def answer(client: socket.socket, _: list[bytes]) -> None:
        client.sendall(greeting())
        client.recv(4096)
        client.sendall(packet(b"\x01\x04", 2))

    with lying(answer) as (address, _), pytest.raises(TeamError, match="cannot be read"):
        TeamDatabaseConnection(address, PASSWORD, None)


@pytest.mark.parametrize(
    "content",
    [None, "text", b"", b"no zlib", zlib.compress(b"x" * 10)[:-3]],
    ids=["null", "text", "empty", "damaged", "torn"],
)
def test_a_row_is_never_longer_than_a_row(content: Any) -> None:
    with pytest.raises(ValueError, match="row of a journal"):
        unpacked(content)
    assert unpacked(zlib.compress(b"a" * ROW)) == b"a" * ROW


def test_a_row_that_unpacks_to_too_much_is_refused() -> None:
    with pytest.raises(ValueError, match="row of a journal"):
        unpacked(zlib.compress(b"\0" * (200 << 20), 9))


@pytest.mark.parametrize(
    ("read", "row"),
    [
        (answers.announcement_from_row, ("S" * 26, "P" * 26, "A" * 26, 1, "n" * 5_000_000, 5, -1)),
        (answers.announcement_from_row, ("../etc", "P" * 26, "A" * 26, 1, "n", 5, -1)),
        (answers.announcement_from_row, ("S" * 26, "P" * 26, "A" * 26, 1, "n", 1 << 40, -1)),
        (answers.announcement_from_row, ("S" * 26, "P" * 26, "A" * 26, "1", "n", 5, -1)),
        (answers.announcement_from_row, ("S" * 26, None, "A" * 26, 1, "n", 5, -1)),
        (answers.checked_journal_row, (0, ROW + 1, b"c" * 32)),
        (answers.checked_journal_row, (-1, 5, b"c" * 32)),
        (answers.checked_journal_row, (0, 5, b"c")),
        (answers.edit_from_row, ("A" * 26, 1, 1, "x", "p", "S" * 26, "name", "", "1", "", 0)),
        (answers.edit_from_row, ("A" * 26, 1, 1, 1.0, "p", "S" * 26, "name", "", "1" * 2_000_000, "", 0)),
        (answers.checked_last_edit, ("A" * 26, 1 << 60)),
    ],
)
def test_an_answer_of_the_server_of_another_shape_is_refused_in_one_line(
    read: Callable[..., Any], row: tuple[Any, ...]
) -> None:
    with pytest.raises(TeamError) as caught:
        answers.checked(read, [row])
    assert len(str(caught.value)) < 300


def test_a_name_cannot_steer_a_terminal() -> None:
    found = answers.announcement_from_row("S" * 26, "P" * 26, "A" * 26, 1, "\x1b[2Jroot\u202e", 5, -1)
    assert found.person == "\\x1b[2Jroot\\u202e"


# addresses


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("mysql://anna@db.example/team", TeamDatabaseAddress("anna", "db.example", 3306, "team")),
        ("mysql://anna@db.example:3307/team", TeamDatabaseAddress("anna", "db.example", 3307, "team")),
        ("mysql://a%20@[::1]:3307/team_1", None),
        ("mysql://anna@[::1]:3307/team_1", TeamDatabaseAddress("anna", "::1", 3307, "team_1")),
    ],
)
def test_an_address_is_read_and_written(text: str, expected: TeamDatabaseAddress | None) -> None:
    if expected is None:
        with pytest.raises(InputError):
            parse_team_address(text)
    else:
        assert parse_team_address(text) == expected and str(expected) == text


@pytest.mark.parametrize(
    "text",
    [
        "mysql://anna:s3cret@db/team", "mysql://anna:@db/team", "mysql://anna:s3c@ret@db/team", "mysql://db/team",
        "mysql://anna@/team", "mysql://anna@db", "mysql://anna@db/", "mysql://anna@db:0x/team", "postgres://a@b/c",
        "mysql://anna@db:99999/team", "mysql://anna@db/te am", "mysql://anna@db/team?ssl=0", "", "team",
        "mysql://anna@d\x1bb/team", "mysql://anna@[::1/team",
    ],
)  # fmt: skip
def test_a_wrong_address_is_one_line_without_a_password(text: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_team_address(text)
    assert "s3c" not in str(caught.value) and "\n" not in str(caught.value)


def test_a_choice_is_stored_without_a_secret(dyno_home: Path) -> None:
    choice = TeamHistoryChoice("mysql://anna@db/team", "Anna", certificate="SHA256:AA")
    keep_history_choice(dyno_home, choice)
    assert read_team_history(dyno_home) == choice
    assert PASSWORD not in (dyno_home / "settings.toml").read_text()
    keep_history_choice(dyno_home, None)
    assert read_team_history(dyno_home) is None


@pytest.mark.parametrize("table", ["team = 3", '[team]\naddress = "x"\nperson = "y"', "[team]\ntls = 1"])
def test_a_damaged_choice_is_one_line(dyno_home: Path, table: str) -> None:
    dyno_home.mkdir()
    (dyno_home / "settings.toml").write_text(table)
    with pytest.raises(DynoError):
        read_team_history(dyno_home)
