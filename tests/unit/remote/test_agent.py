"""What the desktop makes of the agent's answers."""

from __future__ import annotations

import json

import pytest

from app.core.errors import DynoError, InputError, TargetError
from app.protocol.answers import ServerAddress, StartRequest
from app.protocol.reading import read
from app.remote.agent import RemoteAgent
from app.remote.bundle import current_bundle
from app.remote.connection import CommandResult
from tests.fakes import ScriptedConnection
from tests.plans import surveyed

THERE = CommandResult(0, b'{"directory": "/home/me/dyno", "there": true}\n', b"")


def answer(data: object, code: int = 0) -> CommandResult:
    return CommandResult(code, json.dumps(data).encode() + b"\n", b"")


def agent_with(*answers: CommandResult) -> tuple[RemoteAgent, ScriptedConnection]:
    connection = ScriptedConnection(*answers)
    return RemoteAgent(connection, "~/dyno"), connection


def test_the_bytes_travel_only_where_they_are_missing() -> None:
    agent, connection = agent_with(
        answer({"directory": "/d", "there": False}), answer({"directory": "/d", "there": True})
    )
    assert agent.deploy() == "/d"
    assert [len(stdin) for _, stdin in connection.asked] == [0, len(current_bundle().content)]
    agent.deploy()  # known by now: nothing is asked
    assert len(connection.asked) == 2


def test_verbs_go_to_the_resolved_directory() -> None:
    agent, connection = agent_with(THERE, answer({"locked": False, "plan": None, "pid": None}))
    assert agent.status().locked is False
    command, _ = connection.asked[-1]
    file = f"/home/me/dyno/agents/{current_bundle().sha}.pyz"
    assert command[:4] == ["python3", "-I", "-S", "-c"]
    assert command[5:] == ["run", file, "status", "--directory", "/home/me/dyno"]


def test_an_old_session_is_steered_by_its_own_agent_file() -> None:
    connection = ScriptedConnection(THERE, answer({"ok": True}), THERE)
    agent = RemoteAgent(connection, "~/dyno", sha="f" * 64)
    agent.note("P", "a thöught")
    command, stdin = connection.asked[-1]
    assert command[6].endswith(f"/{'f' * 64}.pyz") and command[-2:] == ["--plan", "P"]
    assert stdin == "a thöught".encode()
    agent.follow("P", {"S1": 0, "S2": 40})
    command, _ = connection.opened[-1]
    assert command[6].endswith(f"/{'f' * 64}.pyz") and command[-4:] == ["--plan", "P", "S1:0", "S2:40"]


def test_a_password_goes_by_standard_input_alone() -> None:
    checks, rehearsed = answer({"checks": []}), answer({"checks": [], "variables": {}})
    looked = answer({"family": "MySQL", "version": "8.0.36", "settings": {"sync_binlog": "1"}})
    agent, connection = agent_with(THERE, looked, checks, rehearsed, answer({"plan": "P"}), checks)
    address = ServerAddress("db", 3306, "bench", "dyno", "5e" * 32, True, ["sync_binlog"], "s3cret")
    assert agent.reach_server(address).settings == {"sync_binlog": "1"} and "s3cret" not in repr(address)
    passwords = {"prod-innodb": "s3cret"}
    agent.check("f00", passwords)
    agent.rehearse("f00", 0, 0.0, passwords)
    agent.start("f00", passwords=passwords)
    agent.check("f00")
    sent = [json.loads(stdin) if stdin else None for _, stdin in connection.asked[1:]]
    assert sent[0]["password"] == "s3cret" and sent[0]["host"] == "db"
    assert sent[1] == sent[2] == {"passwords": passwords} and sent[4] is None
    assert sent[3] == {"admission": None, "passwords": passwords}
    assert read(StartRequest, sent[3]) == StartRequest(None, passwords)
    assert "s3cret" not in repr(read(StartRequest, sent[3]))
    assert not any("s3cret" in word for command, _ in connection.asked for word in command)


def test_a_refusal_is_the_targets() -> None:
    agent, _ = agent_with(THERE, answer({"error": "no such plan"}, 1))
    with pytest.raises(TargetError, match="fake: no such plan"):
        agent.skip("P")


