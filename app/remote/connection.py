"""Runs commands on a target: the interface of connections, and the connection to this computer."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from app.core.errors import LinkError, TargetError

CHUNK = 1 << 16  # bytes of one read
MOST = 1 << 20  # bytes of an answer, where its verb sets no other limit
MOST_COMPLAINTS = 64 << 10  # bytes of standard error
SLICE_S = 0.5  # of one read of an answer
QUIET_S = 1.5  # silence of a command, until Dyno checks whether its target is alive
END_S = 5.0  # of a command that has closed its output, or that was asked to end
LOOK_MS = 20  # whether it has ended, where it keeps its standard error open
NOT_FOUND = 127  # what a shell answers where there is no such command
NOT_RUNNABLE = 126
UNKNOWN_CODE = -1


@dataclass(frozen=True)
class CommandResult:
    """The result of a command."""

    returncode: int
    stdout: bytes
    stderr: bytes


class TooMuchError(TargetError):
    """A command printed more than any command of Dyno does."""

    def __init__(self, name: str, most: int, verb: str = "") -> None:
        self.most = most
        limit = f"{most >> 20} MiB" if most >= 1 << 20 else f"{most >> 10} KiB"
        asked = f" {verb}" if verb else ""
        super().__init__(f"{name} answers{asked} with more than {limit}: that is not Dyno's agent")


class RemoteCommandOutput(Protocol):
    """The output of a running command."""

    @property
    def returncode(self) -> int | None:
        """The exit code, after read() has returned b""; -1 if unknown."""

    @property
    def stderr(self) -> bytes:
        """Its error output so far."""

    def read(self, timeout_s: float) -> bytes:
        """What has come, b"" at its end; raises TimeoutError on silence, LinkError where the link is gone,
        TooMuchError where it complains without end."""

    def close(self) -> None: ...


class Connection(Protocol):
    """A connection to a target; for one thread."""

    name: str  # of the target, as messages say it

    def run(
        self, argv: Sequence[str], stdin: bytes = b"", timeout_s: float = 30, most: int = MOST
    ) -> CommandResult:
        """Wait for a command; raises LinkError where no answer comes in time, TooMuchError beyond `most`."""

    def open(self, argv: Sequence[str], stdin: bytes = b"") -> RemoteCommandOutput:
        """Start a command whose output is read as it comes."""

    def close(self) -> None: ...


def no_answer_error(name: str, timeout_s: float) -> LinkError:
    """The error of a command that did not answer in time."""
    return LinkError(
        f"{name} did not answer within {timeout_s:g} s: check its load and the network, then try again"
    )


def answer_of(
    stream: RemoteCommandOutput,
    name: str,
    timeout_s: float,
    most: int,
    ask_for_life: Callable[[], None] = lambda: None,
) -> CommandResult:
    """All output of a command; checks now and then whether a silent target is alive."""
    output = bytearray()
    heard = time.monotonic()
    deadline = heard + timeout_s
    while (left := deadline - time.monotonic()) > 0:
        try:
            data = stream.read(min(SLICE_S, left))
        except TimeoutError:
            if time.monotonic() - heard > QUIET_S:
                ask_for_life()
                heard = time.monotonic()
            continue
        if not data:
            code = UNKNOWN_CODE if stream.returncode is None else stream.returncode
            return CommandResult(code, bytes(output), stream.stderr)
        output += data
        if len(output) > most:
            raise TooMuchError(name, most)
        heard = time.monotonic()
    raise no_answer_error(name, timeout_s)


class LocalConnection:
    """This computer as a target."""

    def __init__(self, name: str = "local") -> None:
        self.name = name

    def run(
        self, argv: Sequence[str], stdin: bytes = b"", timeout_s: float = 30, most: int = MOST
    ) -> CommandResult:
        stream = self.open(argv, stdin)
        try:
            return answer_of(stream, self.name, timeout_s, most)
        finally:
            stream.close(signal.SIGKILL)

    def open(self, argv: Sequence[str], stdin: bytes = b"") -> LocalStream:
        try:
            return LocalStream(self.name, _start(argv, stdin))
        except OSError as error:
            code = NOT_FOUND if isinstance(error, FileNotFoundError) else NOT_RUNNABLE
            words = f"{argv[0]}: {error.strerror}\n".encode()
            return LocalStream(self.name, _start(["sh", "-c", f"cat >&2; exit {code}"], words))

    def close(self) -> None:
        pass


class LocalStream:
    """The output of a command on this computer."""

    def __init__(self, name: str, process: subprocess.Popen[bytes]) -> None:
        assert process.stdout is not None and process.stderr is not None
        self._name = name
        self._process = process
        self._stdout, self._stderr = process.stdout, process.stderr
        self._poll = select.poll()
        for file in (self._stdout, self._stderr):
            self._poll.register(file.fileno(), select.POLLIN)
        os.set_blocking(self._stderr.fileno(), False)
        self.returncode: int | None = None
        self.stderr = b""

    def read(self, timeout_s: float) -> bytes:
        deadline = time.monotonic() + timeout_s
        while ready := dict(self._poll.poll(max(deadline - time.monotonic(), 0) * 1000)):
            self._hear_complaints()
            if self._stdout.fileno() in ready:
                data = os.read(self._stdout.fileno(), CHUNK)
                if not data:
                    self._end()
                return data
        raise TimeoutError

    def close(self, number: signal.Signals = signal.SIGTERM) -> None:
        if self._stdout.closed:
            return
        self._stdout.close()
        self._stderr.close()
        if self._process.poll() is None:
            _signal(self._process, number)
            _wait(self._process)

    def _end(self) -> None:
        """Read error output until the command has ended."""
        self._poll.unregister(self._stdout.fileno())
        until = time.monotonic() + END_S
        while self._process.poll() is None and time.monotonic() < until:
            self._poll.poll(LOOK_MS)
            self._hear_complaints()
        self.returncode = _shell_code(_wait(self._process))
        self._hear_complaints()

    def _hear_complaints(self) -> None:
        """Read available error output: a full pipe would block the command."""
        with contextlib.suppress(BlockingIOError):
            while data := os.read(self._stderr.fileno(), CHUNK):
                self.stderr += data
                if len(self.stderr) > MOST_COMPLAINTS:
                    raise TooMuchError(self._name, MOST_COMPLAINTS)
            with contextlib.suppress(KeyError):
                self._poll.unregister(self._stderr.fileno())  # poll would report its end again and again


def _start(argv: Sequence[str], stdin: bytes) -> subprocess.Popen[bytes]:
    """Start a command in its own session, so that Ctrl+C in the terminal does not reach it."""
    with tempfile.TemporaryFile() as file:  # a file, as writing to a pipe can wait for ever
        file.write(stdin)
        file.seek(0)
        return subprocess.Popen(
            argv,
            stdin=file,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=_home(),
            start_new_session=True,
        )


def _home() -> str:
    """The home directory, where an SSH command begins too."""
    home = Path("~").expanduser()
    return str(home) if home.is_dir() else "/"


def _wait(process: subprocess.Popen[bytes]) -> int:
    try:
        return process.wait(timeout=END_S)
    except subprocess.TimeoutExpired:
        _signal(process, signal.SIGKILL)
        return process.wait(timeout=END_S)


def _signal(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, number)


def _shell_code(returncode: int) -> int:
    """The exit code as a shell gives it over SSH: 128 + signal."""
    return 128 - returncode if returncode < 0 else returncode
