"""Starting from a snapshot, as a session has it: kept where there is none, and what may come between."""

from __future__ import annotations

import errno
import os
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from app.agent.snapshots import copying
from app.agent.snapshots.snapshots import Snapshots
from app.agent.steps import from_snapshot
from app.agent.steps.from_snapshot import SnapshotStarter
from app.agent.system.control import StopRequested
from app.agent.system.directory import MarkedDirectory
from app.agent.system.errors import AgentError
from app.agent.system.journal import DiskFullError
from app.history.recorded.in_words import DataAndStartWords, is_of_snapshot
from tests import plans
from tests.unit.agent.conftest import directory_in
from tests.unit.agent.page_cache import cached_pages

AT = 3  # load, index, settle, then the step of the snapshot
START_S = 0.002  # of the server: its start is part of the result


class Server:
    """Writes a data directory, and says what was done to it."""

    def __init__(self, data: Path) -> None:
        self.data = str(data)
        self.done: list[str] = []
        self.is_clean = True

    def prepare(self, wait: Any, lay: Any) -> None:
        assert wait is not None
        lay(self.data)

    def stop(self, wait: Any) -> bool:
        assert wait is not None
        self.done.append("stop")
        return self.is_clean

    def start(self, wait: Any) -> None:
        assert wait is not None
        self.cached = cached_pages(Path(self.data) / "ibdata1")
        assert (Path(self.data) / "ibdata1").read_bytes() == b"x" * 5000
        time.sleep(START_S)
        self.done.append("start")

    def dismiss(self) -> None:
        self.done.append("dismiss")


class Session:
    """As much of a session as the step needs."""

    def __init__(self, directory: MarkedDirectory, steps: tuple[str, ...] = ()) -> None:
        self.plan = plans.plan(start="snapshot", rows=1000, steps=list(steps))
        self.turn, self.contender = self.plan.turns[0], self.plan.contenders[0]
        self.directory = directory
        self.path = directory.session(self.turn.session)
        os.mkdir(self.path)
        self.server = Server(Path(self.path) / "data")
        self.control = SimpleNamespace(interrupts="")
        self.events: list[dict[str, Any]] = []
        self.journal = SimpleNamespace(write=lambda kind, **what: self.events.append({"kind": kind, **what}))
        self.said: list[str] = []
        self.data: list[dict[str, str]] = []
        quiet = {"empty_binary_log": lambda: None, "write_loaded": lambda: None}
        self.facts = SimpleNamespace(write_start_state=self.start_state, **quiet)
        self.step_settings = SimpleNamespace(forget=lambda: None)
        self.write_accounting = SimpleNamespace(
            rows={"inserted": 0, "deleted": 0}, begin_load=lambda step: None
        )
        self.unsettled = ""
        self.crashes = 0
        self.free = 1 << 40

    def start_state(self, load: str, **said: str) -> None:
        self.said.append(load)
        self.data.append(said)

    def load(self) -> Session:
        Path(self.server.data).mkdir()
        (Path(self.server.data) / "ibdata1").write_bytes(b"x" * 5000)
        self.write_accounting.rows["inserted"] = 2000
        return self

    def open(self) -> None:
        self.server.start(self.wait)

    def wait(self, seconds: float) -> None:
        if self.control.interrupts == "stopped":
            raise StopRequested

    def check_room(self, more: int = 0) -> None:
        if self.free < more:
            raise DiskFullError

    def step(self) -> SnapshotStarter:
        return SnapshotStarter(self, self.facts, self.step_settings, self.open)  # type: ignore[arg-type]

    def run(self) -> dict[str, Any]:
        step = self.step()
        step.is_found()
        step.unsettled = self.unsettled
        return step.run(AT)


def kept(directory: MarkedDirectory) -> list[str]:
    return [each.key for each in Snapshots(directory).list()]


