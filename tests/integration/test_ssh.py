"""Connecting over SSH to real sshd processes: who is let in, who is trusted, what is said where it fails."""

from __future__ import annotations

import contextlib
import os
import shlex
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.errors import InputError, LinkError, TargetError
from app.remote.connection import Connection
from app.remote.dial import trust
from app.remote.hostkeys import HostKeyChangedError, HostKeyUnknownError
from app.remote.secrets import forget_secrets
from app.targets import Target, connect

from .sshd import Sshd, StartSshd, make_key, wait_until


def nobody(prompt: str) -> None:
    return None


class Person:
    """Answers prompts in their order, and keeps them."""

    def __init__(self, *answers: str) -> None:
        self.answers = list(answers)
        self.prompts: list[str] = []

    def __call__(self, prompt: str) -> str | None:
        self.prompts.append(prompt)
        return self.answers.pop(0) if self.answers else None


@pytest.fixture(autouse=True)
def forgetful() -> Iterator[None]:
    forget_secrets()
    yield
    forget_secrets()


@contextlib.contextmanager
def connected(target: Target, ask: object = nobody) -> Iterator[Connection]:
    connection = connect(target, ask)  # type: ignore[arg-type]
    try:
        yield connection
    finally:
        connection.close()


def says_hello(target: Target, ask: object = nobody) -> bool:
    with connected(target, ask) as connection:
        return connection.run(["echo", "hello"]).stdout == b"hello\n"


# commands


def test_a_command_gets_its_input_and_gives_output_complaints_and_code(sshd: Sshd) -> None:
    sshd.trust()
    with connected(sshd.target()) as connection:
        completed = connection.run(["sh", "-c", "cat; echo oh >&2; exit 7"], b"in")
        assert (completed.returncode, completed.stdout, completed.stderr) == (7, b"in", b"oh\n")
        strange = ["printf", "%s|", "a b", "$HOME", "'", '"', "*", "\\n", "", "é"]
        assert connection.run(strange).stdout.decode() == "|".join(strange[2:]) + "|"
        assert connection.run(["no-such-command"]).returncode == 127
        assert connection.run(["sh", "-c", "kill -9 $$"]).returncode != 0


def test_a_command_that_does_not_end_is_given_up(sshd: Sshd) -> None:
    sshd.trust()
    with connected(sshd.target()) as connection:
        began = time.monotonic()
        with pytest.raises(LinkError, match="far did not answer within 1 s"):
            connection.run(["sleep", "60"], timeout_s=1)
        assert time.monotonic() - began < 3
        assert connection.run(["echo", "hello"]).stdout == b"hello\n"


def test_a_quiet_command_is_waited_for(sshd: Sshd) -> None:
    sshd.trust()
    with connected(sshd.target()) as connection:
        assert connection.run(["sh", "-c", "sleep 4; echo done"]).stdout == b"done\n"


def test_much_comes_through_a_stream_whole(sshd: Sshd, tmp_path: Path) -> None:
    sshd.trust()
    content = os.urandom(20 << 20)
    (tmp_path / "much").write_bytes(content)
    with connected(sshd.target()) as connection:
        stream = connection.open(["cat", str(tmp_path / "much")])
        received = bytearray()
        while data := stream.read(5):
            received += data
        stream.close()
        assert stream.returncode == 0
        assert bytes(received) == content
        assert (
            connection.run(["sha256sum"], content).stdout[:64]
            == connection.run(["sha256sum", str(tmp_path / "much")]).stdout[:64]
        )


def test_many_complaints_stop_no_command(sshd: Sshd) -> None:
    sshd.trust()
    with connected(sshd.target()) as connection:
        completed = connection.run(["sh", "-c", "head -c 8000000 /dev/zero >&2; echo out"])
        assert completed.stdout == b"out\n"
        assert 0 < len(completed.stderr) <= 1 << 20


def test_a_stream_is_silent_then_speaks_then_ends(sshd: Sshd) -> None:
    sshd.trust()
    with connected(sshd.target()) as connection:
        stream = connection.open(["sh", "-c", "read line; echo $line; exit 3"], b"")
        while data := stream.read(5):
            assert data == b"\n"
        assert stream.returncode == 3
        stream.close()
        stream = connection.open(["sleep", "60"])
        with pytest.raises(TimeoutError):
            stream.read(0.2)
        stream.close()


# who is let in


def test_an_encrypted_key_is_asked_for_and_remembered(sshd: Sshd, tmp_path: Path) -> None:
    sshd.trust()
    key = make_key(tmp_path / "locked", passphrase="correct horse")
    sshd.authorize(key)
    target = sshd.target(identity=str(key))
    person = Person("wrong", "correct horse")
    assert says_hello(target, person)
    assert person.prompts == [f"passphrase of {key}: "] * 2
    assert says_hello(target)  # a reconnect asks nobody


