"""Live: watch a session, or look at one that is over.

Only `ui.pages` makes it. Stored seconds and those that arrive are drawn by the same code.
Start with `page`, then `watching` (which session, read from the history and kept up with its follower)
and `charts`. `lines` has what the charts draw; `steering` asks the agent to stop, skip,
note.
"""

from .page import LivePage

__all__ = ["LivePage"]