def test_the_first_keeps_and_the_next_is_spared_the_load(directory: MarkedDirectory) -> None:
    first = Session(directory).load()
    ended = first.run()
    (key,) = kept(directory)
    assert (ended["outcome"], ended["reason"]) == ("completed", f"kept as snapshot {key}")
    assert first.server.done == ["dismiss", "stop", "start"]
    assert first.said == ["fresh", f"fresh, kept as snapshot {key}"]
    second = Session(directory)
    step = second.step()
    assert step.is_found()
    assert [index for index in range(6) if step.spares(index)] == [0, 1, 2]
    assert {each["reason"] for each in second.events} == {"from the snapshot of this data"}
    assert step.run(AT)["value"] >= START_S
    assert second.said == [f"snapshot {key}, copied"]
    assert first.data == [{"source": "load"}, {"source": "load", "snapshot": key}]
    assert second.data == [{"source": "snapshot", "snapshot": key, "copy": "copied"}]
    for each in (first, second):  # the words of earlier journals mean the same
        for load, said in zip(each.said, each.data, strict=True):
            assert DataAndStartWords.of({"load": load}) == DataAndStartWords.of({"load": load, **said})
    assert all(is_of_snapshot(each["reason"]) for each in second.events if "reason" in each)
    assert second.write_accounting.rows == {"inserted": 2000, "deleted": 0}


def test_a_person_skips_the_keeping_and_the_data_are_there(directory: MarkedDirectory) -> None:
    session = Session(directory).load()
    session.control.interrupts = "skipped"
    ended = session.run()
    assert (ended["outcome"], ended["reason"]) == ("skipped", "not kept: skipped by a person")
    assert session.server.done[-1] == "start"
    assert kept(directory) == []


def test_a_person_stops_the_keeping_and_no_server_is_started_any_more(directory: MarkedDirectory) -> None:
    session = Session(directory).load()
    session.control.interrupts = "stopped"
    with pytest.raises(StopRequested):
        session.run()
    assert session.server.done[-1] == "stop"
    assert os.listdir(session.server.data) == ["ibdata1"]
    assert kept(directory) == []


def test_what_was_not_settled_or_not_shut_down_cleanly_is_not_kept(directory: MarkedDirectory) -> None:
    unsettled = Session(directory).load()
    unsettled.unsettled = "the cap of 60 s was reached"
    assert unsettled.run()["reason"] == "not kept: the cap of 60 s was reached"
    crashed = Session(directory).load()
    crashed.crashes = 1
    assert crashed.run()["reason"] == "not kept: the server had died"
    killed = Session(directory).load()
    killed.server.is_clean = False
    ended = killed.run()
    assert (ended["outcome"], ended["reason"]) == ("failed", "not kept: the server had to be killed")
    assert kept(directory) == []


def test_no_room_for_a_second_copy(on_disk: Path) -> None:
    directory = directory_in(on_disk)
    session = Session(directory).load()
    session.free = 100
    assert "the disk has no space for a second copy" in session.run()["reason"]
    assert session.server.cached == 0  # as of a copy
    assert kept(directory) == []


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (errno.ENOSPC, "the disk has no space for a second copy of 0 MiB"),
        (errno.EIO, "{}: Input/output error"),
    ],
)
def test_a_disk_that_is_full_or_bad_in_the_middle_ends_the_keeping_and_not_the_session(
    directory: MarkedDirectory, monkeypatch: pytest.MonkeyPatch, number: int, said: str
) -> None:
    def fail(*_: Any) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(copying, "_write", fail)
    session = Session(directory).load()
    ended = session.run()
    said = said.format(session.server.data)
    assert (ended["outcome"], ended["reason"]) == ("completed", f"not kept: {said}")
    assert session.server.done[-1] == "start"
    assert kept(directory) == []


def test_a_person_ends_the_copying(directory: MarkedDirectory) -> None:
    """Stopped, the session ends; skipped, it would have no data."""
    Session(directory).load().run()
    stopped, skipped = Session(directory), Session(directory)
    stopped.control.interrupts = "stopped"
    with pytest.raises(StopRequested):
        stopped.run()
    skipped.control.interrupts = "skipped"
    with pytest.raises(AgentError, match="there is no data"):
        skipped.run()
    assert len(kept(directory)) == 1


@pytest.mark.parametrize(("steps", "shares"), [(("point-query",), True), (("point-query", "insert"), False)])
def test_blocks_are_shared_where_no_step_writes(
    directory: MarkedDirectory, monkeypatch: pytest.MonkeyPatch, steps: tuple[str, ...], shares: bool
) -> None:
    Session(directory, steps).load().run()
    asked = []

    def lay(self: Any, snapshot: Any, data: str, share: bool, look: Any) -> str:
        asked.append(share)
        Session.load(session)
        return "as asked"

    monkeypatch.setattr(from_snapshot.Snapshots, "lay", lay)
    session = Session(directory, steps)
    session.run()
    assert asked == [shares]
