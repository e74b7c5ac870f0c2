"""Carrying out a command on a target: what every connection can do, and the one to this computer."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Protocol

from app.errors import LinkError

CHUNK = 1 << 16  # bytes of one read
NOT_FOUND = 127  # what a shell answers where there is no such command
NOT_RUNNABLE = 126


@dataclass(frozen=True)
class Completed:
    """What a command left behind."""

    returncode: int
    stdout: bytes
    stderr: bytes


class Stream(Protocol):
    """The output of a command that goes on."""

    @property
    def returncode(self) -> int | None:
        """None until read() has given b""; then as a shell says it, -1 where it is not known."""

    @property
    def stderr(self) -> bytes:
        """What it has complained of so far."""

    def read(self, timeout_s: float) -> bytes:
        """What has come, b"" at its end; raises TimeoutError on silence, LinkError where the link is gone."""

    def close(self) -> None: ...


class Connection(Protocol):
    """A way to one target; for one thread."""

    name: str  # of the target, as messages say it

    def run(self, argv: Sequence[str], stdin: bytes = b"", timeout_s: float = 30) -> Completed:
        """Wait for a command; raises LinkError where no answer comes in time."""

    def open(self, argv: Sequence[str], stdin: bytes = b"") -> Stream:
        """Start a command whose output is read as it comes."""

    def close(self) -> None: ...


def silent(name: str, timeout_s: float) -> LinkError:
    """The error of a command that did not answer in time."""
    return LinkError(
        f"{name} did not answer within {timeout_s:g} s: look at its load and the network, try again"
    )


class LocalConnection:
    """This computer, reached the way a target is: one command after the other."""

    def __init__(self, name: str = "local") -> None:
        self.name = name

    def run(self, argv: Sequence[str], stdin: bytes = b"", timeout_s: float = 30) -> Completed:
        try:
            process = _start(argv, stdin, subprocess.PIPE)
        except OSError as error:
            return _not_started(argv, error)
        with process:
            try:
                stdout, stderr = process.communicate(timeout=timeout_s)
            except subprocess.TimeoutExpired:
                _signal(process, signal.SIGKILL)
                raise silent(self.name, timeout_s) from None
        return Completed(_shell_code(process.returncode), stdout, stderr)

    def open(self, argv: Sequence[str], stdin: bytes = b"") -> LocalStream:
        complaints = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115 - the stream closes it
        try:
            return LocalStream(_start(argv, stdin, complaints), complaints)
        except OSError as error:
            complaints.write(_not_started(argv, error).stderr)
            return LocalStream(_start(["sh", "-c", f"exit {NOT_FOUND}"], b"", subprocess.DEVNULL), complaints)

    def close(self) -> None:
        pass


class LocalStream:
    """The output of a command on this computer."""

    def __init__(self, process: subprocess.Popen[bytes], complaints: IO[bytes]) -> None:
        assert process.stdout is not None
        self._process = process
        self._stdout = process.stdout
        self._complaints = complaints
        self._poll = select.poll()
        self._poll.register(self._stdout.fileno(), select.POLLIN)
        self.returncode: int | None = None
        self._last = b""  # what it complained of, kept past close()

    @property
    def stderr(self) -> bytes:
        if not self._complaints.closed:
            self._last = os.pread(self._complaints.fileno(), CHUNK, 0)
        return self._last

    def read(self, timeout_s: float) -> bytes:
        if not self._poll.poll(timeout_s * 1000):
            raise TimeoutError
        data = os.read(self._stdout.fileno(), CHUNK)
        if not data:
            self.returncode = _shell_code(_wait(self._process))
        return data

    def close(self) -> None:
        if self._stdout.closed:
            return
        _ = self.stderr
        self._stdout.close()
        self._complaints.close()
        if self._process.poll() is None:
            _signal(self._process, signal.SIGTERM)
            _wait(self._process)


def _start(argv: Sequence[str], stdin: bytes, stderr: IO[bytes] | int) -> subprocess.Popen[bytes]:
    """In a session of its own, so that Ctrl+C in the terminal is not the command's."""
    with tempfile.TemporaryFile() as file:  # a file, as writing to a pipe can wait for ever
        file.write(stdin)
        file.seek(0)
        return subprocess.Popen(
            argv,
            stdin=file,
            stdout=subprocess.PIPE,
            stderr=stderr,
            cwd=_home(),
            start_new_session=True,
        )


def _home() -> str:
    """Where an SSH command would begin too."""
    home = Path("~").expanduser()
    return str(home) if home.is_dir() else "/"


def _wait(process: subprocess.Popen[bytes]) -> int:
    try:
        return process.wait(timeout=5)
    except subprocess.TimeoutExpired:
        _signal(process, signal.SIGKILL)
        return process.wait(timeout=5)


def _signal(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, number)


def _shell_code(returncode: int) -> int:
    """A process ended by a signal says 128 + signal, as over SSH through a shell."""
    return 128 - returncode if returncode < 0 else returncode


def _not_started(argv: Sequence[str], error: OSError) -> Completed:
    code = NOT_FOUND if isinstance(error, FileNotFoundError) else NOT_RUNNABLE
    return Completed(code, b"", f"{argv[0]}: {error.strerror}\n".encode())
