"""SSH to real sshd processes: commands and streams, which hosts are trusted, what is said where it fails."""

from __future__ import annotations

import contextlib
import os
import shlex
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.core.errors import LinkError, TargetError
from app.remote.connection import TooMuchError
from app.remote.dial import trust
from app.remote.hostkeys import HostKeyChangedError, HostKeyUnknownError
from app.remote.reach import connect
from tests.integration.reaching import connected, nobody, says_hello
from tests.integration.sshd import Sshd, StartSshd, make_key

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


def test_complaints_stop_no_command_and_endless_ones_end_it(sshd: Sshd) -> None:
    sshd.trust()
    with connected(sshd.target()) as connection:
        completed = connection.run(["sh", "-c", "head -c 60000 /dev/zero >&2; echo out"])
        assert (completed.stdout, len(completed.stderr)) == (b"out\n", 60_000)
        with pytest.raises(TooMuchError, match="far answers with more than 64 KiB"):
            connection.run(["sh", "-c", "yes >&2"])
        stream = connection.open(["sh", "-c", "yes >&2"])
        with pytest.raises(TooMuchError):  # at once on a slow machine, else with the second look
            for _ in range(9):
                with contextlib.suppress(TimeoutError):
                    stream.read(1)
        stream.close()
        assert connection.run(["echo", "hello"]).stdout == b"hello\n"


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
    with pytest.raises(TargetError, match="Dyno does not trust it"):
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
    with pytest.raises(TargetError, match="Dyno does not trust it"):
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
