"""What the checks of the target say of a build's answers about its options."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from socket import socketpair

import pytest

from app.agent.checks import check
from app.agent.server.options import KnownBuild
from app.agent.system.directory import Directory
from app.protocol.answers import OtherAgent
from app.protocol.machine_checks import ELSEWHERE_TODO, IN_USE_TODO
from tests.plans import MARIADB, plan


def said(option: str, state: str) -> dict[str, str]:
    return {"option": option, "state": state, "text": f"about {option}"}


def test_what_loose_lets_be_ignored_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answers = [said("loose_a", "ignored"), said("b", "ignored"), said("loose_c", "rejected")]
    answers += [said("loose_d", "ignored"), said("e", "rejected")]
    monkeypatch.setattr(check, "check_options", lambda _build, _cnf: answers)
    found = check._check_options(
        KnownBuild("x", "/usr", "/usr/sbin/mysqld"), plan().contenders[0], str(tmp_path)
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
    directory = Directory(str(tmp_path))
    lock = directory.lock({"plan": "X", "pid": 1})
    monkeypatch.setattr(check, "build_of", lambda *_: KnownBuild("x", "/usr", "/usr/sbin/mysqld"))
    monkeypatch.setattr(check, "check_options", lambda _build, _cnf: [])
    assert [each.state for each in check.ask(directory, plan())] == ["pass"] * len(plan().contenders)
    assert any(each.state == "fail" for each in check.check(directory, plan()))
    assert directory.sessions() == []
    os.close(lock or 0)


def test_the_hint_names_what_helps_against_another_plan(
    directory: Directory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(check, "agents_elsewhere", lambda _: [OtherAgent(7, "/d")])
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
        assert not check.is_unread(nothing.fileno())
    for theirs, ours in (pipe, socket):
        assert not check.is_unread(ours)
        os.close(theirs)
        assert check.is_unread(ours)
        os.close(ours)
