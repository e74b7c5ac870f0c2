"""A target that speaks by script, and what a follower of it says."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from app.following.follower import Follower, FollowerLinkState, FollowerNews
from app.history.store.history import History
from tests import journals

PLAN = journals.plan(contenders=[journals.contender("innodb"), journals.contender("rocksdb")])
WHOLES = {turn.session: journals.whole(PLAN, turn.session) for turn in PLAN.turns}
FIRST, SECOND = WHOLES


def beat(number: int, locked: bool = True, at: float = 5000.0) -> bytes:
    return json.dumps({"beat": number, "at": at, "locked": locked}).encode() + b"\n"


def piece(session: str, raw: bytes, offset: int = 0) -> bytes:
    return json.dumps({"session": session, "offset": offset, "bytes": len(raw)}).encode() + b"\n" + raw


END = b'{"end": true}\n'
STREAM = beat(1) + b"".join(piece(s, m.raw) for s, m in WHOLES.items()) + beat(2, False) + END


def read_from(parts: Sequence[bytes]) -> Callable[[float], bytes]:
    """Reads that give one part each; then the stream is silent."""
    left = list(parts)

    def read(timeout_s: float) -> bytes:
        if not left:
            raise TimeoutError
        return left.pop(0)

    return read


class ScriptedStream:
    """Gives parts of a stream; an exception among them is raised, None is silence."""

    def __init__(self, parts: Sequence[bytes | Exception | None], returncode: int | None = None) -> None:
        self._parts = list(parts)
        self.returncode = returncode
        self.stderr = b""
        self.closed = False

    def read(self, timeout_s: float) -> bytes:
        if not self._parts:
            return b""
        part = self._parts.pop(0)
        if part is None:
            raise TimeoutError
        if isinstance(part, Exception):
            raise part
        return part

    def close(self) -> None:
        self.closed = True


class ScriptedTarget:
    """A target whose journals are whole; each connect gives what its script makes of them."""

    def __init__(self, *scripts: Callable[[Mapping[str, int]], ScriptedStream]) -> None:
        self._scripts = list(scripts)
        self.connects = 0
        self.offsets: list[dict[str, int]] = []
        self.connection = self

    def connect(self) -> ScriptedTarget:
        self.connects += 1
        return self

    def follow(self, plan: str, offsets: Mapping[str, int]) -> ScriptedStream:
        self.offsets.append(dict(offsets))
        return self._scripts.pop(0)(offsets)

    def close(self) -> None:
        pass


def rest(offsets: Mapping[str, int], most: int = 1 << 30, end: bool = True) -> ScriptedStream:
    """The journals from these offsets on; at most so many bytes of the stream."""
    data = beat(1) + b"".join(piece(s, WHOLES[s].raw[o:], o) for s, o in offsets.items() if WHOLES[s].raw[o:])
    data += (beat(2, False) + END) if end else b""
    return ScriptedStream([data[at : at + 1000] for at in range(0, min(len(data), most), 1000)])


class Published:
    """Remembers what a follower has published; does not wait between tries."""

    def __init__(self) -> None:
        self.updates: list[FollowerNews] = []

    def __call__(self, update: FollowerNews) -> None:
        self.updates.append(update)

    @property
    def links(self) -> list[FollowerLinkState]:
        return [update.link for update in self.updates]

    def events(self, session: str) -> list[object]:
        return [e for update in self.updates for e in update.events.get(session, ())]


class Impatient(threading.Event):
    """An event that never waits: the back-off is said, not slept."""

    def wait(self, timeout: float | None = None) -> bool:
        return self.is_set()


def follow(home: Path, target: ScriptedTarget) -> Published:
    published = Published()
    sessions, impatient = list(WHOLES), Impatient()
    Follower(
        home, PLAN.id, sessions, target.connect, published, clock=lambda: 1400.0, stopping=impatient
    ).run()
    return published


def states(home: Path) -> list[str]:
    with History(home) as history:
        rows = history.connection.execute("SELECT state FROM session ORDER BY id").fetchall()
        return [row[0] for row in rows]
