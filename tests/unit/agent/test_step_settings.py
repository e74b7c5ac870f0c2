"""What steps ask of a server that is none: when it is started anew, and what is said where it cannot be."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from app.agent.steps.step_settings import StepSettingsChanges
from app.agent.system.errors import AgentError
from app.protocol.plan import Step
from app.protocol.words import literal, word

READ_ONLY = {"innodb_read_only": True}
WRONG = {"innodb_page_size": 1}


class FakeServer:
    """Starts with every option but a page size of one byte; knows the variables it was started with."""

    def __init__(self) -> None:
        self.options: dict[str, str] = {}
        self.starts: list[dict[str, str]] = []
        self.variables = {"innodb_spin_wait_delay": "6", "innodb_read_only": "OFF"}
        self.pid = 0
        self.client: Any = SimpleNamespace(pairs=self.pairs, run=self.run, try_run=lambda *_: None)

    def pairs(self, _sql: str) -> dict[str, str]:
        return {**self.variables, **self.options}

    def run(self, *statements: str) -> None:
        for each in statements:
            name, _, value = each.removeprefix("SET GLOBAL ").partition("=")
            self.variables[name] = value

    def stop(self, _limit_s: float, _wait: Any) -> bool:
        self.variables["innodb_spin_wait_delay"] = "6"
        return True

    def start(self, _wait: Any) -> float:
        self.starts.append(self.options)
        if "innodb_page_size" in self.options:
            raise AgentError("the server did not start: wrong page size")
        return 0.1


class Steps:
    """The settings of steps with a server, and what each step ended with."""

    def __init__(self) -> None:
        self.server = FakeServer()
        self.journal: list[str] = []
        journal = SimpleNamespace(write=lambda _kind, **said: self.journal.append(said["text"]))
        contender = SimpleNamespace(engine="innodb")
        self.step_settings = StepSettingsChanges(
            SimpleNamespace(server=self.server, journal=journal, contender=contender, wait=None)
        )

    def take(self, **asked: Any) -> dict[str, Any]:
        step = Step("a", "drive", **asked)
        problem = self.step_settings.bring_about(0, step)
        ended = {"outcome": "failed" if problem else "completed", "reason": problem}
        self.step_settings.complete(ended, step)
        return ended


@pytest.fixture
def steps() -> Steps:
    return Steps()


def test_a_server_is_started_anew_where_the_options_are_others(steps: Steps) -> None:
    ended = [
        steps.take(),
        steps.take(restart_with=READ_ONLY),
        steps.take(restart_with=READ_ONLY),
        steps.take(),
    ]
    assert steps.server.starts == [{"innodb_read_only": "ON"}, {}]
    assert steps.journal == ["with innodb_read_only=ON", "as at first"]
    assert [each["marks"] for each in ended] == [[], ["restarted"], [], ["restarted"]]
    assert [each["in_force"] for each in ended[1:]] == [
        {"restarted_with": {"innodb_read_only": "ON"}}
    ] * 2 + [{}]


def test_options_that_a_server_does_not_start_with_fail_their_steps_alone(steps: Steps) -> None:
    first, second = steps.take(restart_with=WRONG), steps.take(restart_with=WRONG)
    assert first["reason"] == "with innodb_page_size=1: the server did not start: wrong page size"
    assert second["reason"] == first["reason"]
    assert steps.server.starts == [{"innodb_page_size": "1"}, {}], "it is tried once"
    then = steps.take()
    assert (then["outcome"], then["marks"]) == ("completed", ["restarted"]), "its caches are empty"


def test_variables_are_put_back_before_a_restart_and_set_after_it(steps: Steps) -> None:
    asked = {"innodb_spin_wait_delay": 96}
    steps.take(variables=asked)
    ended = steps.take(variables=asked, restart_with=READ_ONLY)
    assert ended["in_force"]["variables"] == {"innodb_spin_wait_delay": "96"}
    steps.take(restart_with=READ_ONLY)
    assert steps.server.variables["innodb_spin_wait_delay"] == "6"


def test_after_a_crash_everything_is_brought_about_again(steps: Steps) -> None:
    asked = {"innodb_spin_wait_delay": 96}
    steps.take(variables=asked)
    steps.server.stop(0, None)
    steps.step_settings.forget()
    assert steps.take(variables=asked)["in_force"] == {"variables": {"innodb_spin_wait_delay": "96"}}
    steps.step_settings.put_back()
    assert steps.server.variables["innodb_spin_wait_delay"] == "6"


def test_values_as_a_server_takes_them() -> None:
    assert [word(value) for value in (True, False, 96, 0.5, "O_DIRECT")] == [
        "ON",
        "OFF",
        "96",
        "0.5",
        "O_DIRECT",
    ]
    assert [literal(text) for text in ("96", "-1", "1G", "ON", "it's", "a\\b")] == [
        "96", "-1", "1073741824", "'ON'", "'it''s'", "'a\\\\b'",
    ]  # fmt: skip
