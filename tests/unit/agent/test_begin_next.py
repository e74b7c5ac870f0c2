"""The next plan begins once, checked as before any start; what speaks against it holds it."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app.agent import begin_next as beginning
from app.agent.begin_next import agent_command, begin_next
from app.agent.queued_plans import QueuedPlans
from app.agent.system.directory import MarkedDirectory
from app.agent.system.errors import AgentError, DirectoryInUseError
from app.protocol.answers import HOLD, OtherActiveAgent, Queue, QueueChange, QueuedPlan
from tests.unit.agent.test_queued_plans import AGENT, added

PASSED = {"checks": [{"name": "options", "state": "pass", "text": "accepted"}]}
GONE = {"checks": [{"name": "build", "state": "fail", "text": "there is no build x", "todo": "install it"}]}
BUSY = {"checks": [{"name": "busy", "state": "fail", "text": "in use"}]}


class Stand:
    """In place of the agent file that came with each plan; sleeping ends after some looks."""

    def __init__(self, directory: MarkedDirectory) -> None:
        self.directory = directory
        self.asked: list[str] = []
        self.answers: dict[str, Any] = {}
        self.meanwhile: Callable[[str], None] = lambda what: None
        self.looks = 0

    def ask(self, directory: MarkedDirectory, entry: QueuedPlan, verb: str, *words: str) -> Any:
        what = " ".join((entry.name, verb, *words[1:]))
        self.asked.append(what)
        self.meanwhile(what)
        if verb == "start":
            os.makedirs(directory.plan(entry.plan))
        answer = self.answers.get(f"{entry.name} {verb}", PASSED)
        if isinstance(answer, Exception):
            raise answer
        return answer

    def sleep(self, _seconds: float) -> None:
        self.looks += 1
        if self.looks > 3:
            QueuedPlans(self.directory).change(lambda _: Queue([]))


@pytest.fixture
def stand(directory: MarkedDirectory, monkeypatch: pytest.MonkeyPatch) -> Stand:
    made = Stand(directory)
    monkeypatch.setattr(beginning, "_ask", made.ask)
    monkeypatch.setattr(beginning.time, "sleep", made.sleep)
    monkeypatch.setattr("app.agent.queued_plans.agents_elsewhere", lambda _: [])
    return made


def test_each_is_checked_rehearsed_and_started_once(directory: MarkedDirectory, stand: Stand) -> None:
    added(directory, "a")
    added(directory, "b")
    begin_next(directory)
    assert stand.asked == ["a check", "a check 0", "a start", "b check", "b check 0", "b start"]
    assert QueuedPlans(directory).read().plans == [] and stand.looks == 0


@pytest.mark.parametrize("answer", [GONE, AgentError("there is no build x")])
def test_a_plan_whose_build_is_gone_is_held_and_the_next_one_begins(
    directory: MarkedDirectory, stand: Stand, answer: Any
) -> None:
    added(directory, "a")
    added(directory, "b")
    stand.answers["a check"] = answer
    begin_next(directory)
    assert stand.asked == ["a check", "b check", "b check 0", "b start"]
    (left,) = QueuedPlans(directory).read().plans
    assert left.name == "a" and "there is no build x" in left.held


@pytest.mark.parametrize("answer", [BUSY, DirectoryInUseError()])
def test_who_is_not_first_waits_on(directory: MarkedDirectory, stand: Stand, answer: Any) -> None:
    added(directory, "a")
    stand.answers["a check"] = answer
    begin_next(directory)
    assert stand.looks == 4 and set(stand.asked) == {"a check"}


@pytest.mark.parametrize(("is_taken", "error"), [(True, DirectoryInUseError), (False, AgentError)])
def test_a_rehearsal_that_is_over_by_now_holds_no_plan(
    directory: MarkedDirectory, monkeypatch: pytest.MonkeyPatch, is_taken: bool, error: type[AgentError]
) -> None:
    """The start was refused because of it, so that the plan must be tried again."""
    answer = json.dumps({"error": "in use by a rehearsal", **({"taken": True} if is_taken else {})})
    command = [sys.executable, "-c", f"print({answer!r})"]
    monkeypatch.setattr(beginning, "agent_command", lambda *_: command)
    with pytest.raises(AgentError) as caught:
        beginning._ask(directory, QueuedPlan("A" * 26, "a", "0" * 64, AGENT, 1), "start")
    assert type(caught.value) is error


def test_a_plan_held_while_it_is_rehearsed_does_not_begin(directory: MarkedDirectory, stand: Stand) -> None:
    only = added(directory, "a")

    def hold(what: str) -> None:
        if what == "a check 0":
            QueuedPlans(directory).carry_out(QueueChange(HOLD, only.id), AGENT)

    stand.meanwhile = hold
    begin_next(directory)
    assert stand.asked == ["a check", "a check 0"]
    assert [each.name for each in QueuedPlans(directory).read().plans] == ["a"]


def test_a_plan_whose_bytes_were_changed_is_held(directory: MarkedDirectory, stand: Stand) -> None:
    added(directory, "a")
    (entry,) = QueuedPlans(directory).read().plans
    Path(directory.at("queue", entry.sha256 + ".json")).write_text("{}")
    begin_next(directory)
    (left,) = QueuedPlans(directory).read().plans
    assert stand.asked == [] and "is no longer in" in left.held


def test_nothing_begins_beside_a_plan_and_a_second_process_goes(
    directory: MarkedDirectory, stand: Stand
) -> None:
    added(directory, "a")
    lock = directory.lock({"plan": "P", "pid": 1})
    assert lock is not None
    begin_next(directory)
    os.close(lock)
    assert stand.asked == []


@pytest.mark.parametrize("allow_busy", [False, True])
def test_a_plan_of_another_directory_keeps_it_waiting_unless_the_plan_allows_it(
    directory: MarkedDirectory, stand: Stand, monkeypatch: pytest.MonkeyPatch, allow_busy: bool
) -> None:
    monkeypatch.setattr("app.agent.queued_plans.agents_elsewhere", lambda _: [OtherActiveAgent(7, "/d")])
    added(directory, "a", allow_busy=allow_busy)
    begin_next(directory)
    assert stand.asked == (["a check", "a check 0", "a start"] if allow_busy else [])


def test_an_agent_file_is_started_as_this_process_was(
    directory: MarkedDirectory, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = ["-I", "-S", "-c", "script", "run", f"/d/agents/{'a' * 64}.pyz", "start", "--directory", "/d"]
    monkeypatch.setattr(beginning, "own_command_line", lambda: own)
    file = directory.at("agents", "b" * 64 + ".pyz")
    assert agent_command(directory, "b" * 64, "check", "--plan", "x") == [
        sys.executable, "-I", "-S", "-c", "script", "run", file, "check", "--directory", directory.path,
        "--plan", "x",
    ]  # fmt: skip
