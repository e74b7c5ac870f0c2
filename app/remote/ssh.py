"""The connection to a target over SSH: raw channels of paramiko, every wait with an end."""

from __future__ import annotations

import contextlib
import shlex
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

import paramiko

from app.errors import LinkError, TargetError

from .bounded import bounded
from .connection import CHUNK, Completed, silent

if TYPE_CHECKING:
    from app.targets import Ask, Target, Told

T = TypeVar("T")

REQUEST_S = 8.0  # a target that is there answers a request of the protocol at once
QUIET_S = 1.5  # of a command, until the target is asked whether it is still there
LIFE_S = 6.0  # of that answer: with the quiet before, a dead link is noticed within 10 s
SLICE_S = 0.5
UNKNOWN_CODE = -1
MOST_COMPLAINTS = 1 << 20  # bytes of standard error that are kept


def connect_ssh(target: Target, ask: Ask, told: Told = lambda _stage, _what: None) -> SshConnection:
    """A connection to a target whose host key is trusted; `ask` is called where a secret is needed."""
    from .dial import Dialer

    return SshConnection(target.name, Dialer(target, ask, told=told).connect())


def lost(name: str) -> LinkError:
    """The error of a link that was there and is gone."""
    return LinkError(f"the link to {name} is lost: what was started there goes on; connect again")


class SshConnection:
    """A logged-in way to a target, over the hosts that lead there."""

    def __init__(self, name: str, transports: Sequence[paramiko.Transport]) -> None:
        self.name = name
        self._transports = list(transports)  # the last one is the target's

    def run(self, argv: Sequence[str], stdin: bytes = b"", timeout_s: float = 30) -> Completed:
        deadline = time.monotonic() + timeout_s
        stream = self.open(argv, stdin)
        try:
            stdout = self._read_all(stream, deadline)
        except TimeoutError:
            raise silent(self.name, timeout_s) from None
        finally:
            stream.close()
        code = UNKNOWN_CODE if stream.returncode is None else stream.returncode
        return Completed(code, stdout, stream.stderr)

    def open(self, argv: Sequence[str], stdin: bytes = b"") -> SshStream:
        channel = self._request(lambda: self._transport.open_session(timeout=REQUEST_S))
        self._request(lambda: channel.exec_command(shlex.join(argv)))
        stream = SshStream(self.name, channel)
        stream.send(stdin)
        return stream

    def close(self) -> None:
        close_transports(self._transports)

    @property
    def _transport(self) -> paramiko.Transport:
        return self._transports[-1]

    def _read_all(self, stream: SshStream, deadline: float) -> bytes:
        """What comes until the end; a target that is quiet is asked now and then whether it is there."""
        output: list[bytes] = []
        heard = time.monotonic()
        while True:
            left = deadline - time.monotonic()
            if left <= 0:
                raise TimeoutError
            try:
                data = stream.read(min(SLICE_S, left))
            except TimeoutError:
                if time.monotonic() - heard > QUIET_S:
                    self._ask_for_life()
                    heard = time.monotonic()
                continue
            if not data:
                return b"".join(output)
            output.append(data)
            heard = time.monotonic()

    def _ask_for_life(self) -> None:
        """One request that every SSH server answers; keep-alives of paramiko wait for no answer."""
        with contextlib.suppress(TargetError):  # it has no channel to spare: an answer too
            self._request(lambda: self._transport.open_session(timeout=REQUEST_S).close(), LIFE_S)

    def _request(self, call: Callable[[], T], timeout_s: float = REQUEST_S) -> T:
        """Something the target's SSH server answers at once, or the link is gone."""
        try:
            return bounded(call, timeout_s)
        except paramiko.ChannelException as error:
            raise TargetError(f"{self.name} refuses another command on this connection: {error}") from None
        except (TimeoutError, paramiko.SSHException, EOFError, OSError):
            self.close()
            raise lost(self.name) from None


class SshStream:
    """The output of a command on the target."""

    def __init__(self, name: str, channel: paramiko.Channel) -> None:
        self._name = name
        self._channel = channel
        self._complaints = b""
        self.returncode: int | None = None

    @property
    def stderr(self) -> bytes:
        while self._channel.recv_stderr_ready():
            self._complaints += self._channel.recv_stderr(CHUNK)
            self._complaints = self._complaints[:MOST_COMPLAINTS]
        return self._complaints

    def send(self, data: bytes) -> None:
        """All of the command's standard input; a command that ends before it has read it may do so."""
        self._channel.settimeout(REQUEST_S)
        try:
            if data:
                self._channel.sendall(data)
            self._channel.shutdown_write()
        except TimeoutError:
            self._channel.close()
            raise lost(self._name) from None
        except OSError:
            pass

    def read(self, timeout_s: float) -> bytes:
        _ = self.stderr  # taken in meanwhile: unread, it would stop the command
        self._channel.settimeout(timeout_s)
        data = self._channel.recv(CHUNK)
        if not data:
            self._end()
        return data

    def close(self) -> None:
        _ = self.stderr
        with contextlib.suppress(OSError, EOFError, paramiko.SSHException):
            self._channel.close()

    def _end(self) -> None:
        """The end of the output: of the command, or of the link."""
        self._channel.status_event.wait(REQUEST_S)
        if self._channel.exit_status == UNKNOWN_CODE and not self._channel.eof_received:
            raise lost(self._name)
        self.returncode = self._channel.exit_status


def close_transports(transports: Sequence[paramiko.Transport]) -> None:
    """From the target back to the first host on the way."""
    for transport in reversed(transports):
        with contextlib.suppress(OSError, EOFError, paramiko.SSHException):
            transport.close()
        with contextlib.suppress(OSError):
            transport.sock.close()
