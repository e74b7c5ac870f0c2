"""One measured process: its CPU, memory, reads and writes, and whether it was stopped."""

from __future__ import annotations

import os
import time
from typing import Dict, List, Optional, Tuple

from app.agent.server.cgroup import cgroup_place_of
from app.agent.system.disk import read_text

from .proc_files import PAGE_KB, TICK_S, Counters, parse_io, parse_process, parse_switches, read_file

_NANO, _MICRO = 1e-9, 1e-6


class ProcessFiles:
    """The open files of one process: they end with it, so another one with its pid is never taken for it."""

    def __init__(self, pid: int, whole: bool) -> None:
        self.pid = pid
        self._clock = (~pid << 3) | 2  # as clock_getcpuclockid(3): all its threads, nanoseconds
        self._statm = os.open("/proc/{}/statm".format(pid), os.O_RDONLY)
        self._leader = os.open("/proc/{0}/task/{0}/stat".format(pid), os.O_RDONLY)
        self._stopped = 0
        self._io = -1
        self._quotas: List[Quota] = quotas_of(pid) if whole else []
        self.problem = ""
        if whole:
            self._open_io()

    def _open_io(self) -> None:
        try:
            self._io = os.open("/proc/{}/io".format(self.pid), os.O_RDONLY)
            os.pread(self._io, 1, 0)
        except OSError as error:
            self.problem = "the server's reads and writes are missing: {}".format(error)
            if self._io >= 0:
                os.close(self._io)
            self._io = -1

    def read(self, name: str, counters: Counters) -> None:
        pages = int(os.pread(self._statm, 128, 0).split()[1])
        counters[name + "_cpu_s"] = time.clock_gettime(self._clock)
        if pages:  # none: it has ended and waits for its parent
            counters[name + "_memory_mb"] = pages * PAGE_KB / 1024.0
        self._stopped += parse_process(os.pread(self._leader, 1024, 0)).state in "Tt"
        counters[name + "_stopped"] = self._stopped
        if self._io >= 0:
            io = parse_io(os.pread(self._io, 512, 0))
            counters[name + "_read_kb"], counters[name + "_write_kb"] = io["read_kb"], io["write_kb"]
        if self._quotas:
            counters[name + "_throttled_s"] = sum(throttled_s(*quota) for quota in self._quotas)

    def close(self) -> None:
        for fd in (self._statm, self._leader, self._io):
            if fd >= 0:
                os.close(fd)


Quota = Tuple[str, str, float]  # a file cpu.stat, the word for the time that was held back, its unit


def quotas_of(pid: int) -> List[Quota]:
    """The groups in which the CPU of a process can be limited, from its own up to the top."""
    place = cgroup_place_of(pid, "cpu")
    word, unit = ("throttled_time", _NANO) if place.is_first else ("throttled_usec", _MICRO)
    folder, files = os.path.normpath(place.root + place.path), []
    while folder.startswith(place.root):
        files.append(os.path.join(folder, "cpu.stat"))
        folder = os.path.dirname(folder)
    return [(each, word, unit) for each in files if word in (read_text(each) or "")]


def throttled_s(path: str, word: str, unit: float) -> float:
    """For how long a CPU quota has held back a group since it was created."""
    lines = dict(line.partition(" ")[::2] for line in (read_text(path) or "").splitlines())
    return int(lines.get(word, "0")) * unit


class ThreadCounters:
    """Counters of the threads of a process; too expensive to read each second."""

    def __init__(self, pid: int) -> None:
        stat = parse_process(read_file("/proc/{}/stat".format(pid)))
        self.user_s, self.system_s = stat.user * TICK_S, stat.system * TICK_S
        self.switches = _switches(pid)

    def switches_since(self, first: ThreadCounters) -> Tuple[int, int]:
        """Voluntary and involuntary switches since then; threads that began since count in full."""
        pairs = [(now, first.switches.get(thread, (0, 0))) for thread, now in self.switches.items()]
        return sum(now[0] - then[0] for now, then in pairs), sum(now[1] - then[1] for now, then in pairs)

    @staticmethod
    def of(pid: Optional[int]) -> Optional[ThreadCounters]:
        """The threads of a process; None if it has ended."""
        try:
            return ThreadCounters(pid) if pid else None
        except (OSError, ValueError, KeyError, IndexError):
            return None


def _switches(pid: int) -> Dict[int, Tuple[int, int]]:
    """Voluntary and involuntary switches by thread, without threads that end meanwhile."""
    found = {}
    for thread in os.listdir("/proc/{}/task".format(pid)):
        try:
            found[int(thread)] = parse_switches(read_file("/proc/{}/task/{}/status".format(pid, thread)))
        except (OSError, KeyError):
            continue
    return found
