"""Stand-ins for the slow edges: connections, keyrings, sockets. Small, named, each with what it does."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from app.core.errors import TargetError
from app.protocol.answers import (
    FAIL,
    PASS,
    Check,
    DirectoryStatus,
    ExistingServer,
    Queue,
    QueueChange,
    QueuedPlan,
    RehearsalResult,
    ServerAddress,
    StartedPlan,
    Survey,
)
from app.protocol.plan import Plan
from app.remote.connection import MOST, CommandResult
from app.remote.secrets import NO_PASSWORDS
from tests.plans import survey


class ScriptedConnection:
    """A connection that answers what it was given, in that order, and keeps what it was asked."""

    name = "fake"

    def __init__(self, *answers: CommandResult) -> None:
        self.answers = list(answers)
        self.asked: list[tuple[list[str], bytes]] = []
        self.opened: list[tuple[list[str], bytes]] = []

    def run(
        self, argv: Sequence[str], stdin: bytes = b"", timeout_s: float = 30, most: int = MOST
    ) -> CommandResult:
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


CERTIFICATE = "5e" * 32
PASSWORD = "s3cret"


class FakeExistingServer:
    """A server that runs already, as the agent of a target sees it; keeps what it was asked."""

    def __init__(self, **found: Any) -> None:
        self.asked: list[ServerAddress] = []
        self.found = ExistingServer(
            certificate=CERTIFICATE,
            tls="TLSv1.3",
            family="MySQL",
            version="8.0.36",
            comment="Source distribution",
            engines=["InnoDB", "MEMORY", "MyISAM"],
            default_engine="InnoDB",
            rtt_ms=0.42,
            notes=["CPU and memory of its machine"],
            settings={"sync_binlog": "1", "max_connections": "151"},
        )
        self.found = replace(self.found, **found)

    def reach_server(self, address: ServerAddress) -> ExistingServer:
        self.asked.append(address)
        if not address.user:
            return ExistingServer(certificate=self.found.certificate)
        if address.tls and address.certificate != self.found.certificate:
            raise TargetError("local: 2026 TLS failed: another certificate is accepted")
        if address.password != PASSWORD:
            raise TargetError(f"local: 1045 Access denied for user '{address.user}'@'localhost'")
        its = {name: value for name, value in self.found.settings.items() if name in address.settings}
        return replace(self.found, settings=its)

    def clean_server(self, address: ServerAddress) -> list[str]:
        self.asked.append(address)
        return [f"table sbtest1 of {address.schema}"]


_PASSED = Check("options", PASS, "accepted")
_FAILED = Check("rehearsal", FAIL, "it does not start")


class ScriptedAgent:
    """Answers as a quiet target; keeps what it was asked, and lets a test do something in between."""

    directory, sha = "/target", "f00"

    def __init__(
        self,
        wrong: Sequence[str] = (),
        meanwhile: Callable[[str], None] = lambda what: None,
        found: Survey | None = None,
        taken: str = "",
        elsewhere: str = "",
    ) -> None:
        self._status = DirectoryStatus(bool(taken), None, None, taken, elsewhere)
        self.asked: list[str] = []
        self.in_force: dict[str, dict[str, str]] = {}  # variables, by the name of a contender
        self._wrong, self._meanwhile = wrong, meanwhile
        self._survey = found or survey()
        self.running = FakeExistingServer()  # whatever address is looked at
        self.passwords: list[Mapping[str, str]] = []  # that came with checks, rehearsals and the start

    @contextmanager
    def reached(self, *where: Any) -> Iterator[ScriptedAgent]:
        """In place of `remote.reach.reached`."""
        self._hear("reach")
        try:
            yield self
        finally:
            self.asked.append("close")

    def status(self) -> DirectoryStatus:
        """Asked before everything else, so it is not kept."""
        return self._status

    def queue(self, change: QueueChange | None = None) -> Queue:
        self._hear("queue")
        self.change = change or QueueChange()
        plan = self._plan
        return Queue([QueuedPlan(plan.id, plan.name, "5ba", self.sha, len(plan.first_turns))])

    def survey(self, search_paths: Sequence[str] = ()) -> Survey:
        self._hear("survey")
        return self._survey

    def upload_plan(self, plan: Plan) -> str:
        self._plan = plan
        self._hear("upload")
        return "5ba"

    def reach_server(self, address: ServerAddress) -> ExistingServer:
        self._hear(f"reach {address.user}@{address.host}")
        return self.running.reach_server(address)

    def clean_server(self, address: ServerAddress) -> list[str]:
        self._hear(f"clean {address.schema}")
        return self.running.clean_server(address)

    def check(self, plan: str, passwords: Mapping[str, str] = NO_PASSWORDS) -> list[Check]:
        self.passwords.append(passwords)
        return self._answer(plan, "check")

    def ask(self, plan: str) -> list[Check]:
        return self._answer(plan, "ask")

    def options(self) -> dict[str, list[str]]:
        names = ["innodb_buffer_pool_size", "innodb_spin_wait_delay", "sync_binlog"]
        return {each.server: names for each in self._survey.builds}

    def rehearse(
        self, plan: str, contender: int, patience_s: float = 60.0, passwords: Mapping[str, str] = NO_PASSWORDS
    ) -> RehearsalResult:
        """Kept and scripted by the name without the build in front."""
        self.passwords.append(passwords)
        found = self._plan.contenders[contender]
        short = found.name.removeprefix(f"{found.build}-")
        answer = self._answer(plan, f"rehearse {short}", found.name)
        return RehearsalResult(answer, self.in_force.get(short, {}))

    def start(
        self, plan: str, conducting: None = None, passwords: Mapping[str, str] = NO_PASSWORDS
    ) -> StartedPlan:
        assert plan == "5ba" and conducting is None
        self.passwords.append(passwords)
        self._hear("start")
        return StartedPlan(self._plan.id)

    def _answer(self, plan: str, what: str, contender: str = "") -> list[Check]:
        assert plan == "5ba"
        self._hear(what)
        checked = _FAILED if what in self._wrong else _PASSED
        return [replace(checked, contender=contender or what)]

    def _hear(self, what: str) -> None:
        self.asked.append(what)
        self._meanwhile(what)
