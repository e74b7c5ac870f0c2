"""Plans that are followed without a target: what they bring is stored and told as a follower would."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QObject

from app.following.follower import FollowerLinkState, FollowerNews
from app.following.progress import PlanProgress
from app.history.recorded.writing import JournalStorer
from app.history.store.history import History
from app.protocol.events import encode
from app.protocol.plan import Plan
from app.targets.store import Targets
from tests.journals import Maker
from ui.core.bus import PartsToReload, PlanNewEvents
from ui.core.context import WindowContext
from ui.core.followed_plan import FollowedPlan
from ui.core.plans import PlanFollowing
from ui.core.tasks import Failed


class WatchedPlans(PlanFollowing):
    """Remembers what was asked for."""

    def __init__(self, context: WindowContext) -> None:
        super().__init__(context.home, context.channel, context.tasks, context.bus, context.secrets)
        self.context = context
        self.asked: list[tuple[str, ...]] = []
        self._sent: dict[str, int] = {}

    def watch(self, plan: Plan, target: str = "local") -> FollowedPlan:
        """Follow a plan; its journals come by `bring`."""
        found = replace(Targets(self.context.home).get("local"), name=target)
        sessions = tuple(turn.session for turn in plan.turns)
        followed = FollowedPlan(
            plan.id, found, "/dyno", "a" * 64, sessions, PlanProgress(), FollowerLinkState()
        )
        self._plans[plan.id] = followed
        self.changed.emit(plan.id)
        return followed

    def bring(self, maker: Maker, link: str = "up") -> None:
        """What the journal has more than it had the last time."""
        sent = self._sent.get(maker.session, 0)
        new = maker.events[sent:]
        offset = sum(len(encode(event)) for event in maker.events[:sent])
        self._sent[maker.session] = len(maker.events)
        with History(self.context.home) as history:
            raw = b"".join(encode(event) for event in new)
            events = JournalStorer(history).append(maker.plan.id, maker.session, offset, raw)
        update = FollowerNews(FollowerLinkState(link), {maker.session: events})
        followed = self._plans[maker.plan.id]
        followed.link = update.link
        followed.progress.take_update(update)
        followed.is_over = link == "ended"
        self.context.bus.arrived.emit(PlanNewEvents(maker.plan.id, update))
        if any(event.kind.startswith(("session", "step")) for event in new):
            self.context.bus.changed.emit(PartsToReload(sessions=True))
        self.changed.emit(maker.plan.id)

    def retry(self, plan: str) -> None:
        self.asked.append(("retry", plan))

    def stop(self, plan: str, what: str, owner: QObject, failed: Failed) -> None:
        self.asked.append(("stop", plan, what))

    def profile(self, plan: str, owner: QObject, failed: Failed) -> None:
        self.asked.append(("profile", plan))

    def skip(self, plan: str, owner: QObject, failed: Failed) -> None:
        self.asked.append(("skip", plan))

    def note(self, plan: str, text: str, owner: QObject, failed: Failed) -> None:
        self.asked.append(("note", plan, text))


def watched(context: WindowContext) -> tuple[WindowContext, WatchedPlans]:
    """The same context, with such plans."""
    plans = WatchedPlans(context)
    return replace(context, plans=plans), plans


def keep(context: WindowContext, makers: Sequence[Maker]) -> None:
    """Sessions that are over, in the history."""
    with History(context.home) as history:
        for maker in makers:
            JournalStorer(history).append(maker.plan.id, maker.session, 0, maker.raw)
