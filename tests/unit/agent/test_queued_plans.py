"""The queue of a directory: its order, who is held, what another hand left in it, a full disk."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import time
from dataclasses import replace
from pathlib import Path

import pytest

from app.agent.incoming import UploadedPlans
from app.agent.queued_plans import MOST, QueuedPlans
from app.agent.system.directory import MarkedDirectory
from app.agent.system.errors import AgentError
from app.protocol.answers import (
    ADD,
    CONTINUE,
    HOLD,
    MOVE,
    REMOVE,
    OtherActiveAgent,
    Queue,
    QueueChange,
    QueuedPlan,
)
from app.protocol.plan import Plan
from tests.plans import plan

AGENT = "f" * 64


def sent(directory: MarkedDirectory, a_plan: Plan) -> str:
    content = json.dumps(a_plan.to_json()).encode()
    sha256 = hashlib.sha256(content).hexdigest()
    UploadedPlans(directory).receive(sha256, content)
    return sha256


def added(directory: MarkedDirectory, name: str, in_s: float | None = None, allow_busy: bool = False) -> Plan:
    made = replace(plan(), name=name, allow_busy=allow_busy)
    change = QueueChange(ADD, sent(directory, made), in_s=in_s)
    QueuedPlans(directory).carry_out(change, AGENT)
    return made


@pytest.fixture
def queued(directory: MarkedDirectory) -> QueuedPlans:
    return QueuedPlans(directory)


def names(queued: QueuedPlans) -> list[str]:
    return [each.name for each in queued.read().plans]


def test_plans_wait_in_the_order_in_which_they_came(directory: MarkedDirectory, queued: QueuedPlans) -> None:
    assert queued.read() == Queue([])
    for name in "abc":
        added(directory, name)
    assert names(queued) == ["a", "b", "c"]
    assert not list(Path(directory.at("incoming")).iterdir())
    assert {each.agent for each in queued.read().plans} == {AGENT}


def test_a_plan_is_moved_and_removed(directory: MarkedDirectory, queued: QueuedPlans) -> None:
    a, _, c = (added(directory, name) for name in "abc")
    queued.carry_out(QueueChange(MOVE, c.id, 1), AGENT)
    assert names(queued) == ["c", "a", "b"]
    queued.carry_out(QueueChange(MOVE, c.id, 99), AGENT)
    assert names(queued) == ["a", "b", "c"]
    queued.carry_out(QueueChange(REMOVE, a.id), AGENT)
    assert names(queued) == ["b", "c"]
    assert len(list(Path(directory.at("queue")).glob("?" * 64 + ".json"))) == 2
    with pytest.raises(AgentError, match=f"plan {a.id} is no longer in the queue"):
        queued.carry_out(QueueChange(MOVE, a.id), AGENT)


def test_what_is_held_is_passed_over(directory: MarkedDirectory, queued: QueuedPlans) -> None:
    a, b = added(directory, "a"), added(directory, "b")
    queued.carry_out(QueueChange(HOLD, a.id), AGENT)
    found = queued.read().next_plan(time.time())
    assert found and found.plan == b.id
    queued.carry_out(QueueChange(CONTINUE, a.id), AGENT)
    queued.carry_out(QueueChange(HOLD), AGENT)
    assert queued.read().next_plan(time.time()) is None and not queued.read().goes_on
    queued.carry_out(QueueChange(CONTINUE), AGENT)
    found = queued.read().next_plan(time.time())
    assert found and found.plan == a.id


def test_an_empty_queue_is_not_held(directory: MarkedDirectory, queued: QueuedPlans) -> None:
    with pytest.raises(AgentError, match="the queue is empty"):
        queued.carry_out(QueueChange(HOLD), AGENT)
    only = added(directory, "a")
    queued.carry_out(QueueChange(HOLD), AGENT)
    queued.carry_out(QueueChange(REMOVE, only.id), AGENT)
    added(directory, "b")
    assert queued.read().goes_on


def test_a_later_plan_lets_others_go_first_and_a_clock_set_back_makes_it_wait(
    directory: MarkedDirectory, queued: QueuedPlans
) -> None:
    later, now = added(directory, "later", 3600), time.time()
    assert queued.read().next_plan(now) is None and queued.read().goes_on
    other = added(directory, "other")
    for moment, begins in ((now, other), (now + 3700, later), (now + 3700 - 86400, other)):
        found = queued.read().next_plan(moment)
        assert found and found.plan == begins.id


def test_the_answer_names_the_plan_of_another_directory_that_keeps_the_next_one_waiting(
    directory: MarkedDirectory, queued: QueuedPlans, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[str] = []

    def elsewhere(own: MarkedDirectory) -> list[OtherActiveAgent]:
        looks.append(own.path)
        return [OtherActiveAgent(7, "/d", "slices")]

    monkeypatch.setattr("app.agent.queued_plans.agents_elsewhere", elsewhere)
    assert queued.answer().waits_for == "" and not looks  # nothing waits: nobody is looked for
    only = added(directory, "a")
    assert queued.answer().waits_for == "the plan slices in /d (process 7)"
    Path(directory.at("queue", queued.read().plans[0].sha256 + ".json")).write_text("damaged")
    assert queued.answer().waits_for == ""
    queued.carry_out(QueueChange(REMOVE, only.id), AGENT)
    added(directory, "b", allow_busy=True)
    assert queued.answer().waits_for == ""


@pytest.mark.parametrize("in_s", [-1.0, 1e12])
def test_a_time_out_of_reach_is_refused(directory: MarkedDirectory, queued: QueuedPlans, in_s: float) -> None:
    with pytest.raises(AgentError, match="at most a year"):
        added(directory, "a", in_s)
    assert queued.read().plans == []


def test_the_same_plan_of_two_desktops_is_there_once(directory: MarkedDirectory, queued: QueuedPlans) -> None:
    made = added(directory, "a")
    with pytest.raises(AgentError, match="plan a is on this target already"):
        queued.carry_out(QueueChange(ADD, sent(directory, made)), AGENT)
    assert names(queued) == ["a"]


def test_a_plan_that_has_begun_has_left_the_queue(directory: MarkedDirectory, queued: QueuedPlans) -> None:
    """Who began it may have been killed before it could say so."""
    begun = added(directory, "a")
    added(directory, "b")
    os.makedirs(directory.plan(begun.id))
    assert names(queued) == ["b"]
    with pytest.raises(AgentError, match="is on this target already"):
        queued.carry_out(QueueChange(ADD, sent(directory, begun)), AGENT)
    queued.change(lambda queue: queue)
    assert len(list(Path(directory.at("queue")).glob("?" * 64 + ".json"))) == 1


def test_there_is_a_most(directory: MarkedDirectory, queued: QueuedPlans) -> None:
    entry = QueuedPlan("P", "n", "0" * 64, AGENT, 1)
    queued.change(lambda _: Queue([replace(entry, plan=f"P{at}") for at in range(MOST)]))
    with pytest.raises(AgentError, match="100 plans are queued already"):
        added(directory, "a")


@pytest.mark.parametrize(
    "text",
    ["", "[]", "null", '{"plans": 7}', '{"plans": [{}]}', "[" * 5000, '{"plans": [], "held": 3}', "\x00"],
)
def test_a_damaged_queue_says_what_to_do(directory: MarkedDirectory, queued: QueuedPlans, text: str) -> None:
    Path(directory.at("queue", "queue.json")).write_text(text)
    with pytest.raises(
        AgentError, match=r"cannot read .*queue.json .*: delete the file, then queue its plans again"
    ):
        queued.read()


@pytest.mark.parametrize("name", ["../../etc", "", "a/b"])
def test_a_plan_named_like_a_path_is_refused(
    directory: MarkedDirectory, queued: QueuedPlans, name: str
) -> None:
    entry = {"plan": name, "name": "n", "sha256": "0" * 64, "agent": AGENT, "sessions": 1}
    Path(directory.at("queue", "queue.json")).write_text(json.dumps({"plans": [entry]}))
    with pytest.raises(AgentError, match=r"is not an id|cannot read"):
        queued.read()


def test_a_full_disk_leaves_the_queue_as_it_was(
    directory: MarkedDirectory, queued: QueuedPlans, monkeypatch: pytest.MonkeyPatch
) -> None:
    added(directory, "a")

    def fail(_old: str, _new: str) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr("app.agent.queued_plans.write_file", fail)
        with pytest.raises(
            AgentError, match=r"cannot change the queue in .*: No space left on device: free some space"
        ):
            added(directory, "b")
    assert names(queued) == ["a"]
    added(directory, "c")
    assert names(queued) == ["a", "c"]
    assert len(list(Path(directory.at("queue")).glob("?" * 64 + ".json"))) == 2


@pytest.mark.parametrize(
    ("was_stopped", "outcome", "held"),
    [
        (False, "completed", ""),
        (True, "completed", "plan first was stopped"),
        (False, "failed", "no session of plan first completed"),
    ],
)
def test_a_stopped_plan_and_one_of_which_nothing_came_hold_the_queue(
    directory: MarkedDirectory, queued: QueuedPlans, was_stopped: bool, outcome: str, held: str
) -> None:
    added(directory, "next")
    os.makedirs(directory.plan("P"))
    Path(directory.plan("P"), "plan.json").write_text('{"turns": [{"session": "S"}]}')
    os.makedirs(directory.session("S"))
    event = {"kind": "session_ended", "outcome": outcome, "reason": "because"}
    Path(directory.journal("S")).write_text(json.dumps(event, separators=(",", ":")) + "\n")
    queued.hold_after("P", "first", was_stopped)
    assert queued.read().held == held
