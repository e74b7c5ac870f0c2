"""The body of the thread that follows one plan: its own connection, its own history, no widget."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from app.following.follower import Follower, Update
from app.following.progress import PlanProgress
from app.history import journals
from app.history.decoding import decode_lines
from app.history.history import History
from app.history.writing import Writer
from app.protocol.events import ProtocolError
from app.remote.reach import agent_of
from app.remote.target import Ask

if TYPE_CHECKING:
    from app.remote.agent import Agent

    from .followed_plan import FollowedPlan

CHUNK = 4 << 20  # bytes of a kept journal that are read at once
GATHER = 1 << 17  # bytes told at once: the window takes them in between two frames
LOOK_S = 0.5  # at whether the window closes, while it takes in what was told


@dataclass(frozen=True)
class News:
    """What the thread of a follower has to tell."""

    plan: str
    progress: PlanProgress | None = None  # what the kept journals told
    update: Update | None = None
    error: Exception | None = None  # it is not followed any more


def follow_plan(
    followed: FollowedPlan, home: Path, ask: Ask, tell: Callable[[News], None], stopping: threading.Event
) -> None:
    """Tell what is kept, then what comes, until the plan ends or the window closes."""
    plan, target, directory, sha = followed.id, followed.target, followed.directory, followed.sha

    say = teller(followed, tell, stopping)

    def reach() -> Agent:
        return agent_of(target, ask, directory, sha)

    try:
        told, progress = _replayed(home, followed.sessions)
        say(News(plan, progress=progress))
        Follower(
            home, plan, followed.sessions, reach, lambda update: say(News(plan, update=update)),
            stopping=stopping, gather=GATHER, told=told,
        ).run()  # fmt: skip
    except Exception as error:
        say(News(plan, error=error))


def teller(
    followed: FollowedPlan, tell: Callable[[News], None], stopping: threading.Event
) -> Callable[[News], None]:
    """Tells, and waits until it has been taken in: else thread and window would keep each other waiting."""

    def say(news: News) -> None:
        if stopping.is_set():
            return
        with suppress(RuntimeError):  # the window has gone meanwhile
            tell(news)
        while not stopping.is_set() and not followed.taken.acquire(timeout=LOOK_S):
            pass

    return say


def _replayed(home: Path, sessions: Sequence[str]) -> tuple[dict[str, int], PlanProgress]:
    """What the kept journals tell of a plan, and how far they were stored before."""
    progress = PlanProgress()
    with History(home) as history:
        folder, told = history.journals, Writer(history).offsets(sessions)
    for session in sessions:
        with suppress(ProtocolError):
            for raw in journals.chunks(journals.path_of(folder, session), CHUNK):
                progress.take_all(session, decode_lines(raw))
    return told, progress
