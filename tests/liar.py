"""A target that lies: speaks for an agent file, truly or as a lie has it, without a process of its own.

liar = Liar(); liar.take_over(monkeypatch)   # it is `local` now
liar.lies["survey"] = LIES["deep"]           # what becomes of the true answer to a verb
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import repeat
from typing import Any

import pytest

from app.protocol.answers import to_json
from app.protocol.plan import Plan
from app.remote.connection import MOST, CommandResult, answer_of

from . import journals, plans
from .fakes import FakeExistingServer

DIRECTORY = "/srv/dyno"
KEY = "06e60d16d7c0e5fd"
QUEUED = "0" * 25 + "9"  # the plan in its queue
CHECK = {"name": "options", "state": "pass", "text": "accepted", "todo": "do it"}
SNAPSHOT = {
    "key": KEY, "problem": "", "made_at": 1.0, "size_bytes": 1 << 30, "tables": 4, "rows": 1000,
    "load_method": "insert", "session": "S",
    "contender": {"build": "mariadb", "engine": "innodb", "preset": "default", "table_options": "CHARSET=x"},
}  # fmt: skip
NAMED = ("name", "family", "version", "engines", "fingerprint", "problem")  # what plans need of a build
DISK = {"path": DIRECTORY, "device": "/dev/sda", "disks": ["sda"], "scheduler": "none", "mount_options": "rw"}


def survey() -> dict[str, Any]:
    """All that an agent says of a machine."""
    found = plans.surveyed()
    builds = [
        {**each, "version_text": "Ver", "notes": {"compiler": "gcc"}, "installed": True, "environment": {}}
        for each in found["builds"]
    ]
    more = {"distribution": "Debian", "kernel": "6.1", "warnings": ["the load is 7"], "snapshots": [SNAPSHOT]}
    ways = {"allocators": {"jemalloc": "/lib/x"}, "numactl": "/usr/bin/numactl", "memory_limit_problem": "x"}
    return {**found, **more, **ways, "disk": {**DISK, **found["disk"]}, "builds": builds}


class Speech:
    """What a command says: these parts, and then it ends, or is silent for ever."""

    def __init__(self, parts: Iterable[bytes], is_silent: bool = False, returncode: int = 0) -> None:
        self._parts, self._is_silent, self._code = iter(parts), is_silent, returncode
        self.returncode: int | None = None
        self.stderr = b""

    def read(self, timeout_s: float) -> bytes:
        data = next(self._parts, b"")
        if not data and self._is_silent:
            Clock.now += timeout_s
            raise TimeoutError
        if not data:
            self.returncode = self._code
        return data

    def close(self) -> None:
        pass


class Clock:
    """Silence costs a test no time."""

    now = 0.0

    @classmethod
    def monotonic(cls) -> float:
        return cls.now


Lie = Callable[[bytes], Speech]


def _with_numbers(number: str) -> Lie:
    """Each number of the answer is another one."""

    def lie(true: bytes) -> Speech:
        lines = [json.dumps(_numbered(json.loads(line))) for line in true.splitlines()]
        return Speech([line.replace('"NUMBER"', number).encode() + b"\n" for line in lines])

    return lie


def _numbered(value: Any) -> Any:
    match value:
        case dict():
            return {key: _numbered(each) for key, each in value.items()}
        case list():
            return [_numbered(each) for each in value]
        case int() | float() if not isinstance(value, bool):
            return "NUMBER"
    return value


def _instead(text: bytes, returncode: int = 0) -> Lie:
    return lambda true: Speech([text], returncode=returncode)


LIES: Mapping[str, Lie] = {
    "nothing": _instead(b""),
    "nothing, and a failure": _instead(b"", 1),
    "garbage": _instead(b"\x00\xff\xfe\x1b[2J garbage\n"),
    "no UTF-8": lambda true: Speech([true.replace(b'"', b'"\xff', 1)]),
    "half a line": lambda true: Speech([true[: len(true) // 2]]),
    "half a line, then silence": lambda true: Speech([true[: len(true) // 2]], is_silent=True),
    "silence": lambda true: Speech([], is_silent=True),
    "deep": _instead(b'{"a":' * 100_000),
    "deep lists": _instead(b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}\n"),
    "a list": _instead(b"[1]\n"),
    "null": _instead(b"null\n"),
    "other keys": _instead(b'{"other": 1}\n'),
    "NaN": _with_numbers("NaN"),
    "Infinity": _with_numbers("1e999"),
    "400 digits": _with_numbers("9" * 400),
    "an endless line": lambda true: Speech(repeat(b"x" * 65536)),
    "endless lines": lambda true: Speech(repeat(b"{}\n" * 20_000)),
    "endless JSON": lambda true: Speech([b'{"a":"', *[b"x" * 65536] * 1000]),
    "a refusal": _instead(b'{"error": "no \\u001b[2J [/x]"}\n', 1),
    "a refusal that is no text": _instead(b'{"error": [1, {"a": null}]}\n', 1),
    "a refusal without an end": _instead(b'{"error": "%s"}\n' % (b"x" * 900_000), 1),
}
HARMLESS: Mapping[str, Lie] = {
    "what a login script says": lambda true: Speech([b"Welcome \x1b[2J\n\xff\n", true]),
    "more lines": lambda true: Speech([true, b"bye\n\xff\x00\n"]),
}


class Liar:
    """A connection to a target; what it says truly is in `answers`, but for journals and what it is sent."""

    name = "local"

    def __init__(
        self, lace: Callable[[Any], Any] = lambda value: value, its_plan: Plan | None = None
    ) -> None:
        self.lies: dict[str, Lie] = {}
        self.heard: list[str] = []
        self.plan = its_plan or journals.plan()
        self._lace = lace
        self._sent = 0

    def take_over(self, patch: pytest.MonkeyPatch) -> None:
        """In place of this computer, for everything that connects to it."""
        patch.setattr("app.remote.connection.LocalConnection", lambda name="local": self)
        patch.setattr("app.remote.connection.time", Clock)
        patch.setattr("app.following.follower.LONGEST_WAIT_S", 0.0)

    def run(
        self, argv: Sequence[str], stdin: bytes = b"", timeout_s: float = 30, most: int = MOST
    ) -> CommandResult:
        return answer_of(self.open(argv, stdin), self.name, timeout_s, most)

    def open(self, argv: Sequence[str], stdin: bytes = b"") -> Speech:
        verb = "push" if argv[5] == "push" else argv[7]
        self.heard.append(verb)
        true = self._follow() if verb == "follow" else json.dumps(self._answer(verb, stdin)).encode() + b"\n"
        return self.lies[verb](true) if verb in self.lies else Speech([true])

    def close(self) -> None:
        pass

    def _answer(self, verb: str, stdin: bytes) -> dict[str, Any]:
        match verb:
            case "push":
                return {"directory": DIRECTORY, "there": True}
            case "survey":
                return self._survey()
            case "upload-plan":
                self.plan = Plan.from_json(json.loads(stdin))
            case "options":
                return {"options": {self._lace("/usr/sbin/mysqld"): [self._lace("innodb_x")]}}
            case "check" | "ask":
                return {"checks": [{**self._lace(CHECK), "contender": self.plan.contenders[0].name}]}
            case "start":
                return {"plan": self.plan.id}
            case "status":
                return {"locked": False, "plan": None, "pid": None}
            case "queue":
                return self._queue()
            case "list":
                return {"plans": [self._plan()]}
            case "snapshots":
                return {"snapshots": [{**self._lace(SNAPSHOT), "key": KEY}]}
            case "reach-server":
                found = to_json(FakeExistingServer().found)
                return {**self._lace(found), **{each: found[each] for each in ("certificate", "engines")}}
            case "clean" | "clean-server":
                return {"removed": [self._lace("server 4711 of session S")]}
            case "upload":
                self._sent += len(stdin.partition(b"\n")[2])
                return {"received": self._sent}
            case "install":
                return {"build": self._lace(survey()["builds"][0])}
        return {"ok": True}

    def _survey(self) -> dict[str, Any]:
        """The builds keep what plans name them by."""
        true = survey()
        laced = self._lace(true)
        named = [
            {**each, **{key: was[key] for key in NAMED}}
            for each, was in zip(laced["builds"], true["builds"], strict=True)
        ]
        broken = {**laced["builds"][-1], "name": self._lace("mysql-8.0.41"), "base": "/srv/mysql"}
        return {**laced, "builds": [*named, broken]}

    def _plan(self) -> dict[str, Any]:
        sessions = [{"session": turn.session, "size": 1 << 20, "ended": False} for turn in self.plan.turns]
        name = self._lace(self.plan.name)
        return {"plan": self.plan.id, "name": name, "agent": "f" * 64, "locked": True, "sessions": sessions}

    def _queue(self) -> dict[str, Any]:
        entry = {"plan": QUEUED, "name": self._lace("first"), "sha256": "0" * 64, "agent": "f" * 64}
        said = self._lace({"held": "plan last was stopped", "at_work": "plan last", "now": 1.0})
        held = self._lace("there is no build")
        return {"plans": [{**entry, "sessions": 2, "at": 9.0, "held": held}], **said}

    def _follow(self) -> bytes:
        """Beat, journals, end: every session has gone well."""
        said = [json.dumps({"beat": 1, "at": 1.0, "locked": True}).encode() + b"\n"]
        for turn in self.plan.turns:
            raw = self.journal(turn.session)
            header = {"session": turn.session, "offset": 0, "bytes": len(raw)}
            said += [json.dumps(header).encode() + b"\n", raw]
        return b"".join([*said, b'{"end": true}\n'])

    def journal(self, session: str) -> bytes:
        return journals.whole(self.plan, session).raw
