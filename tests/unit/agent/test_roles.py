"""The roles of a step as one generator: seconds put together, and an end before all have begun."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from app.agent.load import roles
from app.agent.load.generator import Generator
from app.agent.load.roles import RoleGenerators
from app.protocol.plan import Step

READER = Step("q", "drive", role="reader", threads=1)
WRITER = Step("q.writer", "drive", role="writer", threads=1, beside=True, ends=True, seconds=2)


class Said(Generator):
    """A sysbench that says what a test says, in place of a process."""

    def __init__(self) -> None:
        self._fd, self._writer = os.pipe()
        os.set_blocking(self._fd, False)
        self._rest = b""
        self.is_open, self.was_stopped, self.code = True, False, 0

    def say(self, **line: Any) -> None:
        os.write(self._writer, json.dumps(line).encode() + b"\n")

    def end(self, code: int = 0) -> None:
        self.code = code
        os.close(self._writer)

    def stop(self) -> None:
        self.was_stopped, self.is_open = True, False

    def wait(self, limit_s: float = 0.0) -> int:
        return -15 if self.was_stopped else self.code

    def complaints(self) -> list[str]:
        return ["FATAL: no such table"] if self.code else []


class Begun:
    """Both roles, and who was told of their connections."""

    def __init__(self) -> None:
        self.said: list[Said] = []
        self.connections: Mapping[str, list[int]] = {}
        self.both = RoleGenerators([READER, WRITER], self._start, 0.0, self._before)

    def _start(self, step: Step, options: Sequence[str], files: Sequence[int]) -> Generator:
        assert f"--role={[READER, WRITER].index(step)}" in options and f"--begin-fd={files[1]}" in options
        self.said.append(Said())
        return self.said[-1]

    def _before(self, connections: Mapping[str, list[int]]) -> None:
        self.connections = dict(connections)

    def wait(self) -> None:
        for at, each in enumerate(self.said):
            each.say(type="connection", id=at + 7)
            each.say(type="waiting")
        self.both.read(0.1)


def second(number: int) -> dict[str, Any]:
    return {"type": "second", "time_s": number, "events": 10}


def test_a_second_is_told_once_all_roles_have_told_theirs() -> None:
    begun = Begun()
    begun.wait()
    assert begun.connections == {"reader": [7], "writer": [8]}
    reader, writer = begun.said
    reader.say(**second(1))
    assert begun.both.read(0.0) == []
    writer.say(**second(1))
    (line,) = begun.both.read(0.1)
    assert line["events"] == 10 and line["roles"].keys() == {"reader", "writer"}
    begun.both.stop()


def test_a_late_second_is_told_without_the_role_that_is_late(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(roles, "LATE_S", 0.01)
    begun = Begun()
    begun.wait()
    begun.said[0].say(**second(1))
    begun.both.read(0.1)
    (line,) = begun.both.read(0.1)
    assert line["roles"].keys() == {"reader"}
    begun.both.stop()


def test_a_role_that_ends_before_all_have_begun_ends_the_step() -> None:
    """The others wait at the gate, which nobody would open any more."""
    begun = Begun()
    reader, writer = begun.said
    reader.say(type="waiting")
    writer.end(code=1)
    while begun.both.is_open:
        assert begun.both.read(0.1) == []
    assert reader.was_stopped and begun.both.wait() != 0
    assert begun.both.complaints() == ["writer: FATAL: no such table"]


def test_a_role_that_fails_later_ends_the_others_that_may_wait_for_it() -> None:
    """A client that follows another waits for its next statement, whether the step is over or not."""
    begun = Begun()
    begun.wait()
    reader, writer = begun.said
    reader.say(**second(1))
    writer.end(code=1)
    while begun.both.is_open:
        begun.both.read(0.1)
    assert reader.was_stopped and begun.both.wait() != 0
    assert begun.both.complaints() == ["writer: FATAL: no such table"]


def test_the_total_of_the_figure_is_told_once_all_have_ended() -> None:
    begun = Begun()
    begun.wait()
    reader, writer = begun.said
    writer.say(type="total", time_s=2.0)
    writer.end()
    begun.both.read(0.1)
    begun.both.read(0.1)
    assert begun.both.is_open
    reader.say(type="total", time_s=2.1)
    reader.end()
    told = [line for _ in range(3) for line in begun.both.read(0.1)]
    assert told == [{"type": "total", "time_s": 2.1}]
    assert begun.both.wait() == 0 and begun.both.complaints() == []
