"""The CPUs that the threads of a running process may use: set for all of them, and read back."""

from __future__ import annotations

import os
from typing import FrozenSet, Iterable, List

from app.protocol.cpus import as_text, cpu_set_of_text

PASSES = 50  # over the threads of a process, until none is found that was made meanwhile


class AffinityError(Exception):
    """The threads of a process could not be moved, or did not stay; its text says why."""


def set_affinity(pid: int, cores: str) -> None:
    """Move every thread; one that is made meanwhile inherits the CPUs of its maker, moved or not yet."""
    wanted = frozenset(cpu_set_of_text(cores))
    for _ in range(PASSES):
        others = [tid for tid in threads_of(pid) if cpus_of(tid) not in (wanted, frozenset())]
        if not others:
            return
        _move(others, wanted, cores)
    raise AffinityError("the threads of process {} do not stay on CPUs {}".format(pid, cores))


def _move(tids: Iterable[int], wanted: FrozenSet[int], cores: str) -> None:
    for tid in tids:
        try:
            os.sched_setaffinity(tid, wanted)
        except ProcessLookupError:
            continue  # it has ended
        except OSError as error:
            raise AffinityError("CPUs {} are not available: {}".format(cores, error.strerror)) from None


def affinity(pid: int) -> str:
    """The CPUs that its threads may use, as a list; those of several lists where they differ."""
    lists = {as_text(cpus_of(tid)) for tid in threads_of(pid)} - {""}
    return " | ".join(sorted(lists))


def threads_of(pid: int) -> List[int]:
    """The threads of a process; empty if it is gone."""
    try:
        return [int(name) for name in os.listdir("/proc/{}/task".format(pid))]
    except OSError:
        return []


def count_cpus(pid: int = 0) -> int:
    """How many CPUs a process can use, this one by default; of one that is gone, all of the machine."""
    return len(cpus_of(pid)) or os.cpu_count() or 1


def cpus_of(tid: int) -> FrozenSet[int]:
    """The CPUs of a thread; empty if it is gone."""
    try:
        return frozenset(os.sched_getaffinity(tid))
    except OSError:
        return frozenset()
