"""Stand-ins for the slow edges: connections, keyrings, sockets. Small, named, each with what it does."""

from __future__ import annotations

from collections.abc import Sequence

from app.remote.connection import Completed


class ScriptedConnection:
    """A connection that answers what it was given, in that order, and keeps what it was asked."""

    name = "fake"

    def __init__(self, *answers: Completed) -> None:
        self.answers = list(answers)
        self.asked: list[tuple[list[str], bytes]] = []
        self.opened: list[tuple[list[str], bytes]] = []

    def run(self, argv: Sequence[str], stdin: bytes = b"", timeout_s: float = 30) -> Completed:
        self.asked.append((list(argv), stdin))
        return self.answers.pop(0)

    def open(self, argv: Sequence[str], stdin: bytes = b"") -> EndedStream:
        self.opened.append((list(argv), stdin))
        return EndedStream()

    def close(self) -> None:
        pass


class EndedStream:
    """The output of a command that had nothing to say."""

    returncode = 0
    stderr = b""

    def read(self, timeout_s: float) -> bytes:
        return b""

    def close(self) -> None:
        pass


class MemoryKeyring:
    """A keyring that forgets when the test ends."""

    def __init__(self) -> None:
        self.kept: dict[tuple[str, str], str] = {}

    def get_password(self, service_name: str, username: str) -> str | None:
        return self.kept.get((service_name, username))

    def set_password(self, service_name: str, username: str, password: str) -> None:
        self.kept[service_name, username] = password

    def delete_password(self, service_name: str, username: str) -> None:
        self.kept.pop((service_name, username), None)


class DroppingKeyring(MemoryKeyring):
    """As the null backend: takes everything, keeps nothing, says nothing."""

    def set_password(self, service_name: str, username: str, password: str) -> None:
        pass


class LockedKeyring(MemoryKeyring):
    """As a keyring whose owner has not unlocked it."""

    def get_password(self, service_name: str, username: str) -> str | None:
        raise RuntimeError("locked")

    def set_password(self, service_name: str, username: str, password: str) -> None:
        raise RuntimeError("locked")


class ByteSocket:
    """A socket on which a server has said this and then hung up."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self.sent = b""

    def send(self, data: bytes) -> int:
        self.sent += data
        return len(data)

    def recv(self, size: int) -> bytes:
        data, self._content = self._content[:size], self._content[size:]
        return data
