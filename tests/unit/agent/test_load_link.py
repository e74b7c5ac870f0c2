"""The connection between a conductor and a load target, over loopback."""

from __future__ import annotations

import contextlib
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator

import pytest

from app.agent.load.conductor import ConnectedLoadTargets
from app.agent.load.link import LoadLinkError, dial, for_server
from app.agent.load.load_agent import try_load_link
from app.agent.system.errors import AgentError
from app.protocol.load_link import (
    Bye,
    GeneratorEnded,
    Hello,
    Message,
    Ping,
    Pong,
    StartSysbench,
    SysbenchLine,
    load_token_hash,
)
from app.remote.load_secrets import LoadTargetSecrets
from tests.waiting import wait_until

SECRETS = LoadTargetSecrets.made(["client-1", "client-2"])
TOKEN = SECRETS.tokens["client-1"]
DRIVE = StartSysbench(1, 0, 0, 1, 0, 1, 0, 0, 1, 7, "127.0.0.1", 3306, "secret")


@pytest.fixture
def conductor() -> Iterator[ConnectedLoadTargets]:
    made = ConnectedLoadTargets.listening(SECRETS.conducting("127.0.0.1", 0), ["client-1", "client-2"])
    made.begin()
    yield made
    made.end()


def answering(conductor: ConnectedLoadTargets, name: str = "client-1", token: str = "") -> list[Message]:
    """A load target that answers pings; what else it hears."""
    heard: list[Message] = []
    link = dial("127.0.0.1", conductor.port, SECRETS.fingerprint)

    def serve() -> None:
        link.send(Hello(name, token or SECRETS.tokens[name]))
        with contextlib.suppress(LoadLinkError):
            while True:
                message = link.receive()
                if isinstance(message, Ping):
                    link.send(Pong(message.at, time.monotonic() + 50))
                else:
                    heard.append(message)
                if isinstance(message, StartSysbench):
                    link.send(SysbenchLine(message.run, {"type": "ready", "workers": 1}, time.monotonic()))
                    link.send(GeneratorEnded(message.run, 0))
                if isinstance(message, Bye):
                    break
        link.close()

    threading.Thread(target=serve, daemon=True).start()
    return heard


def never() -> bool:
    return False


def test_a_load_target_is_there_until_the_plan_is_over(conductor: ConnectedLoadTargets) -> None:
    assert conductor.missing(0, never) == ["client-1", "client-2"]
    heard, _ = answering(conductor), answering(conductor, "client-2")
    assert conductor.missing(10, never) == []
    said: list[tuple[str, Message | None]] = []
    run = conductor.hear(lambda name, message: said.append((name, message)))
    conductor.send("client-1", DRIVE)
    wait_until(lambda: len(said) == 2, "both messages came")
    assert [type(message) for _, message in said] == [SysbenchLine, GeneratorEnded] and run == 1
    wait_until(lambda: conductor.clock("client-1").offset() is not None, "pings are answered")
    offset = conductor.clock("client-1").offset()
    assert offset is not None and abs(offset.seconds - 50) <= offset.error_s + 0.001
    conductor.end()
    wait_until(lambda: heard[-1:] == [Bye()], "the end is told")


def test_one_that_drops_out_is_told_to_all_who_listen(conductor: ConnectedLoadTargets) -> None:
    link = dial("127.0.0.1", conductor.port, SECRETS.fingerprint)
    link.send(Hello("client-1", TOKEN))
    ping = link.receive()
    assert isinstance(ping, Ping)
    assert "client-1" in conductor.missing(0, never), "its clock is not known yet"
    link.send(Pong(ping.at, 0.0))
    wait_until(lambda: conductor.missing(0, never) == ["client-2"], "it is there")
    gone: list[str] = []
    conductor.hear(lambda name, message: gone.append(name) if message is None else None)
    link.close()
    wait_until(lambda: gone == ["client-1"], "its end is told")
    assert conductor.missing(0, never) == ["client-1", "client-2"]


def test_one_that_dials_again_replaces_itself(conductor: ConnectedLoadTargets) -> None:
    answering(conductor)
    wait_until(lambda: "client-1" not in conductor.missing(0, never), "it is there")
    said: list[Message | None] = []
    conductor.hear(lambda _, message: said.append(message))
    answering(conductor)
    wait_until(lambda: conductor.clock("client-1").offset() is not None, "pings are answered")
    time.sleep(0.3)
    assert "client-1" not in conductor.missing(0, never) and None not in said


