"""Other users of the machine: kernel threads each second, all other processes by name on request."""

from __future__ import annotations

import os
import time
from typing import Any, Callable, Collection, Dict, List, NamedTuple, Optional, Set, Tuple

from app.agent.system.own_process import CODE
from app.protocol.others import ProcessesOfName

from .proc_files import TICK_S, Counters, ProcessStat, parse_io, parse_process, read_file

NEW = 64  # processes looked at in one reading: where thousands begin each second, the next readings go on
LONGEST_WAIT = 16  # readings, until a thread of the kernel that does nothing is looked at again
NAMED = 3
COST = 200  # looks at all processes take at most 1/200 of the time


class _Thread:
    """A kernel thread, or a process of Dyno; one that rests is read less often."""

    def __init__(self, ticks: int) -> None:
        self.ticks = ticks
        self.wait = self.due = 1

    def has_used(self, ticks: int, reading: int) -> int:
        grown = max(0, ticks - self.ticks)
        self.ticks = ticks
        self.wait = 1 if grown else min(self.wait * 2, LONGEST_WAIT)
        self.due = reading + self.wait
        return grown


class ProcessSeen(NamedTuple):
    """A process at one moment."""

    stat: ProcessStat
    read_kb: Optional[float]  # None: only its user may read it
    write_kb: Optional[float]


class OtherProcesses:
    """Counts the kernel's threads and Dyno's other processes, and names those that are neither."""

    def __init__(self, own_word: bytes) -> None:
        # in the command lines of every agent of this version, and of its own processes, such as the relay
        self._own_words = (own_word, CODE.encode())
        self.without: Callable[[], Set[int]] = set  # processes of the plan: they are measured themselves
        self._newest = b""  # process or thread of the machine, when /proc was listed last
        self._known: Set[int] = set()
        self._left = False  # whether some were more than one reading looks at
        self._counted: Dict[int, _Thread] = {}  # the kernel's threads, and Dyno's other processes
        self._kernel: Set[int] = set()
        self._ticks = {"kernel": 0, "dyno": 0}
        self._readings = 0
        self._first: Dict[int, ProcessSeen] = {}
        self._last: Dict[int, ProcessSeen] = {}
        self._from = self._to = self._next_look = 0.0

    def read(self, counters: Counters, whole: bool = False) -> None:
        """CPU seconds; whole: including threads that rest."""
        self._readings += 1
        newest = _newest()
        if whole or self._left or newest != self._newest or not newest:
            self._newest = newest
            self._meet_new({int(name) for name in os.listdir("/proc") if name.isdigit()})
        for pid, thread in self._counted.items():
            if whole or thread.due <= self._readings:
                self._count(pid, thread)
        counters["dyno_cpu_s"] = time.process_time() + self._ticks["dyno"] * TICK_S
        if self._kernel:  # empty in a container, or where /proc shows only the processes of its user
            counters["kernel_cpu_s"] = self._ticks["kernel"] * TICK_S

    def _meet_new(self, there: Set[int]) -> None:
        """Find out once what each new process is: most are not counted."""
        gone = self._known - there
        self._known -= gone
        self._kernel -= gone
        for pid in gone:
            self._counted.pop(pid, None)
        new = sorted(there - self._known)
        most = len(new) if self._readings == 1 else NEW
        for pid in new[:most]:
            self._meet(pid)
        self._left = len(new) > most

    def _meet(self, pid: int) -> None:
        stat = _stat(pid)
        if stat is None:
            return
        self._known.add(pid)
        if stat.is_kernel:
            self._kernel.add(pid)
        if stat.is_kernel or self._is_own(pid):
            # what one did before the first reading was not in the time that is measured
            self._counted[pid] = _Thread(stat.ticks if self._readings == 1 else 0)

    def _is_own(self, pid: int) -> bool:
        """Whether it is of Dyno; this process itself is counted apart."""
        command = b"" if pid == os.getpid() else _command(pid)
        return any(word in command for word in self._own_words)

    def _count(self, pid: int, thread: _Thread) -> None:
        stat = _stat(pid)
        if stat is not None:
            kind = "kernel" if pid in self._kernel else "dyno"
            self._ticks[kind] += thread.has_used(stat.ticks, self._readings)

    # by name

    def begin(self) -> None:
        """Start the time that `most` is about."""
        self._from = time.monotonic()
        self._first = self._look()
        self._last = dict(self._first)
        self._to = self._from

    def look(self, at_once: bool = False) -> None:
        """Read all processes; skipped for a while after a reading, which costs CPU itself."""
        if time.monotonic() < self._next_look and not at_once:
            return
        self._last.update(self._look())  # those that have ended since stay as they were seen last
        self._to = time.monotonic()

    def _look(self) -> Dict[int, ProcessSeen]:
        began = time.monotonic()
        found = {}
        for name in os.listdir("/proc"):
            pid = int(name) if name.isdigit() else 0
            stat = _stat(pid) if pid and not self._is_known(pid) else None
            if stat is not None and not stat.is_kernel:
                found[pid] = ProcessSeen(stat, *_io(pid))
        now = time.monotonic()
        self._next_look = now + COST * (now - began)
        return found

    def _is_known(self, pid: int) -> bool:
        return pid == os.getpid() or pid in self._counted

    def most(self, without: Collection[int]) -> List[ProcessesOfName]:
        """The three programs that took most since `begin`; without those that are measured.

        What began and ended between two looks is not among them.
        """
        programs: Dict[str, _Use] = {}
        measured = {*without, *self.without()}
        for pid, seen in self._last.items():
            if pid not in measured:
                use = programs.setdefault(seen.stat.name, _Use())
                use.add(self._begun_with(pid, seen), seen)
        took = sorted(programs.items(), key=lambda each: each[1].rank, reverse=True)
        seconds = max(self._to - self._from, TICK_S)
        return [use.of_program(name, seconds) for name, use in took[:NAMED] if any(use.rank)]

    def _begun_with(self, pid: int, seen: ProcessSeen) -> Optional[ProcessSeen]:
        first = self._first.get(pid)
        return first if first is not None and first.stat.began == seen.stat.began else None


