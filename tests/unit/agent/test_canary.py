"""The canary leaves nothing behind for the session that comes after it."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.agent.steps.baton import SliceTurns
from app.agent.steps.before_session import run_canary
from app.agent.steps.running import BegunSession, RunningSession
from app.agent.system.control import ControlRequests
from app.agent.system.directory import MarkedDirectory
from app.agent.system.errors import AgentError
from app.agent.system.journal import Journal
from app.protocol.events import LogEvent, decode
from tests import plans

FIRST, SECOND = "[Warning] of the canary", "[Warning] of the contender"


class Server:
    """Writes a line into its error log; it may not come up."""

    def __init__(self, session: BegunSession, line: str) -> None:
        self.error_log = session.at("error.log")
        self._line = line

    def prepare(self, wait: Any) -> None:
        Path(self.error_log).write_text(f"{self._line}\n")
        wait(0)

    def start(self, wait: Any) -> None:
        assert wait is not None
        raise AgentError("it did not come up")

    def kill(self) -> None:
        pass

    def clean(self) -> None:
        pass


@pytest.fixture
def session(directory: MarkedDirectory) -> BegunSession:
    plan = plans.plan()
    plan = replace(plan, canary=plan.contenders[:1])
    folder = directory.session(plan.turns[0].session)
    os.mkdir(folder)
    os.mkdir(control := os.path.join(directory.path, "control"))
    journal = Journal(os.path.join(folder, "journal.jsonl"))
    return BegunSession(
        plan, plan.turns[0], directory, journal, ControlRequests(control), SliceTurns().join(), ""
    )


def test_the_error_log_of_the_contender_is_read_from_its_first_line(session: BegunSession) -> None:
    run_canary(session, lambda _: Server(session, FIRST))  # type: ignore[arg-type, return-value]
    running = RunningSession(session, Server(session, SECOND))  # type: ignore[arg-type]
    running.server.prepare(running.wait)
    logged = [decode(line) for line in Path(session.journal.path).read_bytes().splitlines()]
    assert [(each.source, each.text) for each in logged if isinstance(each, LogEvent)] == [
        ("server", f"canary: {FIRST}"),
        ("agent", "the canary run failed: it did not come up"),
        ("server", SECOND),
    ]
