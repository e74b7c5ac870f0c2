"""Links that are cut without a word: noticed within 10 seconds, whoever waits. Needs root."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from app.core.errors import LinkError
from app.remote.connection import Connection
from app.remote.reach import connect
from tests.integration.netns import FarTarget
from tests.integration.reaching import connected, nobody, says_hello
from tests.integration.sshd import StartSshd

pytestmark = pytest.mark.root
TwoTargets = tuple[FarTarget, FarTarget]
NOTICED_S = 10.0


def seconds_until_lost(wait: Callable[[], object]) -> float:
    began = time.monotonic()
    with pytest.raises(LinkError, match="lost"):
        wait()
    return time.monotonic() - began


def test_two_targets_are_reached(two_targets: TwoTargets) -> None:
    for number, far in enumerate(two_targets):
        target = far.sshd.add_target(f"far{number}")
        with connected(target) as connection:
            said = connection.run(["ip", "-brief", "address", "show", "dev", "far"])
            assert far.sshd.address.encode() in said.stdout


def test_a_dead_link_ends_the_wait_for_a_command(two_targets: TwoTargets) -> None:
    far = two_targets[0]
    with connected(far.sshd.add_target()) as connection:
        threading.Timer(1, far.link_down).start()
        assert seconds_until_lost(lambda: connection.run(["sleep", "60"], timeout_s=50)) < 1 + NOTICED_S


def test_a_dead_link_ends_a_silent_stream(two_targets: TwoTargets) -> None:
    """The kernel's keep-alive tells, where nobody watches for a heartbeat."""
    far = two_targets[0]
    with connected(far.sshd.add_target()) as connection:
        stream = connection.open(["sleep", "60"])
        far.link_down()
        assert seconds_until_lost(lambda: stream.read(50)) < NOTICED_S
        stream.close()


def test_a_dead_link_ends_a_stream_that_speaks(two_targets: TwoTargets) -> None:
    far = two_targets[0]
    with connected(far.sshd.add_target()) as connection:
        stream = connection.open(["sh", "-c", "while :; do echo beat; sleep 1; done"])
        assert stream.read(5) == b"beat\n"
        far.link_down()
        began = time.monotonic()
        with pytest.raises((LinkError, TimeoutError)):
            while stream.read(3):
                pass
        assert time.monotonic() - began < NOTICED_S
        stream.close()


def test_a_command_on_a_dead_link(two_targets: TwoTargets) -> None:
    far = two_targets[0]
    with connected(far.sshd.add_target()) as connection:
        far.link_down()
        assert seconds_until_lost(lambda: connection.run(["true"])) < NOTICED_S


@pytest.mark.full
def test_much_input_on_a_dead_link(two_targets: TwoTargets) -> None:
    far = two_targets[0]
    with connected(far.sshd.add_target()) as connection:
        stream = connection.open(["sleep", "60"])
        far.link_down()
        assert seconds_until_lost(lambda: push(connection)) < NOTICED_S
        stream.close()


def push(connection: Connection) -> None:
    connection.run(["cat"], b"x" * (64 << 20))


def test_a_target_behind_a_link_that_is_down(two_targets: TwoTargets) -> None:
    far = two_targets[0]
    target = far.sshd.add_target()
    far.link_down()
    began = time.monotonic()
    with pytest.raises(LinkError):
        connect(target, nobody)
    assert time.monotonic() - began < NOTICED_S + 1
    far.link_up()
    assert says_hello(target)


@pytest.mark.full
def test_the_link_behind_a_jump_dies(
    two_targets: TwoTargets, start_sshd: StartSshd, ssh_folder: Path
) -> None:
    """The connection to the first host is well; only a request to the last one tells."""
    far = two_targets[0]
    jump = start_sshd()
    jump.trust()
    jump.authorize(far.sshd.key)
    target = far.sshd.add_target(jump=f"{jump.user}@{jump.address}:{jump.port}")
    config = f"Host {jump.address}\n IdentityFile {far.sshd.key}\n"
    (ssh_folder / "config").write_text(config)
    with connected(target) as connection:
        threading.Timer(1, far.link_down).start()
        assert seconds_until_lost(lambda: connection.run(["sleep", "60"], timeout_s=50)) < 1 + NOTICED_S


def test_a_short_break_loses_nothing(two_targets: TwoTargets) -> None:
    far = two_targets[0]
    with connected(far.sshd.add_target()) as connection:
        stream = connection.open(["sh", "-c", "for i in 1 2 3 4 5 6; do echo $i; sleep 0.5; done"])
        received = stream.read(5)
        far.link_down()
        threading.Timer(2, far.link_up).start()
        while data := stream.read(9):
            received += data
        assert received.split() == [b"1", b"2", b"3", b"4", b"5", b"6"]
        stream.close()
