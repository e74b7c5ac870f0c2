"""The clock of another machine, by pings: the quickest answer tells the offset, half its way the error."""

from __future__ import annotations

from collections import deque
from typing import Deque, NamedTuple, Optional

KEEP_S = 10.0  # clocks drift apart by up to 0.1 ms in that time


class Offset(NamedTuple):
    """How much the other clock is ahead of ours."""

    seconds: float
    error_s: float  # the most it may be wrong
    rtt_s: float


class RemoteClockOffset:
    """The offset of another machine's clock."""

    def __init__(self) -> None:
        self._seen: Deque[Offset] = deque(maxlen=100)
        self._at: Deque[float] = deque(maxlen=100)

    def add(self, sent: float, theirs: float, received: float) -> None:
        """A ping: when it was sent and answered by our clock, and what theirs said."""
        rtt = max(0.0, received - sent)
        self._seen.append(Offset(theirs - (sent + received) / 2, rtt / 2, rtt))
        self._at.append(received)

    def offset(self) -> Optional[Offset]:
        """By the quickest of the latest pings; None before the first."""
        if not self._at:
            return None
        since = self._at[-1] - KEEP_S
        return min((each for each, at in zip(self._seen, self._at) if at >= since), key=lambda e: e.rtt_s)
