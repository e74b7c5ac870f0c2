from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from app.protocol.plan import Plan
from app.starting import CancelledError, Start
from tests.fakes import ScriptedConnection
from tests.plans import request, survey

BOTH = ("mariadb-10.11.19:innodb", "mariadb-10.11.19:rocksdb")
PASSED = {"name": "options", "state": "pass", "text": "accepted", "todo": "", "contender": "", "later": 1}
FAILED = {**PASSED, "name": "rehearsal", "state": "fail", "text": "it does not start"}


class ScriptedAgent:
    """Answers as a quiet target; keeps what it was asked, and lets a test do something in between."""

    directory, sha = "/target", "f00"

    def __init__(self, wrong: Sequence[str] = (), busy: Callable[[str], None] = lambda verb: None) -> None:
        self.connection = ScriptedConnection()
        self.asked: list[str] = []
        self._wrong, self._then = wrong, busy

    def deploy(self) -> str:
        self._hear("deploy")
        return self.directory

    def survey(self, search_paths: Sequence[str] = ()) -> dict[str, Any]:
        self._hear("survey")
        return survey()

    def check(self, plan: Plan, *, start: bool = False, allow_busy: bool = False) -> list[dict[str, Any]]:
        what = f"rehearse {plan.contenders[0].name}" if start else "check"
        self._hear(what)
        return [FAILED if what in self._wrong else PASSED]

    def start(self, plan: Plan) -> dict[str, Any]:
        self._hear("start")
        return {"plan": plan.id}

    def _hear(self, what: str) -> None:
        self.asked.append(what)
        self._then(what)


def test_everything_is_asked_before_the_start() -> None:
    agent = ScriptedAgent()
    start = Start(request(*BOTH), lambda: agent)
    found = start.carry_out()
    assert agent.asked == ["deploy", "survey", "check", "rehearse innodb", "rehearse rocksdb", "start"]
    assert found.is_started and not found.failed
    assert (found.directory, found.sha) == ("/target", "f00")
    assert (start.stage.text, start.stage.done, start.stage.total) == ("starting", 6, 7)


def test_a_rehearsal_starts_nothing() -> None:
    agent = ScriptedAgent()
    found = Start(request(*BOTH), lambda: agent, is_rehearsal=True).carry_out()
    assert "start" not in agent.asked
    assert not found.is_started and not found.failed


def test_what_fails_ends_it() -> None:
    agent = ScriptedAgent(wrong=["rehearse innodb"])
    found = Start(request(*BOTH), lambda: agent).carry_out()
    assert agent.asked[-1] == "rehearse innodb"
    assert [each.text for each in found.failed] == ["it does not start"]
    assert not found.is_started


def test_what_the_desktop_sees_is_not_asked_further() -> None:
    agent = ScriptedAgent()
    found = Start(request(threads=[1000]), lambda: agent).carry_out()
    assert agent.asked == ["deploy", "survey"]
    assert found.failed[0].name == "connections"


@pytest.mark.parametrize("during", ["deploy", "survey", "check", "rehearse innodb", "rehearse rocksdb"])
def test_given_up_nothing_is_started(during: str) -> None:
    answers: list[bool] = []
    agent = ScriptedAgent(busy=lambda what: answers.append(start.cancel()) if what == during else None)
    start = Start(request(*BOTH), lambda: agent)
    with pytest.raises(CancelledError):
        start.carry_out()
    assert answers == [True]
    assert "start" not in agent.asked


def test_once_the_target_was_told_it_is_too_late() -> None:
    answers: list[bool] = []
    agent = ScriptedAgent(busy=lambda what: answers.append(start.cancel()) if what == "start" else None)
    start = Start(request(*BOTH), lambda: agent)
    assert start.carry_out().is_started
    assert answers == [False]
