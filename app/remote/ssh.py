"""The connection to a target over SSH: raw channels of paramiko, every wait with an end."""

from __future__ import annotations

import contextlib
import shlex
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

import paramiko

from app.core.errors import LinkError, TargetError

from .bounded import bounded
from .connection import CHUNK, MOST, MOST_COMPLAINTS, UNKNOWN_CODE, CommandResult, TooMuchError, answer_of

if TYPE_CHECKING:
    pass

T = TypeVar("T")

REQUEST_S = 8.0  # a target that is there answers a request of the protocol at once
LIFE_S = 6.0  # for the answer of a silent target: a dead link is noticed within 10 s
MOST_WAITING = 4 << 20  # bytes to be read: a server that keeps to SSH sends half of it unasked


def lost(name: str) -> LinkError:
    """The error of a broken link."""
    return LinkError(f"the link to {name} is lost: what was started there goes on; connect again")


class SshConnection:
    """A logged-in connection to a target through its jump hosts."""

    def __init__(self, name: str, transports: Sequence[paramiko.Transport]) -> None:
        self.name = name
        self._transports = list(transports)  # the last one is the target's

    def run(
        self, argv: Sequence[str], stdin: bytes = b"", timeout_s: float = 30, most: int = MOST
    ) -> CommandResult:
        stream = self.open(argv, stdin)
        try:
            return answer_of(stream, self.name, timeout_s, most, self._ask_for_life)
        finally:
            stream.close()

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

    def _ask_for_life(self) -> None:
        """Check the link by a request that every SSH server answers; keep-alives wait for no answer."""
        with contextlib.suppress(TargetError):  # it has no channel to spare: an answer too
            self._request(lambda: self._transport.open_session(timeout=REQUEST_S).close(), LIFE_S)

    def _request(self, call: Callable[[], T], timeout_s: float = REQUEST_S) -> T:
        """A request that the server answers at once; else the link is broken."""
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
        self.stderr = b""
        self.returncode: int | None = None

    def send(self, data: bytes) -> None:
        """Write all standard input; the command may end before it has read it."""
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
        self._hear_complaints()
        self._channel.settimeout(timeout_s)
        data = self._channel.recv(CHUNK)
        if len(self._channel.in_buffer) > MOST_WAITING:
            raise TooMuchError(self._name, MOST_WAITING)
        if not data:
            self._end()
            self._hear_complaints()
        return data

    def close(self) -> None:
        with contextlib.suppress(OSError, EOFError, paramiko.SSHException):
            self._channel.close()

    def _hear_complaints(self) -> None:
        """Read available error output: a full window would block the command."""
        while self._channel.recv_stderr_ready():
            self.stderr += self._channel.recv_stderr(CHUNK)
            if len(self.stderr) > MOST_COMPLAINTS:
                raise TooMuchError(self._name, MOST_COMPLAINTS)

    def _end(self) -> None:
        """Handle the end of the output: of the command, or of the link."""
        self._channel.status_event.wait(REQUEST_S)
        if self._channel.exit_status == UNKNOWN_CODE and not self._channel.eof_received:
            raise lost(self._name)
        self.returncode = self._channel.exit_status


def close_transports(transports: Sequence[paramiko.Transport]) -> None:
    """Close the connections from the target back to the first host."""
    for transport in reversed(transports):
        with contextlib.suppress(OSError, EOFError, paramiko.SSHException):
            transport.close()
        with contextlib.suppress(OSError):
            transport.sock.close()
