"""The gate where the clients of a load generator wait between slices, blocked in a read from a pipe."""

from __future__ import annotations

import os
import random
import struct
import time
from typing import List

USUAL_S = 0.25  # of a slice: other programs come and go, and are to meet all contenders alike
FAR_S = 1.0  # the same where clients are on other machines: each opening is a round trip
EVENTS = 20  # of usual length that a slice has room for, for each client
VARIED = 0.2  # lengths vary by this share, so as not to beat with periodic work of a server
_LEAVE = 0.0  # a deadline that ends a client


class ClientGate:
    """Lets clients through until a deadline, by tokens."""

    def __init__(self) -> None:
        self.reader, self._writer = os.pipe()

    def open(self, clients: int, seconds: float) -> None:
        """Open the gate for a slice: one token for each client."""
        self._write(clients, time.monotonic() + seconds)

    def begin(self, clients: int, at: float) -> None:
        """Tell the clients the moment of the monotonic clock at which they begin."""
        self._write(clients, at)

    def give(self, clients: int, events: float) -> None:
        """Let each client of a counted step do a number of events."""
        self._write(clients, events)

    def dismiss(self, clients: int) -> None:
        """Let the clients go for good."""
        self._write(clients, _LEAVE)

    def _write(self, clients: int, token: float) -> None:
        os.write(self._writer, struct.pack("<d", token) * clients)

    def close(self) -> None:
        os.close(self.reader)
        os.close(self._writer)


def lengths(seconds: float, usual_s: float, seed: str) -> List[float]:
    """Random lengths of slices, about `usual_s` each, with this sum; the same for the same seed."""
    chance = random.Random(seed)
    count = max(1, round(seconds / usual_s))
    parts = [chance.uniform(1 - VARIED, 1 + VARIED) for _ in range(count)]
    return [seconds * part / sum(parts) for part in parts]


def slice_length(mean_ms: float) -> float:
    """The length of a slice that is long compared with the last events, which the clients end one by one.

    By their mean: the slowest wait for a CPU where other programs are at work, and slices are short for that.
    """
    return max(USUAL_S, EVENTS * mean_ms / 1000)
