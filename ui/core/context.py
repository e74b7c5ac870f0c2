"""The context that all parts of the window get, in place of globals."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .bus import Bus
    from .channel import GuiThreadCallQueue
    from .looking import RunningPlanFinder
    from .memory import WindowStateFile
    from .plans import PlanFollowing
    from .queues import Queues
    from .secrets import SecretPrompter
    from .tasks import Tasks
    from .team import TeamExchange
    from .theme import Theme


@dataclass(frozen=True)
class WindowContext:
    home: Path  # DYNO_HOME
    channel: GuiThreadCallQueue
    tasks: Tasks
    bus: Bus
    plans: PlanFollowing
    looking: RunningPlanFinder
    queues: Queues
    theme: Theme
    memory: WindowStateFile
    secrets: SecretPrompter
    team: TeamExchange
