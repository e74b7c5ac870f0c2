"""Fetching what a target has of plans that were left to it, as far as they are by now."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable
from contextvars import copy_context
from pathlib import Path

from app.core.errors import LinkError, TargetError
from app.history.recorded.writing import JournalStorer
from app.history.store.history import History
from app.remote.target import Ask, Target

from .adoption import RemotePlan, find_plans, is_fully_fetched
from .follower import Follower, FollowerNews, PlanEventSource
from .left import LeftPlan, LeftPlans

REACH_S = 5.0  # that a target has to answer, besides the time in which a secret is typed
_LOOK_S = 0.05


def fetch_left(
    target: Target, left: list[LeftPlan], ask: Ask, home: Path, reach: Callable[[RemotePlan], PlanEventSource]
) -> None:
    """Fetch what a target has of these plans, which are in one directory; raises DynoError."""
    there = {each.plan: each for each in find_plans_in_time(target, ask)}
    plans = LeftPlans(home)
    for each in left:
        if each.plan in there:
            fetch(there[each.plan], home, reach)
        if is_over(each, there.get(each.plan), home):
            plans.forget(each.plan)


def is_over(left: LeftPlan, found: RemotePlan | None, home: Path) -> bool:
    """Whether nothing more will come of it."""
    if found is None or not found.planned:  # it waits in the queue, was deleted, or has just been started
        return not (found and found.locked) and time.time() > left.begins_by
    return is_fully_fetched(found, home)


def fetch(found: RemotePlan, home: Path, reach: Callable[[RemotePlan], PlanEventSource]) -> None:
    """Store what the target has of a plan by now; raises DynoError if the link breaks."""
    if is_fully_fetched(found, home):
        return
    wanted = {each.session: each.size for each in found.planned}
    stopping, problems = threading.Event(), list[str]()
    with History(home) as history:
        writer = JournalStorer(history)

        def heard(update: FollowerNews) -> None:
            if update.link.state in ("down", "busy"):
                problems.append(update.link.text)
            for session in update.refused:
                wanted.pop(session, None)
            if problems or (found.locked and _is_stored(writer, wanted)):
                stopping.set()

        sessions = [each.session for each in found.sessions]
        Follower(home, found.plan, sessions, lambda: reach(found), heard, stopping=stopping).run()
    if problems:
        raise LinkError(problems[0])


def _is_stored(writer: JournalStorer, sizes: dict[str, int]) -> bool:
    return all(
        writer.offset(session) >= size or writer.is_deleted(session) for session, size in sizes.items()
    )


def find_plans_in_time(target: Target, ask: Ask, limit_s: float = REACH_S) -> list[RemotePlan]:
    """The plans of a target; raises DynoError if it does not answer in this time.

    Secrets are asked for on the calling thread: what hides them as they are typed is undone there.
    """
    search = _Search(target)
    search.start()
    waited_s = 0.0
    while search.is_alive() and waited_s < limit_s:
        search.join(_LOOK_S)
        waited_s += _LOOK_S
        if not search.prompts.empty():
            search.answers.put(ask(search.prompts.get()))
    if search.error:
        raise search.error
    if search.is_alive():
        raise TargetError(f"{target.name} has not answered within {limit_s:.0f} s")
    return search.found


class _Search(threading.Thread):
    """Looks for plans on a thread of its own: a target that is away holds nobody up."""

    def __init__(self, target: Target) -> None:
        super().__init__(name=f"plans of {target.name}", daemon=True)
        self._target = target
        self._context = copy_context()  # whether a password file is withheld
        self.prompts: queue.SimpleQueue[str] = queue.SimpleQueue()
        self.answers: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self.found: list[RemotePlan] = []
        self.error: Exception | None = None

    def run(self) -> None:
        try:
            self.found = self._context.run(lambda: list(find_plans(self._target, self._asked)))
        except Exception as error:  # the thread that waits raises it
            self.error = error

    def _asked(self, prompt: str) -> str | None:
        self.prompts.put(prompt)
        return self.answers.get()
