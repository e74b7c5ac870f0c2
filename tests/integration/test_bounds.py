"""A target that speaks without end: each verb ends soon, and holds no more than an answer may have."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from app.core.errors import TargetError
from app.following.follower import Follower
from app.protocol.events import MAX_LINE
from app.remote.agent import RemoteAgent
from app.remote.reach import agent_of
from app.remote.target import LOCAL
from app.targets.store import Targets
from tests import journals
from tests.integration.reaching import nobody
from tests.integration.sshd import Sshd

MOST_KB = 80 << 10  # more than before the first answer: JSON of 8 MiB, and what reads it
SOON_S = 60.0  # of all verbs together, on a busy machine
PLAN = journals.plan()
SESSION = PLAN.turns[0].session
HEADER = json.dumps({"session": SESSION, "offset": 0, "bytes": MAX_LINE})
# stands where the target has its Python, and plays the agent
LIAR = """\
#!/bin/sh
if [ "$5" = push ]; then
    echo '{"directory": "/d", "there": true}'
    exit
fi
[ "$7" = follow ] && echo '%s'
%s
"""
FLOWS = {
    "line": r"exec tr '\0' x </dev/zero",
    "lines": "exec yes",
    "complaints": "exec yes >&2",
}


def verbs() -> Iterator[tuple[str, Callable[[RemoteAgent], Any]]]:
    yield "survey", lambda agent: agent.survey()
    yield "upload-plan", lambda agent: agent.upload_plan(PLAN)
    yield "check", lambda agent: agent.check("0" * 64)
    yield "ask", lambda agent: agent.ask("0" * 64)
    yield "options", lambda agent: agent.options()
    yield "start", lambda agent: agent.start("0" * 64)
    yield "status", lambda agent: agent.status()
    yield "list", lambda agent: agent.list()
    yield "stop", lambda agent: agent.stop(PLAN.id, "plan")
    yield "skip", lambda agent: agent.skip(PLAN.id)
    yield "note", lambda agent: agent.note(PLAN.id, "hello")
    yield "clean", lambda agent: agent.clean()
    yield "snapshots", lambda agent: agent.snapshots()
    yield "delete-snapshot", lambda agent: agent.delete_snapshot("k")
    yield "upload", lambda agent: agent.upload("0" * 64, "b", 0, b"")
    yield "install", lambda agent: agent.install("0" * 64, "b", {})
    yield "remove-build", lambda agent: agent.remove_build("/b")
    yield "note-build", lambda agent: agent.note_build("/b", {})


def ask_all(name: str) -> None:
    """Ask everything of a lying target, and write down what came of it; in a process of its own."""
    target = Targets().get(name)

    def reach() -> RemoteAgent:
        return agent_of(target, nobody)

    agent = reach()
    with closing(agent.connection):
        agent.deploy()
        before = _peak_kb()
        found = {verb: _ending(lambda ask=ask: ask(agent)) for verb, ask in verbs()}
    follower = Follower(Targets().home, PLAN.id, [SESSION], reach, lambda _: None, stopping=_NoPatience())
    found["follow"] = _ending(follower.run)
    print(json.dumps({"found": found, "more_kb": _peak_kb() - before}))


class _NoPatience(threading.Event):
    """Stops after the first link that was lost."""

    def wait(self, timeout: float | None = None) -> bool:
        self.set()
        return True


def _peak_kb() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def _ending(call: Callable[[], Any]) -> str:
    try:
        call()
    except TargetError as error:
        return str(error)
    return "it ended well"


@pytest.fixture(params=["local", "ssh"])
def name(request: pytest.FixtureRequest) -> str:
    if request.param == "local":
        return LOCAL
    sshd: Sshd = request.getfixturevalue("sshd")
    sshd.add_target("far")
    return "far"


@pytest.mark.full
@pytest.mark.parametrize("flow", FLOWS)
def test_what_never_ends_is_ended(name: str, flow: str, tmp_path: Path) -> None:
    liar = tmp_path / "python3"
    liar.write_text(LIAR % (HEADER, FLOWS[flow]))
    liar.chmod(0o755)
    Targets().edit(name, python=str(liar))
    code = f"from tests.integration.test_bounds import ask_all; ask_all({name!r})"
    began = time.monotonic()
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert not done.stderr
    told = json.loads(done.stdout)
    limits = {"survey": "4 MiB", "check": "8 MiB", "ask": "8 MiB", "options": "8 MiB"}
    for verb, text in told["found"].items():
        if verb != "follow":
            limit = "64 KiB" if flow == "complaints" else limits.get(verb, "1 MiB")
            assert text == f"{name} answers {verb} with more than {limit}: that is not Dyno's agent"
    assert any(each in told["found"]["follow"] for each in ("incomplete line", "not Dyno", "64 KiB"))
    assert told["more_kb"] < MOST_KB
    assert time.monotonic() - began < SOON_S
