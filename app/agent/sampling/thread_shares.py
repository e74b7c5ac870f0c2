"""Shares of threads' time by state: from counters of the scheduler and from samples, with their errors."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import Dict, Mapping, Optional

from app.protocol.thread_states import (
    COMMIT,
    LOCK,
    ON_CPU,
    RUNNABLE,
    RUNNING,
    STATES,
    UNKNOWN,
    ThreadKindShares,
    ThreadTimeShare,
)

Shares = Dict[str, float]  # by state, of 1
NORMAL_95 = 1.96
NEVER_SEEN = 3.0  # if none of n samples was in a state, its share is below 3/n with 95 % certainty


class ThreadKindTally:
    """What threads of one kind did in some time."""

    def __init__(self) -> None:
        self.time_s = 0.0  # of all threads together
        self.running_s = self.runnable_s = 0.0
        self.samples: Dict[str, int] = defaultdict(int)
        self.asked = self.commits = 0  # waits for a lock that the server was asked about; for a group commit

    def take(self, time_s: float, running_s: float, runnable_s: float) -> None:
        """Add the time of one thread."""
        self.time_s += time_s
        self.running_s += running_s
        self.runnable_s += runnable_s

    def add(self, other: ThreadKindTally) -> None:
        self.take(other.time_s, other.running_s, other.runnable_s)
        for state, n in other.samples.items():
            self.samples[state] += n
        self.asked += other.asked
        self.commits += other.commits

    def shares(self, usual: Optional[ThreadKindTally] = None) -> Optional[Shares]:
        """By state; `usual` has samples for a time in which no waiting thread was seen; None without time.

        A thread that runs or wants to run is counted by the scheduler: samples only divide the rest.
        """
        if self.time_s <= 0:
            return None
        waits = self._divided_waits(usual or self)
        running = min(self.running_s / self.time_s, 1.0)
        runnable = min(self.runnable_s / self.time_s, 1.0 - running)
        rest = 1.0 - running - runnable
        if not waits:  # a wait for a CPU is only counted once it is over
            waits = {RUNNABLE if self.samples else UNKNOWN: 1.0}
        seen = sum(waits.values())
        found = {state: rest * waits.get(state, 0) / seen for state in STATES}
        return {**found, RUNNING: running, RUNNABLE: runnable + found[RUNNABLE]}

    def _divided_waits(self, usual: ThreadKindTally) -> Dict[str, float]:
        """Samples of waiting threads by state; of waits for a lock, the server knows which are commits."""
        waits = _waits(self.samples) or _waits(usual.samples)
        asked = self if self.asked else usual
        if LOCK in waits and asked.commits:
            waits[COMMIT] = waits[LOCK] * asked.commits / asked.asked
            waits[LOCK] -= waits[COMMIT]
        return waits


def _waits(samples: Mapping[str, int]) -> Dict[str, float]:
    return {state: n for state, n in samples.items() if state not in ON_CPU and n}


class StepThreadShares:
    """The same over a step, second by second."""

    def __init__(self) -> None:
        self.whole = ThreadKindTally()
        self._seconds = 0
        self._clock_s = 0.0
        self._threads_s = 0.0
        self._sums: Dict[str, float] = defaultdict(float)  # of the shares of the seconds
        self._squares: Dict[str, float] = defaultdict(float)

    def take(self, second: ThreadKindTally, threads: int, dt: float) -> Optional[Shares]:
        """Add a second and its number of threads; returns its shares."""
        self.whole.add(second)
        found = second.shares(self.whole)
        if found is None:
            return None
        self._seconds += 1
        self._clock_s += dt
        self._threads_s += threads * dt
        for state, share in found.items():
            self._sums[state] += share
            self._squares[state] += share * share
        return found

    def kind(self) -> Optional[ThreadKindShares]:
        """What a journal has of it; None if no time was seen."""
        shares = self.whole.shares()
        if shares is None:
            return None
        samples = sum(self.whole.samples.values())
        there = {
            state: ThreadTimeShare(round(100 * share, 2), self._error_pct(state, samples))
            for state, share in shares.items()
            if share > 0
        }
        threads = round(self._threads_s / self._clock_s, 2) if self._clock_s else 0.0
        return ThreadKindShares(threads, samples, self._seconds, there)

    def _error_pct(self, state: str, samples: int) -> Optional[float]:
        """Half of the 95 % interval of the mean over the seconds; at least what the samples allow."""
        n = self._seconds
        if n < 2:
            return None
        mean = self._sums[state] / n
        variance = max(0.0, self._squares[state] / n - mean * mean) * n / (n - 1)
        least = 0.0 if state in ON_CPU else NEVER_SEEN / max(samples, 1)
        return round(100 * max(NORMAL_95 * math.sqrt(variance / n), min(least, 1.0)), 2)
