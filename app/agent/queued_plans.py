"""The plans that wait for their turn.

queue/queue.json       which, in their order, and who is held; written as a whole, by one process at a time
queue/<sha256>.json    the bytes of each, by their name
queue/lock             held while the queue is changed
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import time
from dataclasses import replace
from typing import Callable, Dict, Iterator, List

from app.protocol.answers import (
    ADD,
    CONTINUE,
    HOLD,
    MOVE,
    REMOVE,
    OtherActiveAgent,
    Queue,
    QueueChange,
    QueuedPlan,
    to_json,
)
from app.protocol.reading import read

from .incoming import UploadedPlans
from .plans import has_completed
from .system.control import ON_REQUEST
from .system.directory import MarkedDirectory, open_lock, write_file
from .system.errors import AgentError
from .system.other_agents import agents_elsewhere

MOST = 100  # plans that wait
LONGEST = 1 << 20  # bytes of queue.json
LATEST_S = 366 * 24 * 3600.0


class QueuedPlans:
    """The queue of one directory of Dyno."""

    def __init__(self, directory: MarkedDirectory) -> None:
        self._directory = directory
        self._incoming = UploadedPlans(directory, "queue")

    def _at(self, name: str) -> str:
        return self._directory.at("queue", name)

    def read(self) -> Queue:
        """The queue without plans that have begun: a killed process may have left them in it."""
        try:
            with open(self._at("queue.json"), "rb") as file:
                queue = read(Queue, json.loads(file.read(LONGEST)))
        except FileNotFoundError:
            return Queue([])
        except (OSError, ValueError, RecursionError) as error:
            text = "cannot read {} ({}): delete the file, then queue its plans again"
            raise AgentError(text.format(self._at("queue.json"), error)) from None
        waiting = [each for each in queue.plans if not self._has_begun(each)]
        return Queue(waiting, queue.held if waiting else "")

    def answer(self) -> Queue:
        """The entry as the desktop gets it."""
        queue, now = self.read(), time.time()
        at_work = self._directory.held_by()
        waits_for = "" if at_work else self._waits_for(queue.next_plan(now))
        return replace(queue, at_work=at_work, now=now, waits_for=waits_for)

    def _waits_for(self, entry: QueuedPlan | None) -> str:
        """The plan in another directory that this one waits for; '' if it can begin."""
        with contextlib.suppress(AgentError):  # a plan that was damaged is held when it would begin
            for other in self.others_before(entry) if entry else ():
                return "{} {}".format(other.which, other.where)
        return ""

    def others_before(self, entry: QueuedPlan) -> List[OtherActiveAgent]:
        """The plans in other directories that this one waits for."""
        others = agents_elsewhere(self._directory)
        return [] if others and self._incoming.read(entry.sha256).allow_busy else others

    def change(self, how: Callable[[Queue], Queue]) -> None:
        """Read, change and write it while nobody else does."""
        with self._alone():
            queue = how(self.read())
            self._clean(queue)
            write_file(self._at("queue.json"), json.dumps(to_json(queue)))

    def carry_out(self, asked: QueueChange, agent: str) -> None:
        """Make the change that a person requests; `agent` is the agent file that brought it."""
        change = _CHANGES.get(asked.do)
        if asked.do == ADD:
            self._add(asked, agent)
        elif change is not None:
            self.change(lambda queue: change(queue, asked))
        elif asked.do:
            raise AgentError("a queue cannot do {!r}".format(asked.do[:80]))

    def send(self, entry: QueuedPlan) -> None:
        """Copy a plan to where check and start look for it."""
        UploadedPlans(self._directory).receive(entry.sha256, self._incoming.content(entry.sha256))

    def hold_after(self, plan: str, name: str, was_stopped: bool) -> None:
        """Hold the queue after a plan that was stopped, or in which no session completed."""
        sessions = [turn["session"] for turn in self._directory.read_plan(plan).get("turns", [])]
        why = "plan {} was stopped".format(name) if was_stopped else ""
        if not why and not any(has_completed(self._directory.journal(each)) for each in sessions):
            why = "no session of plan {} completed".format(name)
        if why and self.read().plans:
            self.change(lambda queue: replace(queue, held=queue.held or why))

    def _add(self, asked: QueueChange, agent: str) -> None:
        arrived = UploadedPlans(self._directory)
        content = arrived.content(asked.plan)
        plan = arrived.read(asked.plan)
        entry = QueuedPlan(plan.id, plan.name[:1000], asked.plan, agent, len(plan.first_turns), _begin(asked))

        def add(queue: Queue) -> Queue:
            if plan.id in [each.plan for each in queue.plans] or self._has_begun(entry):
                raise AgentError("plan {} is on this target already".format(plan.name))
            if len(queue.plans) >= MOST:
                raise AgentError("{} plans are queued already: remove one".format(MOST))
            self._incoming.receive(asked.plan, content)
            return replace(queue, plans=[*queue.plans, entry])

        self.change(add)
        arrived.discard(asked.plan)

    def _has_begun(self, entry: QueuedPlan) -> bool:
        return os.path.exists(self._directory.plan(entry.plan))

    def _clean(self, queue: Queue) -> None:
        """Delete the files of plans that have begun, and those of killed writers."""
        stay = {
            "lock",
            "waiting",
            "begin.log",
            "queue.json",
            *(each.sha256 + ".json" for each in queue.plans),
        }
        for name in set(os.listdir(self._at(""))) - stay:
            self._directory.discard(self._at(name))

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        lock = open_lock(self._at("lock"))
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
        except OSError as error:
            text = "cannot change the queue in {}: {}: free some space there"
            raise AgentError(text.format(self._directory.path, error.strerror)) from None
        finally:
            os.close(lock)


def held(queue: Queue, plan: str, why: str) -> Queue:
    """The queue with one plan held for this reason, or released if `why` is empty."""
    found = [replace(each, held=why) if each.plan == plan else each for each in queue.plans]
    return replace(queue, plans=found)


def without(queue: Queue, plan: str) -> Queue:
    return replace(queue, plans=[each for each in queue.plans if each.plan != plan])


def _begin(asked: QueueChange) -> float | None:
    if asked.in_s is None:
        return None
    if not 0 <= asked.in_s <= LATEST_S:
        raise AgentError("a plan can wait for at most a year")
    return time.time() + asked.in_s


def _entry(queue: Queue, asked: QueueChange) -> QueuedPlan:
    for each in queue.plans:
        if each.plan == asked.plan:
            return each
    raise AgentError("plan {} is no longer in the queue".format(asked.plan))


def _move(queue: Queue, asked: QueueChange) -> Queue:
    entry = _entry(queue, asked)
    plans: List[QueuedPlan] = without(queue, entry.plan).plans
    plans.insert(max(0, asked.place - 1), entry)
    return replace(queue, plans=plans)


def _held(queue: Queue, asked: QueueChange, why: str) -> Queue:
    if asked.plan:
        return held(queue, _entry(queue, asked).plan, why)
    if not queue.plans:
        raise AgentError("the queue is empty")
    return replace(queue, held=why)


_CHANGES: Dict[str, Callable[[Queue, QueueChange], Queue]] = {
    MOVE: _move,
    HOLD: lambda queue, asked: _held(queue, asked, ON_REQUEST),
    CONTINUE: lambda queue, asked: _held(queue, asked, ""),
    REMOVE: lambda queue, asked: without(queue, _entry(queue, asked).plan),
}
