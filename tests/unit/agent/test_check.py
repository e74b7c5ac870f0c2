"""What the checks of the target say of a build's answers about its options."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from socket import socketpair

import pytest

from app.agent.checks import check
from app.agent.server.options import BuildWithOptions
from app.agent.system.client import is_peer_closed
from app.agent.system.directory import REHEARSING, MarkedDirectory
from app.protocol.answers import Check, OtherActiveAgent, RehearsalResult
from app.protocol.machine_checks import ELSEWHERE_TODO, IN_USE_TODO, REHEARSAL_TODO
from tests.plans import MARIADB, plan

CONTENDERS = len(plan().contenders)


def said(option: str, state: str) -> dict[str, str]:
    return {"option": option, "state": state, "text": f"about {option}"}


def test_what_loose_lets_be_ignored_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answers = [said("loose_a", "ignored"), said("b", "ignored"), said("loose_c", "rejected")]
    answers += [said("loose_d", "ignored"), said("e", "rejected")]
    monkeypatch.setattr(check, "check_options", lambda _build, _cnf: answers)
    found = check._check_options(
        BuildWithOptions("x", "/usr", "/usr/sbin/mysqld"), plan().contenders[0], str(tmp_path)
    )
    assert [(each.state, each.text) for each in found] == [
        ("warn", "about b"),
        ("fail", "about loose_c"),
        ("fail", "about e"),
        ("info", f"{MARIADB} ignores loose_a, loose_d"),
    ]


def test_builds_are_asked_while_a_plan_holds_the_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "DYNO-TARGET").touch()
    tmp_path.chmod(0o700)
    directory = MarkedDirectory(str(tmp_path))
    lock = directory.lock({"plan": "X", "pid": 1})
    monkeypatch.setattr(check, "build_of", lambda *_: BuildWithOptions("x", "/usr", "/usr/sbin/mysqld"))
    monkeypatch.setattr(check, "check_options", lambda _build, _cnf: [])
    assert [each.state for each in check.check_build_options(directory, plan())] == ["pass"] * len(
        plan().contenders
    )
    assert any(each.state == "fail" for each in check.check(directory, plan()))
    assert directory.sessions() == []
    os.close(lock or 0)


@pytest.fixture
def meanwhile(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Callable[[], None]]]:
    """What happens while a build is asked."""
    meanwhile: list[Callable[[], None]] = []

    def answer(_build: BuildWithOptions, _cnf: str) -> list[dict[str, str]]:
        for each in meanwhile:
            each()
        return []

    monkeypatch.setattr(check, "agents_elsewhere", lambda _: [])
    monkeypatch.setattr(check, "build_of", lambda *_: BuildWithOptions("x", "/usr", "/usr/sbin/mysqld"))
    monkeypatch.setattr(check, "check_options", answer)
    yield meanwhile


def states(found: list[Check]) -> dict[str, list[str]]:
    return {each.name: [one.state for one in found if one.name == each.name] for each in found}


def test_a_check_takes_no_lock_and_another_rehearsal_does_not_fail_it(
    directory: MarkedDirectory, meanwhile: list[Callable[[], None]]
) -> None:
    def start() -> None:
        lock = directory.lock({"plan": "X", "pid": 1})
        assert lock is not None, "a check keeps a plan from its start"
        os.close(lock)

    meanwhile.append(start)
    assert states(check.check(directory, plan()))["busy"] == ["pass"]
    meanwhile.clear()
    lock = directory.lock({"verb": REHEARSING, "pid": 1})
    assert states(check.check(directory, plan())) == {"busy": ["pass"], "options": ["pass"] * CONTENDERS}
    os.close(lock or 0)
    assert directory.sessions() == []  # a plan that starts clears what it finds there


def test_a_check_ends_as_soon_as_a_plan_has_begun(
    directory: MarkedDirectory, meanwhile: list[Callable[[], None]]
) -> None:
    locks: list[int | None] = []
    meanwhile.append(lambda: locks.append(directory.lock({"plan": "X", "pid": 1})))
    found = check.check(directory, plan(f"{MARIADB}:innodb", f"{MARIADB}:rocksdb"))
    assert states(found) == {"busy": ["pass", "fail"], "options": ["pass"]}
    assert found[-1].todo == IN_USE_TODO and len(locks) == 1
    os.close(locks[0] or 0)


def test_a_rehearsal_waits_for_another_one(
    directory: MarkedDirectory, monkeypatch: pytest.MonkeyPatch
) -> None:
    fine = RehearsalResult([Check("rehearsal", "pass", "")])
    monkeypatch.setattr(check, "agents_elsewhere", lambda _: [])
    monkeypatch.setattr(check, "build_of", lambda *_: None)
    monkeypatch.setattr(check, "_rehearse", lambda *_: fine)
    lock = directory.lock({"verb": REHEARSING, "pid": 7})
    found = check.rehearse(directory, plan(), 0, list)
    assert found.waits_for == "a rehearsal (process 7)" and found.checks[0].state == "fail"
    assert found.checks[0].todo == REHEARSAL_TODO
    timer = threading.Timer(0.3, os.close, [lock])
    timer.start()
    assert check.rehearse(directory, plan(), 0, list, 30.0) is fine
    timer.join()
    lock = directory.lock({"plan": "X", "pid": 1})
    found = check.rehearse(directory, plan(), 0, list, 30.0)
    assert not found.waits_for and found.checks[0].todo == IN_USE_TODO
    os.close(lock or 0)


def test_the_hint_names_what_helps_against_another_plan(
    directory: MarkedDirectory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(check, "agents_elsewhere", lambda _: [OtherActiveAgent(7, "/d")])
    found = check._check_busy(directory, plan())
    assert (found.state, found.todo) == ("fail", ELSEWHERE_TODO)
    assert check._check_busy(directory, replace(plan(), allow_busy=True)).state == "warn"
    lock = directory.lock({"plan": "X", "pid": 1})
    found = check._check_busy(directory, replace(plan(), allow_busy=True))
    assert (found.state, found.todo) == ("fail", IN_USE_TODO)
    os.close(lock or 0)


def test_whoever_has_asked_and_is_gone_is_noticed() -> None:
    pipe, socket = os.pipe(), [each.detach() for each in socketpair()]
    with open(os.devnull, "wb") as nothing:
        assert not is_peer_closed(nothing.fileno())
    for theirs, ours in (pipe, socket):
        assert not is_peer_closed(ours)
        os.close(theirs)
        assert is_peer_closed(ours)
        os.close(ours)
