"""The context that all parts of the window get, in place of globals."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .bus import Bus
    from .channel import Channel
    from .looking import Looking
    from .memory import Memory
    from .plans import Plans
    from .queues import Queues
    from .secrets import Secrets
    from .tasks import Tasks
    from .team import Team
    from .theme import Theme


@dataclass(frozen=True)
class Context:
    home: Path  # DYNO_HOME
    channel: Channel
    tasks: Tasks
    bus: Bus
    plans: Plans
    looking: Looking
    queues: Queues
    theme: Theme
    memory: Memory
    secrets: Secrets
    team: Team
