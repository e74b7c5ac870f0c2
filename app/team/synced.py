"""What an exchange has moved, and the same in words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from app.core.units import count_text

OnProgress = Callable[[str], None]


@dataclass
class TeamSyncResult:
    """What an exchange has moved."""

    fetched_edits: int = 0
    pushed_edits: int = 0
    fetched_sessions: int = 0
    pushed_sessions: int = 0
    waiting: int = 0  # sessions and edits of this computer that a reader cannot give
    is_changed: bool = False  # something in this computer's history
    problems: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """`sent 2 sessions and 5 edits, received 1 session`; for a reader, what stays here."""
        sent = _moved("sent", self.pushed_sessions, self.pushed_edits)
        received = _moved("received", self.fetched_sessions, self.fetched_edits)
        text = ", ".join(filter(None, (sent, received))) or "up to date"
        if self.waiting:
            text += (
                f"; you may only read: {count_text(self.waiting, 'change')} of yours stay on this computer"
            )
        return text


def _moved(verb: str, sessions: int, edits: int) -> str:
    parts = [count_text(n, what) for n, what in ((sessions, "session"), (edits, "edit")) if n]
    return f"{verb} {' and '.join(parts)}" if parts else ""
