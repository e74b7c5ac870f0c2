"""The plans that are followed, on any target, by a thread and a connection each."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from app.core.errors import DynoError

from .bus import Bus, PartsToReload, PlanNewEvents
from .followed_plan import FollowedPlan
from .plain import error_with_details

if TYPE_CHECKING:  # dear to import, and not needed before a plan is followed
    from app.following.adoption import RemotePlan
    from app.following.follower import FollowerNews
    from app.history.store.history import History
    from app.remote.agent import RemoteAgent
    from app.remote.target import Ask, Target

    from .channel import GuiThreadCallQueue
    from .following import FollowerReport
    from .secrets import SecretPrompter
    from .tasks import Failed, Tasks

JOIN_S = 5.0
GATHER_MS = 250  # changes of the list within this time count as one: a backlog brings hundreds
AGAIN_MS = 30_000  # until a target that was not reached is tried again


class PlanFollowing(QObject):
    """Follows, steers and finds again the plans of all targets."""

    changed = Signal(str)  # plan id: it is new, has come further, or its link is another
    ended = Signal(str)  # plan id
    found = Signal(str)  # plan id: a target that was asked carries it out
    looked = Signal(object)  # Target that was asked for its plans
    unreached = Signal(object, object)  # Target where sessions may go on, why it is not reached

    def __init__(
        self,
        home: Path,
        channel: GuiThreadCallQueue,
        tasks: Tasks,
        bus: Bus,
        secrets: SecretPrompter,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._home = home
        self._tell = partial(channel.send, self._on_heard)
        self._tasks = tasks
        self._bus = bus
        self._secrets = secrets
        self._plans: dict[str, FollowedPlan] = {}
        self._threads: dict[str, threading.Thread] = {}
        self._stopping = threading.Event()
        self._unreached: dict[str, Target] = {}
        self._told: set[str] = set()  # the targets that were announced already
        self._again = QTimer(self, interval=AGAIN_MS, singleShot=True)
        self._again.timeout.connect(self._on_again)
        self._gathering = QTimer(self, interval=GATHER_MS, singleShot=True)
        self._gathering.timeout.connect(lambda: bus.changed.emit(PartsToReload(sessions=True)))

    # what there is

    def all(self) -> list[FollowedPlan]:
        """All plans, the latest last; those that have ended stay until the window closes."""
        return list(self._plans.values())

    def active(self) -> list[FollowedPlan]:
        return [plan for plan in self._plans.values() if not plan.is_over]

    def is_at_work(self, target: str) -> bool:
        """Whether a plan is followed on this target."""
        return any(plan.target.name == target for plan in self.active())

    def get(self, plan: str) -> FollowedPlan | None:
        return self._plans.get(plan)

    def of_session(self, session: str) -> FollowedPlan | None:
        return next((plan for plan in self._plans.values() if session in plan.sessions), None)

    # following

    def follow(
        self,
        target: Target,
        directory: str,
        plan: str,
        sha: str,
        sessions: Sequence[str],
        ask: Ask | None = None,
    ) -> None:
        """Follow a plan, unless it is followed already."""
        from app.following.follower import FollowerLinkState
        from app.following.progress import PlanProgress

        from .following import follow_plan

        thread = self._threads.get(plan)
        if thread is not None and thread.is_alive():
            return
        followed = FollowedPlan(
            plan, target, directory, sha, tuple(sessions), PlanProgress(), FollowerLinkState()
        )
        self._plans[plan] = followed
        thread = threading.Thread(
            target=follow_plan,
            args=(followed, self._home, ask or self._secrets.ask, self._tell, self._stopping),
            name=f"follow-{plan}",
            daemon=True,
        )
        self._threads[plan] = thread
        thread.start()
        self.changed.emit(plan)

    def retry(self, plan: str) -> None:
        """Follow plans again that could not be followed, now with questions allowed."""
        followed = self._plans[plan]
        self.follow(followed.target, followed.directory, plan, followed.sha, followed.sessions)

    def adopt(self) -> None:
        """Find running and finished plans on all targets, without asking for a secret."""
        from app.targets.store import Targets

        for target in Targets(self._home).all():
            self.adopt_from(target)

    def adopt_from(self, target: Target, ask: Ask | None = None) -> None:
        """Follow the plan that runs on a target, and those that ended while the window was closed."""

        def work() -> list[RemotePlan]:
            from app.following.adoption import find_plans, should_follow_plan

            found = find_plans(target, ask or self._secrets.silent)
            return [each for each in found if should_follow_plan(each, self._home)]

        def failed(error: Exception) -> None:
            self._unreached[target.name] = target
            self._again.start()
            if isinstance(error, DynoError):
                self._tell_unreached(target, error)
            else:
                self._bus.said.emit(error_with_details(error)[0])

        self._tasks.run(self, work, lambda found: self._on_found(target, found), failed)

    def log_in(self, target: Target) -> None:
        """Look for plans on a target again, now with questions allowed."""
        self._told.discard(target.name)
        self.adopt_from(target, self._secrets.ask)

    def close(self) -> None:
        """Stop following; the plans run on at their targets."""
        self._stopping.set()
        deadline = time.monotonic() + JOIN_S
        for thread in self._threads.values():
            thread.join(max(0.0, deadline - time.monotonic()))

    # steering

    def stop(self, plan: str, what: str, owner: QObject, failed: Failed) -> None:
        """Stop the running `session`, after the running `step`, or the whole `plan`."""
        self._steer(plan, lambda agent: agent.stop(plan, what), owner, failed)

    def skip(self, plan: str, owner: QObject, failed: Failed) -> None:
        self._steer(plan, lambda agent: agent.skip(plan), owner, failed)

    def profile(self, plan: str, owner: QObject, failed: Failed) -> None:
        self._steer(plan, lambda agent: agent.profile(plan), owner, failed)

    def note(self, plan: str, text: str, owner: QObject, failed: Failed) -> None:
        self._steer(plan, lambda agent: agent.note(plan, text), owner, failed)

    def _steer(
        self, plan: str, what: Callable[[RemoteAgent], object], owner: QObject, failed: Failed
    ) -> None:
        followed = self._plans[plan]

        def work() -> None:
            from app.remote.reach import reached

            with reached(followed.target, self._secrets.ask, followed.directory, followed.sha) as agent:
                what(agent)

        self._tasks.run(owner, work, lambda _: None, failed)

    # on the GUI thread

    def _on_heard(self, news: FollowerReport) -> None:
        followed = self._plans[news.plan]
        if news.progress is not None:
            followed.progress = news.progress
        if news.update is not None:
            self._take(followed, news.update)
        if news.error is not None:
            followed.problem = error_with_details(news.error)[0]
            followed.is_over = not isinstance(news.error, DynoError)
        self.changed.emit(news.plan)
        followed.taken.release()

    def _take(self, followed: FollowedPlan, update: FollowerNews) -> None:
        followed.link, followed.problem = update.link, "; ".join(update.refused.values())
        followed.progress.take_update(update)
        self._bus.arrived.emit(PlanNewEvents(followed.id, update))
        changes = any(_changes_the_list(events) for events in update.events.values())
        if changes and not self._gathering.isActive():
            self._gathering.start()
        if update.link.state == "ended" and not followed.is_over:
            followed.is_over = True
            self._bus.changed.emit(PartsToReload(sessions=True))
            self.ended.emit(followed.id)

    def _tell_unreached(self, target: Target, error: DynoError) -> None:
        """Report an unreachable target once, if it had sessions without an end."""
        if target.name in self._told:
            return
        self._told.add(target.name)

        def go_on(history: History) -> bool:
            from app.history.lists.sessions import sessions

            return bool(sessions(history, target=target.name, states=("waiting", "active"), limit=1))

        def done(is_known: bool) -> None:
            if is_known:
                self.unreached.emit(target, error)

        self._tasks.read(self, go_on, done, lambda _: None)

    def _on_again(self) -> None:
        """Try unreachable targets again: they, or their passphrases, may be there now."""
        unreached, self._unreached = self._unreached, {}
        for target in unreached.values():
            self.adopt_from(target)

    def _on_found(self, target: Target, found: list[RemotePlan]) -> None:
        for each in found:
            if self._has_ended(each.plan):
                continue
            sessions = [session.session for session in each.sessions]
            self.follow(each.target, each.directory, each.plan, each.sha, sessions, self._secrets.silent)
            if each.locked:
                self.found.emit(each.plan)
        self.looked.emit(target)

    def _has_ended(self, plan: str) -> bool:
        """Whether it was followed to its end; its agent may still run for a moment."""
        followed = self._plans.get(plan)
        return followed is not None and followed.link.state == "ended"


def _changes_the_list(events: Iterable[object]) -> bool:
    """Whether the change shows in a list of sessions."""
    kinds = {"session_planned", "session_started", "step_ended", "session_ended"}
    return any(getattr(event, "kind", "sample") in kinds for event in getattr(events, "lines", events))
