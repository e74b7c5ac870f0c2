"""A change of a server that runs already: a program makes it before a session, and unmakes it after.

Dyno itself changes nothing of such a server. The program is its owner's, and gets one word, without a shell.
What it starts may go on: only its own end is waited for.

A record in the directory of the session says that the change may be in force. A process of its own calls the
program and removes the record, even if the agent is killed. Whoever cleans up calls `unmake` if the record is
still there.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import signal
import stat
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass
from typing import IO, Iterator, Tuple

from app.agent.server.login_socket import harmless
from app.agent.server.program import why_not_started
from app.agent.system.directory import write_file
from app.agent.system.errors import AgentError
from app.agent.system.own_process import start_own_process
from app.protocol.hosts import place_key
from app.protocol.plan import Contender, Plan
from app.protocol.reading import read

MAKE, UNMAKE = "make", "unmake"
LIMIT_S = 300.0  # of one call
_LAST = 4096  # bytes of what it says that are looked at
_MOST = 1 << 16  # bytes of a record
_NO_RECORD = "{} is no record of a change: unmake the change yourself, and delete it"


@dataclass(frozen=True)
class ChangeRecord:
    """A program, and the server that it may have changed."""

    program: str
    host: str
    port: int

    @property
    def place(self) -> Tuple[str, int]:
        return place_key(self.host, self.port)


class ServerChange:
    """The change of one session; its record is there from before `make` until `unmake` has ended well."""

    def __init__(self, session: str) -> None:
        self._path = os.path.join(session, "change.json")

    @property
    def is_recorded(self) -> bool:
        return os.path.lexists(self._path)

    def record(self) -> ChangeRecord:
        with _opened(self._path) as fd:
            return _read(fd, self._path)

    def is_of(self, plan: Plan) -> bool:
        """Whether a contender of the plan is on the changed server."""
        places = [place for each in plan.contenders for place in each.places]
        return bool(places) and self.record().place in places

    def make(self, contender: Contender) -> None:
        """Raise AgentError unless the program ends with 0; it must be unmade in both cases."""
        record = ChangeRecord(contender.change_by, contender.host, contender.port)
        try:
            write_file(self._path, json.dumps(asdict(record)))
            _sync(self._path)
        except OSError as error:
            text = "cannot write {}: {}: free some space there"
            raise AgentError(text.format(self._path, error.strerror)) from None
        self._call(MAKE)

    def unmake(self) -> None:
        """Raise AgentError unless the recorded program ends with 0, or has done that already."""
        self._call(UNMAKE)

    def _call(self, word: str) -> None:
        process = start_own_process("app.agent.existing.change")
        problem = process.communicate(json.dumps([self._path, word]).encode())[0].decode()
        if problem or process.returncode:
            raise AgentError(problem or "{} of {} was interrupted".format(word, self._path))


def main() -> None:
    """The process that calls the program; says why it failed."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # a guardian ignores it
    asked = sys.stdin.buffer.read()
    try:
        if asked:  # else the agent was killed before it asked
            _call_recorded(*json.loads(asked))
    except AgentError as error:
        sys.stdout.buffer.write(str(error).encode())


def _call_recorded(path: str, word: str) -> None:
    """One call at a time, and none after an `unmake` that ended well."""
    with contextlib.suppress(FileNotFoundError), _opened(path) as fd:
        fcntl.flock(fd, fcntl.LOCK_EX)
        if os.fstat(fd).st_nlink:
            call_change_program(_read(fd, path).program, word)
            if word == UNMAKE:
                os.unlink(path)
                _sync(os.path.dirname(path))


@contextlib.contextmanager
def _opened(path: str) -> Iterator[int]:
    """FileNotFoundError where it is gone, AgentError where others may have written it."""
    try:
        fd = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        raise
    except OSError:
        raise AgentError(_NO_RECORD.format(path)) from None
    try:
        found = os.fstat(fd)
        if not stat.S_ISREG(found.st_mode) or found.st_uid != os.geteuid() or found.st_mode & 0o077:
            raise AgentError(_NO_RECORD.format(path))
        yield fd
    finally:
        os.close(fd)


def _read(fd: int, path: str) -> ChangeRecord:
    try:
        return read(ChangeRecord, json.loads(os.pread(fd, _MOST, 0)))
    except ValueError:
        raise AgentError(_NO_RECORD.format(path)) from None


def _sync(path: str) -> None:
    fd = os.open(path, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def check_change_programs(plan: Plan) -> None:
    """Raise AgentError where one is not there, before anything starts."""
    for each in plan.contenders:
        if each.change_by and not (os.path.isfile(each.change_by) and os.access(each.change_by, os.X_OK)):
            text = "contender {}: change_by {} is no program that can be run on this machine"
            raise AgentError(text.format(each.name, each.change_by))


def call_change_program(path: str, word: str, limit_s: float = LIMIT_S) -> None:
    """Raise AgentError unless it ends with 0."""
    with tempfile.TemporaryFile() as said:
        problem = _problem_of(path, word, limit_s, said)
    if problem:
        raise AgentError("{} {}: {}".format(path, word, problem))


def _problem_of(path: str, word: str, limit_s: float, said: IO[bytes]) -> str:
    try:
        process = subprocess.Popen(
            [path, word],
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=subprocess.STDOUT,
            cwd="/",
            start_new_session=True,
        )
    except OSError as error:
        return why_not_started(path, error)
    try:
        code = process.wait(limit_s)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return "it did not end within {:.0f} s".format(limit_s)
    how = "signal {} ended it".format(-code) if code < 0 else "it ended with exit code {}".format(code)
    return "{}: {}".format(how, _last_line(said)) if code else ""


def _last_line(said: IO[bytes]) -> str:
    said.seek(max(0, said.seek(0, os.SEEK_END) - _LAST))
    lines = said.read().decode(errors="replace").split("\n")
    return next((harmless(line.strip()) for line in reversed(lines) if line.strip()), "without a word")
