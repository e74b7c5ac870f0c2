"""A person's desktop: a DYNO_HOME with short sequences in it, and the command line.

def test_something(desktop):
    desktop.dyno("target", "list")                   # in this process; fails where the code is not 0
    desktop.dyno("run", ..., code=2)                 # expects that code
    running = desktop.begin("run", *desktop.plan())  # Popen, to be killed or interrupted
    desktop.sessions(); desktop.events(session)      # the history's list; the events of the kept journal
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from app.agent.server.server import start_ticks
from app.agent.system.directory import MarkedDirectory
from app.cli import main
from app.protocol.events import Event, decode
from app.protocol.others import DISTURBED
from tests.installed import DYNO, MARIADB
from tests.integration.remembering import known, remember
from tests.sequences import CALM, INDEX, LOAD, SETTLED, own_sequence

LIMIT_S = 120
ROOT = str(Path(__file__).parents[2])
REMEMBERING = (sys.executable, "-m", "tests.integration.remembering")
DRIVES = (f'workload = "point-query"\n{CALM}', f'workload = "update-index"\n{CALM}')
READ, WRITE = 2, 3  # those two, behind load and index
SEQUENCE = own_sequence("tiny", LOAD, INDEX, *DRIVES, seconds=2, warmup=1)
SETTLING = own_sequence("settled", LOAD, SETTLED, *DRIVES, seconds=2, warmup=1)


def own_marks(marks: Sequence[str]) -> list[str]:
    """Those of the step itself: other tests are at work too, and disturb it."""
    return [mark for mark in marks if mark != DISTURBED]


class Desktop:
    """One DYNO_HOME and what is done from it."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.is_in_process = True  # not where commands are of another Dyno than this
        (home / "sequences").mkdir(parents=True, exist_ok=True)
        (home / "sequences" / "tiny.toml").write_text(SEQUENCE)
        (home / "sequences" / "settled.toml").write_text(SETTLING)
        self._begun: list[subprocess.Popen[str]] = []

    # the command line

    def command(self, *words: str) -> list[str]:
        return [*DYNO, *words]

    def dyno(
        self, *words: str, code: int | None = 0, limit_s: float = LIMIT_S
    ) -> subprocess.CompletedProcess[str]:
        began = time.monotonic()
        done = self._in_process(words) if self.is_in_process else self._in_a_process(words, limit_s)
        said = f"{' '.join(words)}\n{done.stdout}\n{done.stderr}"
        assert time.monotonic() - began < limit_s, said
        assert code is None or done.returncode == code, f"exit code {done.returncode} of dyno {said}"
        assert "Traceback" not in said, said
        return done

    def _in_a_process(self, words: Sequence[str], limit_s: float) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self.command(*words),
            env=self.environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=limit_s,
        )

    def _in_process(self, words: Sequence[str]) -> subprocess.CompletedProcess[str]:
        """Nothing of it is of the process; half a second of imports is spared each time."""
        with pytest.MonkeyPatch.context() as patch, redirect_stdout(StringIO()) as out:
            patch.setenv("DYNO_HOME", str(self.home))
            patch.setattr("sys.stdin", StringIO())
            remember(known(), patch.setattr)
            with redirect_stderr(StringIO()) as err:
                code = main(words)
        return subprocess.CompletedProcess(words, code, out.getvalue(), err.getvalue())

    def json(self, *words: str) -> Any:
        return json.loads(self.dyno(*words, "--json").stdout)

    def refused(self, *words: str, code: int = 2) -> str:
        """The one line that says why it was refused."""
        done = self.dyno(*words, code=code)
        lines = done.stderr.strip().splitlines()
        assert len(lines) == 1, done.stderr
        assert lines[0].startswith("dyno: ")
        return lines[0].removeprefix("dyno: ")

    def begin(self, *words: str, rehearses: bool = False) -> subprocess.Popen[str]:
        """In a process of its own; `rehearses`: also what was rehearsed before."""
        remembers = self.is_in_process and not rehearses
        begun = subprocess.Popen(
            [*REMEMBERING, str(known()), *words] if remembers else self.command(*words),
            env={**self.environment(), "PYTHONPATH": ROOT},  # wherever the test works
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self._begun.append(begun)
        return begun

    def environment(self) -> dict[str, str]:
        return {**os.environ, "DYNO_HOME": str(self.home), "PYTHONWARNINGS": "error"}

    def plan(self, *contenders: str, target: str = "local", **options: object) -> list[str]:
        """The words of `dyno run` for the sequence tiny."""
        words = ["--target", target, "--sequence", "tiny"]
        for contender in contenders or (f"{MARIADB}:innodb",):
            words += ["--contender", contender]
        for name, value in options.items():
            words += [f"--{name.replace('_', '-')}", str(value)]
        return words

    # what it has

    def sessions(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.json("session", "list")
        return found

    def events(self, session: str) -> list[Event]:
        """The events of the kept journal."""
        path = self.home / "journals" / f"{session}.jsonl"
        return [decode(line) for line in path.read_bytes().splitlines()]

    # this computer as a target

    @property
    def target(self) -> Path:
        return self.home / "target"

    def agent_pid(self, directory: Path | None = None) -> int:
        """The process that carries a plan out, 0 if nobody does."""
        return int(MarkedDirectory(str(directory or self.target)).holder().get("pid", 0))

    def prepare_agent(self, code: str, folder: Path) -> None:
        """What the agent's Python on this computer carries out before the agent."""
        before, wrapper, python = (
            folder / "before.py",
            folder / "python-before",
            shlex.quote(self.command()[0]),
        )
        before.write_text(code)
        lines = ["#!/bin/sh", f'[ "$5" = run ] || exec {python} "$@"', "script=$4", "shift 4"]
        begin = f'exec {python} -I -S -c "exec(open(\'{before}\').read(), {{}})\n$script" "$@"'
        wrapper.write_text("\n".join([*lines, begin, ""]))
        wrapper.chmod(0o755)
        self.dyno("target", "edit", "local", "--python", str(wrapper))

    def server_pid(self, directory: Path | None = None) -> int:
        """The server under test, 0 if there is none."""
        for path in (directory or self.target).glob("sessions/*/server.pid"):
            pid, ticks, _ = path.read_text().split(" ", 2)
            if start_ticks(int(pid)) == ticks:
                return int(pid)
        return 0

    def close(self) -> None:
        """End what a failed test left: the commands begun, the agent, its server."""
        for begun in self._begun:
            if begun.poll() is None:
                begun.kill()
            begun.communicate()
        for directory in {self.target, *self.home.parent.glob("*/dyno")}:
            if (directory / "queue").is_dir():
                (directory / "queue" / "queue.json").unlink(missing_ok=True)
            if (directory / "lock").exists():
                for pid in (self.agent_pid(directory), self.server_pid(directory)):
                    if pid:
                        os.kill(pid, signal.SIGKILL)


@pytest.fixture
def desktop(dyno_home: Path) -> Iterator[Desktop]:
    """The desktop of this test."""
    made = Desktop(dyno_home)
    yield made
    made.close()


@pytest.fixture(scope="session")
def recorded_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with one session of tiny in its history and on its target: to be copied."""
    made = Desktop(tmp_path_factory.mktemp("recorded") / "dyno-home")
    made.dyno("run", *made.plan())
    return made.home


@pytest.fixture
def recorded(recorded_home: Path, dyno_home: Path) -> Iterator[Desktop]:
    """The desktop of this test, from which a session was carried out already."""
    shutil.copytree(recorded_home, dyno_home, symlinks=True)
    made = Desktop(dyno_home)
    yield made
    made.close()
