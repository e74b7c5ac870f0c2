"""A plan seen from a terminal: the step at hand, its QPS, the time left; detaching with Ctrl+C."""

from __future__ import annotations

import queue
import sys
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from ..follower import Follower, Link, Update
from ..history.decoding import Events, decode_lines
from ..history.journals import whole_lines
from ..protocol.events import (
    Log,
    Mark,
    Progress,
    ProtocolError,
    Sample,
    SeriesDeclared,
    SessionEnded,
    SessionPlanned,
    StepEnded,
    StepStarted,
)
from ..protocol.plan import Plan, Step
from .screen import seconds_text

LOAD_GUESS_S = 10  # of a step without seconds, until another session has shown how long it takes


class Watch:
    """What is known of a plan from the events that have come, and the line that says it."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self.plan: Plan | None = None  # it comes with the first event of a journal
        self._say = say
        self._qps: dict[str, int] = {}  # where load.queries stands among the values
        self._lasted: dict[int, float] = {}  # of steps without declared seconds, as seen in earlier sessions
        self._began: dict[str, float] = {}
        self._gone: dict[str, int] = {}  # steps begun of each session
        self._failed: dict[str, int] = {}
        self._is_down = False
        self.ended: set[str] = set()
        self.line = "connecting"

    def replay(self, home: Path, sessions: Iterable[str]) -> None:
        """Take in, without a word, what of these journals has been fetched before."""
        say, self._say = self._say, lambda _: None
        for session in sessions:
            path = home / "journals" / f"{session}.jsonl"
            if path.exists():
                with suppress(ProtocolError):
                    for event in Events(decode_lines(whole_lines(path.read_bytes()))):
                        self._take_event(session, event)
        self._say = say

    def take(self, update: Update) -> None:
        self._take_link(update.link)
        for session, text in update.refused.items():
            self._say(f"session {session}: {text}")
        for session, events in update.events.items():
            for event in events:
                self._take_event(session, event)

    def _take_link(self, link: Link) -> None:
        if link.state == "down" and not self._is_down:
            self._is_down = True
            self._say(f"link lost: {link.text}; the plan goes on there, trying again")
        elif link.state in ("up", "ended") and self._is_down:
            self._is_down = False
            self._say("link is back")

    def _take_event(self, session: str, event: Any) -> None:
        match event:
            case SessionPlanned():
                self.plan = Plan.from_json(event.plan)
            case SeriesDeclared():
                names = [each.get("name") for each in event.series]
                self._qps[session] = names.index("load.queries") if "load.queries" in names else -1
            case StepStarted():
                self._gone[session] = event.step
                self._began[session] = event.t
                self.line = self._head(session, event.step)
            case Sample():
                self._take_sample(session, event)
            case Progress():
                self._take_progress(session, event)
            case StepEnded():
                self._lasted[event.step] = event.t - self._began.get(session, event.t)
                self._gone[session] = event.step + 1
                self._failed[session] = self._failed.get(session, 0) + (event.outcome == "failed")
                self._say(self._result(session, event))
            case Mark(name="crash"):
                self._say(f"{self._name(session)}: {event.text}")
            case Log(level="error", source="sysbench" | "agent"):
                self._say(f"{self._name(session)}: {event.source}: {event.text}")
            case SessionEnded():
                self.ended.add(session)
                self._say(self._end(session, event))

    def _take_sample(self, session: str, sample: Sample) -> None:
        at = self._qps.get(session, -1)
        qps = sample.values[at] if 0 <= at < len(sample.values) else None
        step = self._step(sample.step)
        warm = sample.s < 0
        second = f"warm-up second {sample.s + step.warmup + 1}" if warm else f"second {sample.s + 1}"
        bound = f" of {step.warmup if warm else step.seconds}" if warm or step.seconds else ""
        rate = f", {qps:,.0f} queries/s" if isinstance(qps, int | float) else ""
        self.line = (
            f"{self._head(session, sample.step)}: {second}{bound}{rate}{self._left(session, sample.t)}"
        )

    def _take_progress(self, session: str, progress: Progress) -> None:
        share = f"{progress.done:,.0f} of {progress.total:,.0f} {progress.unit}"
        self.line = f"{self._head(session, progress.step)}: {share}"

    def _result(self, session: str, ended: StepEnded) -> str:
        step = self._step(ended.step)
        text = f"{self._name(session)}: {step.label}"
        if ended.outcome != "completed":
            return f"{text} {ended.outcome}: {ended.reason}"
        value = "no figure" if ended.value is None else f"{ended.value:,.1f} {step.unit}"
        marks = f" ({', '.join(ended.marks)})" if ended.marks else ""
        return f"{text} {value}{marks}"

    def _end(self, session: str, ended: SessionEnded) -> str:
        failed = self._failed.get(session, 0)
        parts = [ended.reason, f"{failed} steps failed" if failed else ""]
        return ": ".join([f"{self._name(session)}: {ended.outcome}", *filter(None, parts)])

    def _head(self, session: str, step: int) -> str:
        if self.plan is None:
            return session
        turn = self.plan.turn_of(session)
        place = f"{turn.ordinal}/{len(self.plan.turns)}"
        return f"{place} {turn.name}  {step + 1}/{len(self.plan.steps)} {self._step(step).label}"

    def _left(self, session: str, t: float) -> str:
        """Declared seconds to come; of steps without, what they took before, or a guess."""
        if self.plan is None:
            return ""
        at = self._gone.get(session, 0)
        here = self._lasting(at, self._step(at)) - (t - self._began.get(session, t))
        rest = sum(self._lasting(index, step) for index, step in enumerate(self.plan.steps) if index > at)
        others = len(self.plan.turns) - len(self.ended) - 1
        whole = (
            sum(self._lasting(index, step) for index, step in enumerate(self.plan.steps)) + self.plan.pause
        )
        return f", about {seconds_text(max(0.0, here) + rest + others * whole)} left"

    def _lasting(self, index: int, step: Step) -> float:
        declared = step.seconds + step.warmup if step.seconds else 0
        return declared or self._lasted.get(index, LOAD_GUESS_S)

    def _step(self, index: int) -> Step:
        steps = self.plan.steps if self.plan else []
        return steps[index] if 0 <= index < len(steps) else Step("?", "drive")

    def _name(self, session: str) -> str:
        return self.plan.turn_of(session).name if self.plan else session


def follow(make: Callable[[Callable[[Update], None]], Follower], watch: Watch) -> bool:
    """Follow in a thread of its own and show it here; False where the person detached with Ctrl+C."""
    updates: queue.Queue[Update | Exception | None] = queue.Queue()
    follower = make(updates.put)
    thread = threading.Thread(target=_run, args=(follower, updates), name="follower", daemon=True)
    thread.start()
    try:
        _show(updates, watch)
    except KeyboardInterrupt:
        return False
    finally:
        follower.stop()
        thread.join(5)
    return True


def _run(follower: Follower, updates: queue.Queue[Update | Exception | None]) -> None:
    try:
        follower.run()
        updates.put(None)
    except Exception as error:
        updates.put(error)


def _show(updates: queue.Queue[Update | Exception | None], watch: Watch) -> None:
    """On a terminal one line that changes below those that stay; else only those."""
    from rich.console import Console
    from rich.status import Status

    console = Console(stderr=False, highlight=False)
    status = Status(watch.line, console=console, refresh_per_second=2) if console.is_terminal else None
    if status:
        status.start()
    try:
        while (update := updates.get()) is not None:
            if isinstance(update, Exception):
                raise update
            watch.take(update)
            if status:
                status.update(watch.line)
    finally:
        if status:
            status.stop()
        sys.stdout.flush()
