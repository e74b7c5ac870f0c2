"""A desktop and a target of the bench's own: a DYNO_HOME, and an sshd of loopback before a data directory."""

from __future__ import annotations

import argparse
import os
import queue
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from app.catalog import Catalog
from app.following.follower import Follower, FollowerNews
from app.planner.request.contender import ContenderRequest
from app.planner.request.request import PlanRequest
from app.planner.resolve.resolve import resolve
from app.protocol.events import Event
from app.protocol.plan import Plan
from app.remote.agent import RemoteAgent
from app.remote.reach import agent_of
from tests.integration.sshd import Sshd
from tests.sequences import LOAD, SETTLED, own_sequence

NAME = "bench"  # of the target
PATIENCE_S = 600.0  # for any one event

SEQUENCE = own_sequence("bench", LOAD, SETTLED, rows=50_000, seconds=60)


class Rig:
    """The target is reached as any other: over SSH, by its agent file."""

    def __init__(self, folder: Path, options: argparse.Namespace) -> None:
        self.options = options
        self.home = folder / "home"
        os.environ["DYNO_HOME"] = str(self.home)
        os.environ["DYNO_SSH_CONFIG"] = str(folder / "no-ssh-config")
        os.environ.pop("SSH_AUTH_SOCK", None)
        (self.home / "sequences").mkdir(parents=True)
        self.sshd = Sshd(folder / "sshd")
        self.target = self.sshd.add_target(NAME, str(folder / "dyno"), python=options.python)
        self.agent = self._reach()
        self.directory = self.agent.deploy()
        self.survey = self.agent.survey([options.search_path] if options.search_path else [])
        print(
            f"target: Python {self.survey.python}, sysbench {self.survey.sysbench},"
            f" disk {self.survey.disk.kind} with {self.survey.disk.filesystem}",
            flush=True,
        )

    def _reach(self) -> RemoteAgent:
        return agent_of(self.target, lambda _: None)

    def plan(self, engine: str, steps: str, **request: Any) -> Plan:
        """The sequence above with further steps (TOML), for the first build that has the engine."""
        (self.home / "sequences" / "bench.toml").write_text(SEQUENCE + steps)
        contender = ContenderRequest(self.build_with(engine), engine)
        usual = {"target": NAME, "sequence": "bench", "instruments": self.options.instruments}
        request = {**usual, "contenders": (contender,), **request}
        busy = bool(self.options.allow_busy)
        return resolve(PlanRequest(**request, allow_busy=busy), self.survey, Catalog())

    def build_with(self, engine: str) -> str:
        for build in self.survey.builds:
            if build.has(engine):
                print(f"{engine}: {build.name}", flush=True)
                return build.name
        raise SystemExit(f"no build here has the engine {engine}")

    @contextmanager
    def carried_out(self, plan: Plan) -> Iterator[Followed]:
        """A plan started on the target and followed; it is stopped at the end if it has not ended."""
        started = self.agent.start(self.agent.upload_plan(plan))
        with self.followed(plan) as followed:
            followed.agent = started.pid
            try:
                yield followed
            finally:
                if not followed.is_over:
                    self.agent.stop(plan.id, "plan")
                    followed.to_the_end()

    @contextmanager
    def followed(self, plan: Plan) -> Iterator[Followed]:
        """The real follower, in a thread as always, from when its link is up."""
        followed = Followed()
        sessions = [turn.session for turn in plan.turns]
        follower = Follower(self.home, plan.id, sessions, self._reach, followed.take)
        thread = threading.Thread(target=_run, args=(follower, followed), daemon=True)
        thread.start()
        assert followed.is_up.wait(PATIENCE_S), "the follower reaches the target"
        try:
            yield followed
        finally:
            follower.stop()
            thread.join(10)

    def close(self) -> None:
        self.agent.connection.close()
        self.sshd.stop()


def _run(follower: Follower, followed: Followed) -> None:
    try:
        follower.run()
    finally:
        followed.events.put(None)


class Followed:
    """The events of a plan as the follower stores them."""

    def __init__(self) -> None:
        self.agent = 0  # the process that carries the plan out
        self.all: list[Any] = []
        self.is_over = False
        self.is_up = threading.Event()
        self.events: queue.Queue[Event | None] = queue.Queue()  # None: the follower has ended

    def take(self, update: FollowerNews) -> None:
        for new in update.events.values():
            for event in new:
                self.events.put(event)
        if update.link.state in ("up", "ended"):
            self.is_up.set()

    def wait(self, wanted: Callable[[Any], bool], what: str) -> Any:
        """The next event that is wanted."""
        until = time.monotonic() + PATIENCE_S
        while (event := self._next(until, what)) is not None:
            if wanted(event):
                return event
        reasons = [e.reason for e in self.all if e.kind in ("step_ended", "session_ended") and e.reason]
        raise SystemExit(f"the plan ended before {what}: {'; '.join(reasons) or 'no reason given'}")

    def _next(self, until: float, what: str) -> Any:
        try:
            event = self.events.get(timeout=max(0.0, until - time.monotonic()))
        except queue.Empty:
            raise SystemExit(f"too late: {what}") from None
        if event is None:
            self.is_over = True
        else:
            self.all.append(event)
        return event

    def to_the_end(self, within_s: float = PATIENCE_S) -> Sequence[Any]:
        """All events, once the plan is over."""
        until = time.monotonic() + within_s
        while not self.is_over and self._next(until, "the end of the plan") is not None:
            pass
        return self.all


@contextmanager
def made(options: argparse.Namespace) -> Iterator[Rig]:
    """A rig in a directory that is gone afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="dyno-bench-", dir=options.directory or None))
    rig = Rig(folder, options)
    try:
        yield rig
    finally:
        rig.close()
        shutil.rmtree(folder, ignore_errors=True)
