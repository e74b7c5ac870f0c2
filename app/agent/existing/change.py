"""A change of a server that runs already: a program makes it before a session, and unmakes it after.

Dyno itself changes nothing of such a server. The program is its owner's, and gets one word, without a shell.
What it starts may go on: only its own end is waited for.
"""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
from typing import IO

from app.agent.server.login_socket import harmless
from app.agent.server.program import why_not_started
from app.agent.system.errors import AgentError
from app.protocol.plan import Plan

MAKE, UNMAKE = "make", "unmake"
LIMIT_S = 300.0  # of one call
_LAST = 4096  # bytes of what it says that are looked at


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
