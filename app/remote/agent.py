"""The agent on a target as the desktop sees it: pushing its file, asking and steering it."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from time import time
from typing import TypeVar

from app.core.errors import DynoError, InputError, TargetError
from app.protocol.answers import (
    AgentPushAnswer,
    Build,
    BuildOptionNames,
    Check,
    Checks,
    ConductorAddress,
    DataSnapshot,
    DirectoryStatus,
    EmptyAnswer,
    ExistingServer,
    Installed,
    LoadLinkTrial,
    LoadTargetAdmission,
    PlanOnTarget,
    Plans,
    Queue,
    QueueChange,
    ReceivedBytesAnswer,
    RehearsalResult,
    RemovalAnswer,
    ServerAddress,
    Snapshots,
    StartedPlan,
    StartRequest,
    Survey,
    TrialPort,
    to_json,
)
from app.protocol.checked import decode_json
from app.protocol.machine_checks import PATIENCE_S
from app.protocol.plan import Plan
from app.protocol.reading import ShapeError, read

from .bundle import current_bundle
from .connection import (
    MOST,
    NOT_FOUND,
    NOT_RUNNABLE,
    CommandResult,
    Connection,
    RemoteCommandOutput,
    TooMuchError,
)
from .secrets import NO_PASSWORDS

OLDEST_PYTHON = "3.8"
ASK_S = 30.0  # a verb that only looks at files
SURVEY_S = 180.0  # every build is asked what it is
CHECK_S = 180.0
REACH_S = 90.0  # a server that is far away, or does not answer
TRIAL_S = 90.0  # round trips and 8 MB over a slow line
UPLOAD_S = 300.0  # for a plan, or one piece of a tarball
INSTALL_S = 900.0  # a gigabyte of xz is unpacked at 50 MB/s
DELETE_S = 600.0  # a file system takes its time to let a terabyte go
UNMAKE_S = 660.0  # a change that a killed agent left: its program runs up to 300 s, and is called again then
REHEARSAL_S = 1800.0  # a contender is initialised and started once

# bytes of an answer; all others say less than connection.MOST
MOST_OF = {"survey": 4 << 20, "check": 8 << 20, "ask": 8 << 20, "options": 8 << 20}

T = TypeVar("T")
Words = list[str]
PlanList = list[PlanOnTarget]
SnapshotList = list[DataSnapshot]


class RemoteAgent:
    """The agent file of a directory on a target; each call is one command there.

    `sha` names the agent file to speak to: this Dyno's own, which is pushed where it is not there, or
    the one that started a session, which follows and steers it.
    """

    def __init__(
        self, connection: Connection, directory: str, python: str = "python3", sha: str | None = None
    ) -> None:
        self.connection = connection
        self.directory = directory  # resolved once deploy() was there
        self.python = python
        self.sha = sha or current_bundle().sha
        self._is_ready = False  # the agent file is known to be on the target

    def deploy(self) -> str:
        """Create the directory and push the agent file if they are missing; returns its path."""
        if not self._is_ready:
            self._bring()
            self._is_ready = True
        return self.directory

    def survey(self, search_paths: Sequence[str] = ()) -> Survey:
        request = {"search_paths": list(search_paths)}
        found = self._ask("survey", Survey, stdin=request, timeout_s=SURVEY_S)
        return replace(found, clock_ahead_s=self._clock_ahead_s())

    def _clock_ahead_s(self) -> float | None:
        """How far the clock of the target is ahead at least, by a ping; negative where it is behind."""
        try:
            sent, theirs, received = time(), self.queue().now, time()
        except DynoError:  # what is wrong with a queue is no matter of a survey
            return None
        return max(0.0, theirs - received) + min(0.0, theirs - sent)

    def upload_plan(self, plan: Plan) -> str:
        """Upload a plan; returns the SHA-256 that names it."""
        content = json.dumps(plan.to_json()).encode()
        sha256 = hashlib.sha256(content).hexdigest()
        self._ask("upload-plan", EmptyAnswer, ["--plan", sha256], content, UPLOAD_S)
        return sha256

    def reach_server(self, address: ServerAddress) -> ExistingServer:
        """Look at a server that runs already, from this target."""
        return self._ask("reach-server", ExistingServer, stdin=to_json(address), timeout_s=REACH_S)

    def clean_server(self, address: ServerAddress) -> Words:
        """Drop what a killed plan has left in its schema; returns what was removed."""
        return self._ask("clean-server", RemovalAnswer, stdin=to_json(address), timeout_s=DELETE_S).removed

    def check(self, plan: str, passwords: Mapping[str, str] = NO_PASSWORDS) -> list[Check]:
        """The checks of an uploaded plan that need no start of a server; passwords are by contender."""
        said = _passwords(passwords)
        return self._ask("check", Checks, ["--plan", plan], said, CHECK_S).checks

    def ask(self, plan: str) -> list[Check]:
        """The builds' answers to the options of an uploaded plan, also during another plan."""
        return self._ask("ask", Checks, ["--plan", plan], timeout_s=CHECK_S).checks

    def options(self) -> dict[str, Words]:
        """The names of all options that builds know, by server program."""
        return self._ask("options", BuildOptionNames).options

    def rehearse(
        self,
        plan: str,
        contender: int,
        patience_s: float = PATIENCE_S,
        passwords: Mapping[str, str] = NO_PASSWORDS,
    ) -> RehearsalResult:
        """Start one contender of an uploaded plan once, by its position in the plan."""
        words = ["--plan", plan, "--contender", str(contender), "--patience", str(patience_s)]
        return self._ask("check", RehearsalResult, words, _passwords(passwords), REHEARSAL_S)

    def start(
        self,
        plan: str,
        conducting: LoadTargetAdmission | None = None,
        passwords: Mapping[str, str] = NO_PASSWORDS,
    ) -> StartedPlan:
        """Start an uploaded plan; it lets its load targets in as `conducting` says."""
        said = to_json(StartRequest(conducting, dict(passwords)))
        words = ["--plan", plan, "--patience", str(PATIENCE_S)]
        return self._ask("start", StartedPlan, words, said, UNMAKE_S + PATIENCE_S)

    def listen(self, conducting: LoadTargetAdmission) -> int:
        """Let load targets try to reach this target for a while; returns the port."""
        return self._ask("listen", TrialPort, stdin=to_json(conducting)).port

    def try_load(self, call: ConductorAddress) -> LoadLinkTrial:
        """Try from this target to reach the one of the server."""
        return self._ask("try-load", LoadLinkTrial, stdin=to_json(call), timeout_s=TRIAL_S)

    def drive(self, plan: str, call: ConductorAddress) -> None:
        """Start to serve the target of the server, for an uploaded plan."""
        self._ask("drive", EmptyAnswer, ["--plan", plan], to_json(call))

    def admit(self, plan: str, admission: str) -> int:
        """Let a load target in that was called again; returns the port."""
        return self._ask("admit", TrialPort, ["--plan", plan], admission.encode()).port

    def status(self) -> DirectoryStatus:
        return self._ask("status", DirectoryStatus)

    def queue(self, change: QueueChange | None = None) -> Queue:
        """Make this change; returns the queue."""
        return self._ask("queue", Queue, stdin=to_json(change) if change else b"")

    def list(self) -> PlanList:
        """The plans on the target with their sessions."""
        return self._ask("list", Plans).plans

    def follow(self, plan: str, offsets: Mapping[str, int]) -> RemoteCommandOutput:
        """The journals of a plan from these offsets on, as the follower's frames."""
        where = [f"{session}:{offset}" for session, offset in offsets.items()]
        return self.connection.open(self._command("follow", ["--plan", plan, *where]))

    def stop(self, plan: str, what: str) -> None:
        """End the session, the step or the whole plan."""
        self._ask("stop", EmptyAnswer, ["--plan", plan, "--what", what])

    def skip(self, plan: str) -> None:
        self._ask("skip", EmptyAnswer, ["--plan", plan])

    def profile(self, plan: str) -> None:
        """Sample the stacks of the server in the rest of the step that runs."""
        self._ask("profile", EmptyAnswer, ["--plan", plan])

    def note(self, plan: str, text: str) -> None:
        self._ask("note", EmptyAnswer, ["--plan", plan], stdin=text.encode())

    def clean(self) -> RemovalAnswer:
        """Clean up after lost sessions; a change of a server is unmade by its program."""
        return self._ask("clean", RemovalAnswer, timeout_s=UNMAKE_S)

    def snapshots(self) -> SnapshotList:
        """The data sets that are kept there, each with what speaks against its use."""
        return self._ask("snapshots", Snapshots).snapshots

    def delete_snapshot(self, key: str) -> None:
        self._ask("delete-snapshot", EmptyAnswer, stdin=key.encode(), timeout_s=DELETE_S)

    def upload(self, sha256: str, name: str, offset: int, content: bytes) -> int:
        """Upload a piece of a build's tarball; returns the size so far."""
        head = json.dumps({"sha256": sha256, "name": name, "offset": offset}).encode()
        return self._ask(
            "upload", ReceivedBytesAnswer, stdin=head + b"\n" + content, timeout_s=UPLOAD_S
        ).received

    def install(self, sha256: str, name: str, notes: Mapping[str, str]) -> Build:
        """Unpack the uploaded tarball; returns the build."""
        request = {"sha256": sha256, "name": name, "notes": notes}
        return self._ask("install", Installed, stdin=request, timeout_s=INSTALL_S).build

    def remove_build(self, base: str) -> None:
        self._ask("remove-build", EmptyAnswer, stdin={"base": base}, timeout_s=DELETE_S)

    def note_build(self, base: str, notes: Mapping[str, str]) -> None:
        self._ask("note-build", EmptyAnswer, stdin={"base": base, "notes": notes})

    def _ask(
        self,
        verb: str,
        answer: type[T],
        arguments: Sequence[str] = (),
        stdin: bytes | Mapping[str, object] = b"",
        timeout_s: float = ASK_S,
    ) -> T:
        content = stdin if isinstance(stdin, bytes) else json.dumps(stdin).encode()
        return self._answer(self._run(verb, self._command(verb, arguments), content, timeout_s), verb, answer)

    def _run(
        self, verb: str, command: Sequence[str], content: bytes = b"", timeout_s: float = ASK_S
    ) -> CommandResult:
        try:
            return self.connection.run(command, content, timeout_s, MOST_OF.get(verb, MOST))
        except TooMuchError as error:
            raise TooMuchError(self._name, error.most, verb) from None

    def _command(self, verb: str, arguments: Sequence[str]) -> Words:
        self.deploy()
        file = f"{self.directory}/agents/{self.sha}.pyz"
        return self._starter("run", file, verb, "--directory", self.directory, *arguments)

    def _starter(self, *words: str) -> Words:
        return [self.python, "-I", "-S", "-c", starter_script(), *words]

    def _bring(self) -> None:
        if self._push(b""):  # asked first: the bytes travel once
            return
        bundle = current_bundle()
        if self.sha != bundle.sha:
            raise TargetError(
                f"the agent file {self.sha[:12]} is gone from {self.directory} on {self._name}:"
                " what it started can no longer be followed or steered"
            )
        self._push(bundle.content)

    def _push(self, content: bytes) -> bool:
        """Push the agent file; True if it is on the target now."""
        completed = self._run("push", self._starter("push", self.directory, self.sha), content)
        self._check_python(completed)
        answer = self._answer(completed, "push", AgentPushAnswer)
        if answer.python is not None:
            raise self._too_old(answer.python)
        if answer.directory is None:
            raise TargetError(
                f"{self._name}: Dyno cannot read the agent's answer to push: it names no directory"
            )
        self.directory = answer.directory
        return answer.there

    def _answer(self, completed: CommandResult, verb: str, answer: type[T]) -> T:
        """The JSON line of a verb, without output of login scripts around it."""
        said = _last_object(completed.stdout)
        if said is not None and "error" in said:
            kind = InputError if said.get("input") else TargetError
            raise kind(f"{self._name}: {said['error']}")
        if completed.returncode == 0 and said is not None:
            return self._read(said, verb, answer)
        self._check_python(completed)
        complaint = _complaint(completed)
        if completed.returncode == 2:
            raise InputError(f"{self._name}: {complaint}")
        raise DynoError(f"{self._name}: the agent did not answer to {verb}: {complaint}")

    def _read(self, said: dict[str, object], verb: str, answer: type[T]) -> T:
        try:
            return read(answer, said)
        except ShapeError as error:
            text = f"{self._name}: Dyno cannot read the agent's answer to {verb}: {error}"
            raise TargetError(text) from None

    def _check_python(self, completed: CommandResult) -> None:
        if completed.returncode in (NOT_FOUND, NOT_RUNNABLE):
            raise self._python_missing(f"no {self.python} on {self._name}: install")
        if completed.returncode == 2 and b"nknown option: -I" in completed.stderr:  # before Python 3.4
            said = self._run("-V", [self.python, "-V"])
            raise self._too_old((said.stdout + said.stderr).decode("utf-8", "replace").split()[-1])

    def _too_old(self, version: str) -> TargetError:
        return self._python_missing(f"Python {version} on {self._name} is too old, install")

    def _python_missing(self, text: str) -> TargetError:
        what = f"{text} Python {OLDEST_PYTHON} or newer there, or name another"
        return TargetError(
            f"{what}: dyno target edit {self._name} --python /path/to/python3",
            window_text=f"{what} in the form of the target, on the Bench page",
        )

    @property
    def _name(self) -> str:
        return self.connection.name


def _passwords(passwords: Mapping[str, str]) -> bytes | Mapping[str, object]:
    """For standard input, which is in no list of processes and in no file."""
    return {"passwords": dict(passwords)} if passwords else b""


@lru_cache(maxsize=1)
def starter_script() -> str:
    """starter.py as one line without line breaks, which csh and fish would break."""
    source = Path(__file__).with_name("starter.py").read_bytes()
    packed = base64.b64encode(zlib.compress(source, 9)).decode()
    return f'import base64,zlib;exec(zlib.decompress(base64.b64decode("{packed}")))'


def _last_object(stdout: bytes) -> dict[str, object] | None:
    for line in reversed(stdout.splitlines()):
        with contextlib.suppress(ValueError):
            answer = decode_json(line)
            if isinstance(answer, dict):
                return answer
    return None


def _complaint(completed: CommandResult) -> str:
    """Why a command failed: the last line of a traceback, else its first line."""
    text = (completed.stderr or completed.stdout).decode("utf-8", "replace")
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if not lines:
        return f"it ended with exit code {completed.returncode} and no word"
    return lines[-1] if lines[0].startswith("Traceback") else lines[0]