def test_one_that_was_called_again_has_a_token_of_its_own(conductor: ConnectedLoadTargets) -> None:
    link = dial("127.0.0.1", conductor.port, SECRETS.fingerprint)
    link.send(Hello("client-1", "new"))
    with pytest.raises(LoadLinkError):
        link.receive(5)
    link.close()
    conductor.admitted.add(load_token_hash("client-1", "new"))
    answering(conductor, token="new")
    wait_until(lambda: "client-1" not in conductor.missing(0, never), "it is there")


@pytest.mark.parametrize(
    "hello",
    [
        Hello("client-1", "0" * 64), Hello("client-3", TOKEN), Hello("client-2", TOKEN),
        Hello("client-2", TOKEN, trial=True), Hello("client-2", TOKEN + "client-1"), Hello("client-1", ""),
        Bye(), Pong(0.0, 0.0),
    ],
)  # fmt: skip
def test_a_stranger_is_not_let_in(conductor: ConnectedLoadTargets, hello: Message) -> None:
    link = dial("127.0.0.1", conductor.port, SECRETS.fingerprint)
    link.send(hello)
    with pytest.raises(LoadLinkError):
        link.receive(5)
    assert conductor.missing(0, never) == ["client-1", "client-2"]
    link.close()


def test_another_certificate_is_refused(conductor: ConnectedLoadTargets) -> None:
    with pytest.raises(LoadLinkError, match="its certificate is not that of the plan"):
        dial("127.0.0.1", conductor.port, LoadTargetSecrets.made([]).fingerprint)


def test_who_speaks_no_tls_is_left(conductor: ConnectedLoadTargets) -> None:
    with socket.create_connection(("127.0.0.1", conductor.port), 10) as plain:
        plain.sendall(b"GET / HTTP/1.0\r\n\r\n")
        with contextlib.suppress(ConnectionResetError):
            while plain.recv(100):  # an alert of TLS, then the end
                pass
    answering(conductor)
    wait_until(lambda: "client-1" not in conductor.missing(0, never), "others are let in meanwhile")


def liar(say: Callable[[ssl.SSLSocket], None]) -> int:
    """A server with the certificate of the plan, which says this; its port."""
    listener = socket.create_server(("127.0.0.1", 0))
    context = for_server(SECRETS.certificate, SECRETS.key)

    def serve() -> None:
        with contextlib.suppress(OSError), listener:
            plain, _ = listener.accept()
            with context.wrap_socket(plain, server_side=True) as secure:
                say(secure)

    threading.Thread(target=serve, daemon=True).start()
    return int(listener.getsockname()[1])


def test_a_message_without_an_end_ends_the_connection() -> None:
    def endless(secure: ssl.SSLSocket) -> None:
        while True:
            secure.sendall(b"x" * 65536)

    link = dial("127.0.0.1", liar(endless), SECRETS.fingerprint)
    with pytest.raises(LoadLinkError, match="a line of more than"):
        link.receive(10)
    link.close()


def test_silence_ends_the_connection() -> None:
    link = dial("127.0.0.1", liar(lambda _: time.sleep(5)), SECRETS.fingerprint)
    with pytest.raises(LoadLinkError, match="it said nothing for 1 s"):
        link.receive(1)
    link.close()


def test_something_else_than_messages_ends_a_trial_in_one_line() -> None:
    port = liar(lambda secure: (secure.recv(1000), secure.sendall(b'{"kind":"Ping","at":"\x1b[31m"}\n'))[-1])
    with pytest.raises(AgentError, match=r"client-1 cannot reach 127.0.0.1 port .*something else"):
        try_load_link(SECRETS.call("client-1", "127.0.0.1", port))


def test_a_trial_measures_both(conductor: ConnectedLoadTargets) -> None:
    found = try_load_link(SECRETS.call("client-1", "127.0.0.1", conductor.port))
    assert 0 < found.rtt_ms < 100 and found.mbit > 1
    assert conductor.missing(0, never) == ["client-1", "client-2"]  # it was only tried


def test_nobody_listens() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = int(taken.getsockname()[1])
    with pytest.raises(AgentError, match=r"cannot reach 127.0.0.1 port \d+: Connection refused"):
        try_load_link(SECRETS.call("client-1", "127.0.0.1", port))


def test_secrets_are_in_no_text() -> None:
    text = repr((SECRETS, SECRETS.conducting("127.0.0.1", 0), SECRETS.call("client-1", "127.0.0.1", 1)))
    assert TOKEN not in text and "PRIVATE" not in text