def test_an_encrypted_key_with_nobody_to_ask_is_wrong_input(sshd: Sshd, tmp_path: Path) -> None:
    sshd.trust()
    key = make_key(tmp_path / "locked", passphrase="correct horse")
    with pytest.raises(InputError, match=f"needs the passphrase of {key}, and nobody is there to be asked"):
        connect(sshd.target(identity=str(key)), nobody)


@pytest.mark.parametrize("kind", ["rsa", "ecdsa", "ed25519"])
def test_keys_of_every_kind_let_in(sshd: Sshd, tmp_path: Path, kind: str) -> None:
    sshd.trust()
    key = make_key(tmp_path / kind, kind, passphrase="secret")
    sshd.authorize(key)
    assert says_hello(sshd.target(identity=str(key)), Person("secret"))


def test_an_old_pem_key_lets_in(sshd: Sshd, tmp_path: Path) -> None:
    sshd.trust()
    key = tmp_path / "pem"
    subprocess.run(["ssh-keygen", "-q", "-t", "rsa", "-m", "PEM", "-N", "secret", "-f", key], check=True)
    sshd.authorize(key)
    assert says_hello(sshd.target(identity=str(key)), Person("secret"))


def test_the_keys_of_the_ssh_agent_let_in(
    sshd: Sshd, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sshd.trust()
    key = make_key(tmp_path / "in_agent")
    sshd.authorize(key)
    with ssh_agent(tmp_path / "agent.sock") as sock:
        monkeypatch.setenv("SSH_AUTH_SOCK", str(sock))
        subprocess.run(["ssh-add", "-q", str(key)], check=True, timeout=10)
        key.unlink()
        assert says_hello(sshd.target(identity=""))


def test_the_ssh_agent_saves_the_question_for_a_passphrase(
    sshd: Sshd, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sshd.trust()
    key = make_key(tmp_path / "locked", passphrase="secret")
    sshd.authorize(key)
    with ssh_agent(tmp_path / "agent.sock") as sock:
        monkeypatch.setenv("SSH_AUTH_SOCK", str(sock))
        subprocess.run(["ssh-keygen", "-q", "-p", "-P", "secret", "-N", "", "-f", key], check=True)
        subprocess.run(["ssh-add", "-q", str(key)], check=True, timeout=10)
        subprocess.run(["ssh-keygen", "-q", "-p", "-N", "secret", "-f", key], check=True)
        assert says_hello(sshd.target(identity=str(key)))


@contextlib.contextmanager
def ssh_agent(path: Path) -> Iterator[Path]:
    process = subprocess.Popen(["ssh-agent", "-D", "-a", str(path)], stdout=subprocess.DEVNULL)
    try:
        wait_until(path.exists, "the SSH agent has its socket")
        yield path
    finally:
        process.kill()
        process.wait()


def test_a_key_nobody_knows_is_refused_with_what_to_do(sshd: Sshd, tmp_path: Path) -> None:
    sshd.trust()
    with pytest.raises(TargetError, match=r"does not let Dyno in.*1 keys tried.*ssh-copy-id"):
        connect(sshd.target(identity=str(make_key(tmp_path / "strange"))), nobody)


@pytest.mark.root
def test_a_password_is_asked_for_and_remembered(password_user: str, start_sshd: StartSshd) -> None:
    sshd = start_sshd("PasswordAuthentication yes")
    sshd.trust()
    target = sshd.target(user=password_user, identity="")
    with pytest.raises(InputError, match=f"needs the password of {password_user}@.*nobody is there"):
        connect(target, nobody)
    person = Person("wrong", "let me in")
    assert says_hello(target, person)
    assert len(person.prompts) == 2
    assert says_hello(target)


@pytest.mark.root
def test_a_key_and_then_a_password(password_user: str, start_sshd: StartSshd) -> None:
    with tempfile.TemporaryDirectory() as folder:  # sshd reads it as that user, who cannot enter tmp_path
        Path(folder).chmod(0o755)
        sshd = start_sshd(
            "PasswordAuthentication yes",
            "AuthenticationMethods publickey,password",
            f"AuthorizedKeysFile {folder}/keys",
        )
        (Path(folder) / "keys").write_text(Path(f"{sshd.key}.pub").read_text())
        sshd.trust()
        assert says_hello(sshd.target(user=password_user), Person("let me in"))


@pytest.mark.root
def test_a_password_that_is_asked_for_by_dialogue(password_user: str, start_sshd: StartSshd) -> None:
    """As where PAM does the asking: keyboard-interactive in place of password."""
    sshd = start_sshd(
        "UsePAM yes", "KbdInteractiveAuthentication yes", "AuthenticationMethods keyboard-interactive"
    )
    sshd.trust()
    person = Person("let me in")
    assert says_hello(sshd.target(user=password_user), person)
    assert len(person.prompts) == 1


@pytest.fixture
def password_user() -> Iterator[str]:
    """A throw-away user of this system, who has the password `let me in`."""
    name = f"dynotest{os.getpid()}"
    subprocess.run(["useradd", "-M", "-d", "/", "-s", "/bin/sh", name], check=True)
    try:
        subprocess.run(["chpasswd"], input=f"{name}:let me in\n".encode(), check=True)
        yield name
    finally:
        subprocess.run(["userdel", "-f", name], check=True, stderr=subprocess.DEVNULL)


# ~/.ssh/config


def test_the_ssh_config_is_honoured(sshd: Sshd, ssh_folder: Path) -> None:
    sshd.trust()
    (ssh_folder / "config").write_text(
        f"Host nuc\n HostName {sshd.address}\n Port {sshd.port}\n"
        f" User {sshd.user}\n IdentityFile {sshd.key}\n"
    )
    assert says_hello(Target("nuc", host="nuc", directories=["/x"]))


def test_the_usual_key_is_found_beside_the_config(sshd: Sshd, ssh_folder: Path) -> None:
    sshd.trust()
    sshd.authorize(make_key(ssh_folder / "id_ed25519"))
    assert says_hello(sshd.target(identity=""))


def test_a_target_behind_two_jumps(start_sshd: StartSshd, ssh_folder: Path) -> None:
    first, second, last = (start_sshd() for _ in range(3))
    for each in (first, second, last):
        each.authorize(last.key)
    first.trust()
    (ssh_folder / "config").write_text(
        f"Host b\n HostName {second.address}\n Port {second.port}\n IdentityFile {last.key}\n"
        f"Host a\n HostName {first.address}\n Port {first.port}\n IdentityFile {last.key}\n"
        "Host behind\n ProxyJump a,b\n"
        f" HostName {last.address}\n Port {last.port}\n IdentityFile {last.key}\n"
    )
    target = Target("behind", host="behind", directories=["/x"])
    for unknown in (second, last):  # every host on the way is checked
        with pytest.raises(HostKeyUnknownError) as caught:
            connect(target, nobody)
        assert (caught.value.port, caught.value.fingerprint) == (unknown.port, unknown.host_key.fingerprint)
        assert trust(target, caught.value.fingerprint, nobody).port == unknown.port
    assert says_hello(target)
    assert "direct-tcpip" in first.log() or "Accepted publickey" in first.log()
    assert "Accepted publickey" in last.log()


def test_a_jump_that_reaches_nothing(start_sshd: StartSshd, ssh_folder: Path) -> None:
    jump = start_sshd()
    jump.trust()
    target = jump.target(port=1, jump=f"{jump.user}@{jump.address}:{jump.port}")
    jump.authorize(make_key(ssh_folder / "id_ed25519"))
    with pytest.raises(LinkError, match=r"the host before it on the way cannot reach 127.0.0.1 port 1"):
        connect(target, nobody)


# host keys


def test_an_unknown_host_is_refused_with_the_way_to_accept_it(sshd: Sshd, dyno_home: Path) -> None:
    with pytest.raises(HostKeyUnknownError) as caught:
        connect(sshd.target(), nobody)
    fingerprint = keygen_fingerprint(sshd.host_keys[0])
    error = caught.value
    assert (error.host, error.port, error.key_type) == (sshd.address, sshd.port, "ssh-ed25519")
    assert error.fingerprint == fingerprint
    assert f"dyno target trust far {fingerprint}" in str(error)
    assert "\n" not in str(error)
    assert "Accepted" not in sshd.log() and not (dyno_home / "known_hosts").exists()


def test_exactly_the_named_fingerprint_is_trusted(sshd: Sshd, dyno_home: Path) -> None:
    target = sshd.target()
    other = keygen_fingerprint(make_key(sshd.folder / "other"))
    with pytest.raises(TargetError, match="nothing is trusted"):
        trust(target, other, nobody)
    with pytest.raises(HostKeyUnknownError):
        connect(target, nobody)
    offer = trust(target, sshd.host_key.fingerprint, nobody)
    assert offer.key == sshd.host_key
    assert (dyno_home / "known_hosts").stat().st_mode & 0o777 == 0o600
    assert says_hello(target)
    found = subprocess.run(
        ["ssh-keygen", "-F", f"[{sshd.address}]:{sshd.port}", "-f", str(dyno_home / "known_hosts")],
        capture_output=True,
        check=True,
    )
    assert b"ssh-ed25519" in found.stdout


def test_a_changed_host_key_is_refused_loudly_and_can_be_trusted_anew(sshd: Sshd) -> None:
    sshd.trust()
    before = sshd.host_key.fingerprint
    sshd.stop()
    sshd.make_host_keys()
    sshd.start()
    with pytest.raises(HostKeyChangedError, match="HAS CHANGED") as caught:
        connect(sshd.target(), nobody)
    assert before in str(caught.value) and sshd.host_key.fingerprint in str(caught.value)
    assert "Accepted" not in sshd.log()
    with pytest.raises(TargetError, match="nothing is trusted"):
        trust(sshd.target(), before, nobody)
    trust(sshd.target(), sshd.host_key.fingerprint, nobody)
    assert says_hello(sshd.target())


def test_another_key_of_a_trusted_host_is_no_change(start_sshd: StartSshd) -> None:
    sshd = start_sshd(host_keys=["rsa", "ecdsa", "ed25519"])
    sshd.trust()  # its rsa key, which would not be offered first
    assert says_hello(sshd.target())


def test_a_host_with_another_kind_of_key_has_changed(sshd: Sshd) -> None:
    sshd.trust()
    sshd.stop()
    sshd.make_host_keys(["ecdsa"])
    sshd.start()
    with pytest.raises(HostKeyChangedError):
        connect(sshd.target(), nobody)


def keygen_fingerprint(path: Path) -> str:
    said = subprocess.run(["ssh-keygen", "-lf", f"{path}.pub"], capture_output=True, check=True, text=True)
    return said.stdout.split()[1]


# what cannot be reached


def test_a_host_too_old_says_what_it_offers(start_sshd: StartSshd) -> None:
    sshd = start_sshd("HostKeyAlgorithms ssh-rsa", host_keys=["rsa"])
    with pytest.raises(TargetError, match=r"OpenSSH_.*too old.*ssh-rsa.*ed25519") as caught:
        connect(sshd.target(), nobody)
    assert "\n" not in str(caught.value)


def test_a_host_with_old_key_exchange_says_so(start_sshd: StartSshd) -> None:
    sshd = start_sshd("KexAlgorithms diffie-hellman-group14-sha1")
    with pytest.raises(TargetError, match=r"too old.*diffie-hellman-group14-sha1"):
        connect(sshd.target(), nobody)


def test_what_is_no_ssh_server_or_not_there(sshd: Sshd) -> None:
    sshd.trust()
    target = sshd.target()
    sshd.stop()
    with pytest.raises(LinkError, match="refuses the connection"):
        connect(target, nobody)
    with pytest.raises(LinkError, match="not known"):
        connect(sshd.target(host="no-such-host.invalid"), nobody)
    with babbling_server() as port, pytest.raises(LinkError, match="does not speak SSH"):
        connect(sshd.target(port=port), nobody)


def test_a_host_that_says_nothing_is_given_up_in_time(sshd: Sshd) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        began = time.monotonic()
        with pytest.raises(LinkError):
            connect(sshd.target(port=server.getsockname()[1]), nobody)
        assert 5 < time.monotonic() - began < 12


@contextlib.contextmanager
def babbling_server() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def babble() -> None:
            with server.accept()[0] as sock:
                sock.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

        thread = threading.Thread(target=babble)
        thread.start()
        yield server.getsockname()[1]
        thread.join(5)


# links that break


def test_a_killed_sshd_is_a_lost_link(sshd: Sshd) -> None:
    sshd.trust()
    with connected(sshd.target()) as connection:
        stream = connection.open(["sh", "-c", "echo here; sleep 60"])
        assert stream.read(5) == b"here\n"
        sshd.cut()
        with pytest.raises(LinkError, match="the link to far is lost"):
            stream.read(5)
        with pytest.raises(LinkError):
            connection.run(["true"])
    assert says_hello(sshd.target())


def test_a_killed_sshd_ends_the_wait_for_an_answer(sshd: Sshd) -> None:
    sshd.trust()
    with connected(sshd.target()) as connection:
        threading.Timer(0.5, sshd.cut).start()
        with pytest.raises(LinkError, match="lost"):
            connection.run(["sleep", "60"], timeout_s=50)


def test_shell_words_are_never_taken_apart(sshd: Sshd, tmp_path: Path) -> None:
    sshd.trust()
    evil = f"; touch {tmp_path}/owned #"
    with connected(sshd.target()) as connection:
        assert connection.run(["echo", evil]).stdout.decode() == evil + "\n"
    assert not (tmp_path / "owned").exists() and shlex.quote(evil) != evil