class _Use:
    """What the processes of one name took together."""

    def __init__(self) -> None:
        self.processes = 0
        self.cpu_s = self.read_kb = self.write_kb = self.memory_mb = 0.0

    def add(self, first: Optional[ProcessSeen], last: ProcessSeen) -> None:
        """Add a process; without `first` it began after the first look."""
        ticks = last.stat.ticks - (first.stat.ticks if first else 0)
        self.processes += 1
        self.cpu_s += max(0, ticks) * TICK_S
        self.memory_mb += last.stat.memory_kb / 1024.0
        if last.stat.children != (first.stat.children if first else 0):
            return  # the kernel adds all that an ended child ever read and wrote to its parent
        self.read_kb += _grown(first.read_kb if first else None, last.read_kb)
        self.write_kb += _grown(first.write_kb if first else None, last.write_kb)

    @property
    def rank(self) -> Tuple[float, float]:
        return self.cpu_s, self.read_kb + self.write_kb

    def of_program(self, name: str, seconds: float) -> ProcessesOfName:
        return ProcessesOfName(
            name,
            self.processes,
            round(100 * self.cpu_s / seconds, 1),
            round(self.read_kb / seconds, 1),
            round(self.write_kb / seconds, 1),
            round(self.memory_mb, 2),
        )


def _grown(first: Optional[float], last: Optional[float]) -> float:
    """Growth of a value; 0 if only the owner of the process may read it."""
    return 0.0 if last is None else max(0.0, last - (first or 0.0))


def _newest() -> bytes:
    """The newest process or thread, the last word of /proc/loadavg; empty where nobody may read it."""
    try:
        return read_file("/proc/loadavg").rpartition(b" ")[2]
    except OSError:
        return b""


def _stat(pid: int) -> Optional[ProcessStat]:
    try:
        return parse_process(read_file("/proc/{}/stat".format(pid)))
    except (OSError, ValueError, IndexError):
        return None  # it has ended


def _command(pid: int) -> bytes:
    try:
        return read_file("/proc/{}/cmdline".format(pid))
    except OSError:
        return b""


def _io(pid: int) -> Any:
    """KB read and written; None if only the owner of the process may read them."""
    try:
        io = parse_io(read_file("/proc/{}/io".format(pid)))
    except (OSError, ValueError, KeyError):
        return None, None
    return io["read_kb"], io["write_kb"]
