from __future__ import annotations

import pytest

from app.starting import CancelledError, Start
from tests.fakes import ScriptedAgent
from tests.plans import MARIADB, request, survey

BOTH = (f"{MARIADB}:innodb", f"{MARIADB}:rocksdb")


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
    agent = ScriptedAgent(found=survey(open_files=1024))
    found = Start(request(threads=[1000]), lambda: agent).carry_out()
    assert agent.asked == ["deploy", "survey"]
    assert found.failed[0].name == "open files"


@pytest.mark.parametrize("during", ["deploy", "survey", "check", "rehearse innodb", "rehearse rocksdb"])
def test_given_up_nothing_is_started(during: str) -> None:
    answers: list[bool] = []
    agent = ScriptedAgent(meanwhile=lambda what: answers.append(start.cancel()) if what == during else None)
    start = Start(request(*BOTH), lambda: agent)
    with pytest.raises(CancelledError):
        start.carry_out()
    assert answers == [True]
    assert "start" not in agent.asked


def test_once_the_target_was_told_it_is_too_late() -> None:
    answers: list[bool] = []
    agent = ScriptedAgent(meanwhile=lambda what: answers.append(start.cancel()) if what == "start" else None)
    start = Start(request(*BOTH), lambda: agent)
    assert start.carry_out().is_started
    assert answers == [False]
