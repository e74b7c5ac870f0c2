"""Counters at one moment, their differences, and the time that other contenders used."""

from __future__ import annotations

from typing import Dict, NamedTuple, Optional

from app.protocol.sysbench import MOST_ROLES

from .proc_files import Counters

# of a step, of each of its roles
LOADS = ("sysbench", *("sysbench{}".format(at) for at in range(2, MOST_ROLES + 1)))
PROCESSES = ("server", *LOADS)
LEVELS = ("server_memory_mb", "available_mb", "dirty_mb", "clock_mhz")  # of the last reading


class Reading(NamedTuple):
    """The counters of one moment; one that could not be read is not among them."""

    at: float  # CLOCK_MONOTONIC
    counters: Counters
    pids: Dict[str, int]  # of the processes that were there


def grown(counter: str, before: Reading, after: Reading) -> float | None:
    """How much a counter grew; None where it is missing or belongs to another process now."""
    first, last = before.counters.get(counter), after.counters.get(counter)
    if first is None or last is None:
        return None
    process = counter.partition("_")[0]
    if process in PROCESSES and before.pids.get(process) != after.pids.get(process):
        return None
    return max(last - first, 0.0)  # the kernel lets iowait go back a little


class OtherTurnsSubtractor:
    """Takes from each reading what the machine did while another contender of the round had it."""

    def __init__(self) -> None:
        self._left: Optional[Reading] = None  # when the machine was given away
        self._absent_s = 0.0
        self._absent: Counters = {}

    def leave(self, now: Reading) -> None:
        self._left = now

    def come_back(self, now: Reading) -> None:
        if self._left is None:
            return
        self._absent_s += now.at - self._left.at
        for counter in self._left.counters:
            if _is_of_machine(counter) and counter in now.counters:
                grew = now.counters[counter] - self._left.counters[counter]
                self._absent[counter] = self._absent.get(counter, 0.0) + grew
        self._left = None

    def of(self, reading: Reading) -> Reading:
        if not self._absent:
            return reading
        own = {name: value - self._absent.get(name, 0.0) for name, value in reading.counters.items()}
        return Reading(reading.at - self._absent_s, own, reading.pids)


def _is_of_machine(counter: str) -> bool:
    """Whether a counter is of the whole machine; those of own processes stop by themselves."""
    return counter not in LEVELS and counter.partition("_")[0] not in PROCESSES
