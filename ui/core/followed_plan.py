"""A followed plan and its latest updates."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # dear to import, and not needed before a plan is followed
    from app.following.follower import FollowerLinkState
    from app.following.progress import PlanProgress
    from app.remote.target import Target


@dataclass
class FollowedPlan:
    """A plan and its state as far as known."""

    id: str
    target: Target
    directory: str
    sha: str  # of the agent file that carries it out
    sessions: tuple[str, ...]
    progress: PlanProgress
    link: FollowerLinkState
    is_over: bool = False
    problem: str = ""  # why it is not followed any more, in one line
    taken: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))  # news, by the window

    @property
    def name(self) -> str:
        return self.progress.plan.name if self.progress.plan else "plan"  # until it is read