@pytest.mark.parametrize(
    ("completed", "kind", "text"),
    [
        (CommandResult(2, b"", b"agent: error: --plan\n"), InputError, "agent: error: --plan"),
        (CommandResult(0, b"garbage\n", b""), DynoError, "garbage"),
        (CommandResult(0, b"[1]\n", b""), DynoError, "did not answer to status"),
        (
            CommandResult(1, b"", b"Traceback (most recent call last):\n  x\nKeyError: 'a'\n"),
            DynoError,
            "KeyError: 'a'",
        ),
        (CommandResult(-1, b"", b""), DynoError, "no word"),
        (
            CommandResult(127, b"", b"sh: python3: not found\n"),
            TargetError,
            "no python3 on fake: install Python 3.8",
        ),
    ],
)
def test_what_is_no_answer(completed: CommandResult, kind: type[DynoError], text: str) -> None:
    agent, _ = agent_with(THERE, completed)
    with pytest.raises(DynoError) as caught:
        agent.status()
    assert type(caught.value) is kind
    assert text in str(caught.value) and "\n" not in str(caught.value)


def test_an_old_python_says_so() -> None:
    agent, _ = agent_with(answer({"python": "3.6"}))
    with pytest.raises(TargetError, match=r"Python 3\.6 on fake is too old, install Python 3\.8 or newer"):
        agent.deploy()


def test_an_answer_without_its_content_is_told() -> None:
    agent, _ = agent_with(THERE, answer({}))
    with pytest.raises(DynoError, match=r"cannot read the agent's answer to list: .* `plans`"):
        agent.list()


SURVEY = surveyed()
PLANS = {"plans": [{"plan": "P", "name": "", "agent": "f0", "locked": True, "sessions": []}]}


@pytest.mark.parametrize(
    ("verb", "said"),
    [
        ("survey", {**SURVEY, "cpu": None}),
        ("survey", {**SURVEY, "cpu": {"model": [], "sockets": 1, "cores": 1, "threads": 1}}),
        ("survey", {**SURVEY, "memory_bytes": 1e308}),
        ("survey", {**SURVEY, "memory_bytes": 10**400}),
        ("survey", {**SURVEY, "builds": [{"name": "x" * 200_000}]}),
        ("survey", {**SURVEY, "load": "busy"}),
        ("survey", {**SURVEY, "topology": [[[10**9]]]}),
        ("list", {"plans": {"P": 1}}),
        ("list", {"plans": [{**PLANS["plans"][0], "agent": "../../bin/x"}]}),
        ("list", {"plans": [{**PLANS["plans"][0], "sessions": [{"session": 1}]}]}),
        ("status", {"locked": "no"}),
        (
            "queue",
            {"plans": [{"plan": "P", "name": "n", "sha256": "0", "agent": "../../bin/x", "sessions": 1}]},
        ),
        ("queue", {"plans": [], "now": 1e300}),
        ("snapshots", {"snapshots": [{"key": 1}]}),
        ("clean", {"removed": [1]}),
    ],
)
def test_an_answer_of_another_shape_is_refused_in_one_line(verb: str, said: dict[str, object]) -> None:
    agent, _ = agent_with(THERE, answer(said))
    with pytest.raises(DynoError) as caught:
        getattr(agent, verb)()
    text = str(caught.value)
    assert "\n" not in text
    assert f"answer to {verb}" in text or "did not answer" in text


@pytest.mark.parametrize("line", [b"[" * 100_000, b'{"plans":' * 5000, b"\xff\xfe{}", b'{"plans":[NaN]}'])
def test_what_is_no_answer_is_refused_in_one_line(line: bytes) -> None:
    agent, _ = agent_with(THERE, CommandResult(0, line + b"\n", b""))
    with pytest.raises(DynoError, match="did not answer to list"):
        agent.list()


def test_the_clock_of_the_target_is_found_by_a_ping(monkeypatch: pytest.MonkeyPatch) -> None:
    """The time that the survey takes is not mistaken for a difference of the clocks."""
    ours = iter((100.0, 100.5))
    monkeypatch.setattr("app.remote.agent.time", lambda: next(ours))
    agent, _ = agent_with(THERE, answer(SURVEY), answer({"plans": [], "now": 107.0}))
    assert agent.survey().clock_ahead_s == 6.5


def test_a_slow_ping_accuses_no_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    ours = iter((100.0, 112.0))
    monkeypatch.setattr("app.remote.agent.time", lambda: next(ours))
    agent, _ = agent_with(THERE, answer(SURVEY), answer({"plans": [], "now": 106.0}))
    assert agent.survey().clock_ahead_s == 0
