"""Commands on this computer, as over any other connection."""

from __future__ import annotations

import os
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from app.core.errors import LinkError
from app.remote.connection import LocalConnection, TooMuchError


@pytest.fixture
def connection() -> LocalConnection:
    return LocalConnection()


def test_input_output_complaints_and_code(connection: LocalConnection) -> None:
    completed = connection.run(["sh", "-c", "cat; echo oh >&2; exit 7"], b"in")
    assert (completed.returncode, completed.stdout, completed.stderr) == (7, b"in", b"oh\n")


def test_much_in_both_directions(connection: LocalConnection) -> None:
    content = os.urandom(4 << 20)
    assert connection.run(["cat"], content, most=4 << 20).stdout == content


def test_what_says_too_much_is_ended(connection: LocalConnection) -> None:
    for command, limit in (("yes", "1 MiB"), ("yes >&2", "64 KiB")):
        with pytest.raises(TooMuchError, match=f"local answers with more than {limit}: that is not Dyno's"):
            connection.run(["sh", "-c", command])
    stream = connection.open(["sh", "-c", "yes >&2"])
    with pytest.raises(TooMuchError, match="64 KiB"):
        stream.read(5)
    stream.close()


def test_a_signal_is_told_as_a_shell_does(connection: LocalConnection) -> None:
    assert connection.run(["sh", "-c", "kill -9 $$"]).returncode == 137


def test_what_cannot_be_started(connection: LocalConnection, tmp_path: Path) -> None:
    completed = connection.run(["no-such-command"])
    assert completed.returncode == 127
    assert completed.stderr == b"no-such-command: No such file or directory\n"
    assert connection.run([str(tmp_path)]).returncode == 126
    stream = connection.open(["no-such-command"])
    assert stream.read(5) == b""
    assert (stream.returncode, stream.stderr) == (127, completed.stderr)
    stream.close()


def test_a_command_that_takes_too_long_is_ended_with_its_children(
    connection: LocalConnection, tmp_path: Path
) -> None:
    began = time.monotonic()
    with pytest.raises(LinkError, match=r"local did not answer within 0\.2 s"):
        connection.run(["sh", "-c", f"sleep 60 & echo $! > {tmp_path}/pid; wait"], timeout_s=0.2)
    assert time.monotonic() - began < 2
    stat = Path("/proc") / (tmp_path / "pid").read_text().strip() / "stat"
    while _lives(stat) and time.monotonic() - began < 4:
        time.sleep(0.02)
    assert not _lives(stat)


def _lives(stat: Path) -> bool:
    """Not where it has ended and nobody has asked how: not every machine has a first process that does."""
    with suppress(FileNotFoundError, ProcessLookupError):
        return stat.read_text().rpartition(") ")[2][0] != "Z"
    return False


def test_a_stream_speaks_is_silent_and_ends(connection: LocalConnection) -> None:
    stream = connection.open(["sh", "-c", "cat; echo oh >&2; exit 3"], b"hello")
    received = b""
    while data := stream.read(5):
        received += data
    assert (received, stream.returncode, stream.stderr) == (b"hello", 3, b"oh\n")
    stream.close()
    assert stream.stderr == b"oh\n"


def test_a_closed_stream_ends_its_command(connection: LocalConnection) -> None:
    stream = connection.open(["sh", "-c", "echo $$; exec sleep 60"])
    pid = int(stream.read(5))
    with pytest.raises(TimeoutError):
        stream.read(0.05)
    stream.close()
    stream.close()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_commands_begin_at_home_and_away_from_the_terminal(connection: LocalConnection) -> None:
    code = "import os; print(os.getcwd()); print(os.getsid(0) == os.getpid())"
    said = connection.run([sys.executable, "-c", code]).stdout.decode().split()
    assert said == [os.path.realpath(Path("~").expanduser()), "True"]
