"""Threads of a server that are looked at together, and the pace of looking at them."""

from __future__ import annotations

import random
import time
from typing import Dict, Mapping

from .thread_files import ThreadFiles, ThreadStateSource
from .thread_shares import ThreadKindTally

MOST = 32  # threads of a group that are looked at in one second
SHARE = 0.0008  # of a core, for what is counted here; the rest of the agent has about as much more to do
SHORTEST_S, LONGEST_S = 0.1, 1.0  # between two looks
WAKE_S = 3e-5  # CPU of the system to wake the agent up for a look
_KEPT = 0.8  # of a mean cost, when a new one comes

Tallies = Mapping[str, ThreadKindTally]  # by kind


class SampledThreads:
    """All of these threads; if they are many, some that are drawn anew each second. Their files stay open."""

    def __init__(self, folder: str, way: ThreadStateSource) -> None:
        self._folder = folder
        self._way = way
        self.kinds: Dict[int, str] = {}  # by thread id
        self._open: Dict[int, ThreadFiles] = {}

    def begin(self) -> None:
        """A second begins."""
        drawn = set(self.kinds)
        if len(drawn) > MOST:
            drawn = set(random.sample(sorted(drawn), MOST))
        for tid in [tid for tid in self._open if tid not in drawn]:
            self._open.pop(tid).close()
        for tid in drawn:
            self._begin(tid)

    def _begin(self, tid: int) -> None:
        try:
            if tid in self._open:
                self._open[tid].begin()
            else:
                self._open[tid] = ThreadFiles(self._folder, tid, self._way)
        except OSError:
            self._forget(tid)

    def look(self, tallies: Tallies) -> Dict[int, str]:
        """Count the state of each thread; returns them by thread id."""
        found = {}
        for tid, files in list(self._open.items()):
            try:
                found[tid] = files.state()
            except OSError:
                self._forget(tid)
            else:
                tallies[self.kinds[tid]].samples[found[tid]] += 1
        return found

    def end(self, tallies: Tallies, dt: float) -> None:
        """A second of `dt` seconds is over."""
        for tid, files in list(self._open.items()):
            try:
                running, runnable = files.since_begin()
            except OSError:
                self._forget(tid)
                continue
            tallies[self.kinds[tid]].take(dt, running, runnable)

    def _forget(self, tid: int) -> None:
        """The thread has ended."""
        self.kinds.pop(tid, None)
        files = self._open.pop(tid, None)
        if files is not None:
            files.close()

    def close(self) -> None:
        self.kinds = {}
        self.begin()


class ThreadLookInterval:
    """How often threads are looked at, by what it costs this thread of the agent."""

    def __init__(self) -> None:
        self.spent_s = 0.0  # CPU, in all
        self._look_s = WAKE_S
        self._second_s = 0.0  # a second, for what is done once a second
        self._began = 0.0

    def begin(self) -> None:
        self._began = time.thread_time()

    def end_look(self) -> None:
        self._look_s = _KEPT * self._look_s + (1 - _KEPT) * (self._cost() + WAKE_S)

    def end_second(self, dt: float) -> None:
        self._second_s = _KEPT * self._second_s + (1 - _KEPT) * self._cost() / max(dt, 0.1)

    def end_listing(self) -> float:
        """The seconds that have to pass until the next one."""
        return self._cost() / SHARE

    def _cost(self) -> float:
        cost = time.thread_time() - self._began
        self.spent_s += cost
        return cost

    @property
    def usual_s(self) -> float:
        """Seconds between two looks."""
        left = max(SHARE - self._second_s, SHARE / 4)
        return min(max(self._look_s / left, SHORTEST_S), LONGEST_S)

    def pause_s(self) -> float:
        """Until the next look; at random, so that nothing periodic keeps pace with it."""
        return self.usual_s * random.uniform(0.5, 1.5)
