"""The body of the thread that follows one plan: its own connection, its own history, no widget."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from app.following.follower import Follower, FollowerNews
from app.following.load_again import LoadTargetReconnector
from app.following.progress import PlanProgress, stored_plan_progress
from app.history.store.history import History
from app.planner.checks.load_targets import reach_by_target_name
from app.remote.reach import agent_of
from app.remote.target import Ask

if TYPE_CHECKING:
    from app.remote.agent import RemoteAgent

    from .followed_plan import FollowedPlan

GATHER = 1 << 20  # bytes stored at once: a transaction for each part would take half as long again
PART = 300  # events told at once: the window takes them in between two frames
LOOK_S = 0.5  # how often it checks whether the window closes


@dataclass(frozen=True)
class FollowerReport:
    """News from the thread of a follower."""

    plan: str
    progress: PlanProgress | None = None  # as it is stored
    update: FollowerNews | None = None
    error: Exception | None = None  # it is not followed any more


def follow_plan(
    followed: FollowedPlan,
    home: Path,
    ask: Ask,
    tell: Callable[[FollowerReport], None],
    stopping: threading.Event,
) -> None:
    """Report what is stored, then new events, until the plan ends or the window closes."""
    plan, target, directory, sha = followed.id, followed.target, followed.directory, followed.sha

    say = blocking_news_sender(followed, tell, stopping)

    def reach() -> RemoteAgent:
        return agent_of(target, ask, directory, sha)

    def stored(history: History) -> Mapping[str, int]:
        progress, offsets = stored_plan_progress(history, plan, followed.sessions)
        say(FollowerReport(plan, progress=progress))
        return offsets

    again = LoadTargetReconnector(home, followed.sessions, reach, reach_by_target_name(ask))
    try:
        Follower(
            home, plan, followed.sessions, reach,
            again.heard(lambda update: say(FollowerReport(plan, update=update))),
            stopping=stopping, gather=GATHER, stored=stored,
        ).run()  # fmt: skip
    except Exception as error:
        say(FollowerReport(plan, error=error))
    finally:
        again.stop()


def blocking_news_sender(
    followed: FollowedPlan, tell: Callable[[FollowerReport], None], stopping: threading.Event
) -> Callable[[FollowerReport], None]:
    """Reports news and waits until they are handled, so that thread and window do not block each other."""

    def say(news: FollowerReport) -> None:
        for update in parts(news.update) if news.update else (None,):
            say_part(replace(news, update=update))

    def say_part(news: FollowerReport) -> None:
        if stopping.is_set():
            return
        tell(news)
        while not stopping.is_set() and not followed.taken.acquire(timeout=LOOK_S):
            pass

    return say


def parts(update: FollowerNews) -> Iterator[FollowerNews]:
    """News in parts of a few events; the last part says that the plan has ended or is refused."""
    pieces = [
        {session: events[at : at + PART]}
        for session, events in update.events.items()
        for at in range(0, len(events), PART)
    ]
    for piece in pieces[:-1]:
        yield FollowerNews(replace(update.link, state="up"), piece)
    yield replace(update, events=pieces[-1] if pieces else {})
