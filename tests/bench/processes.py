"""What processes cost: CPU and memory from /proc, and which processes are Dyno's on a target."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")
LOAD = ("sysbench", "mysqld", "mariadbd")  # not Dyno's own work
LOOK_S = 1.0


@dataclass(frozen=True)
class Process:
    """One line of /proc/PID/stat, as far as it matters here."""

    pid: int
    parent: int
    name: str
    began: int  # ticks since the machine started: with the pid it is one process for good
    stat_s: float  # user and system time of /proc/PID/stat
    children_s: float  # of children that have ended and been waited for
    command: str

    @property
    def is_sshd(self) -> bool:
        return self.name.startswith("sshd")


@dataclass
class Cost:
    """What one process has used while it was watched."""

    first: Process
    last: Process
    first_s: float  # the same time in nanoseconds, as the scheduler counts it
    last_s: float
    memory_mb: float = 0.0
    peak_mb: float = 0.0  # since it began

    @property
    def stat_s(self) -> float:
        return self.last.stat_s - self.first.stat_s + self.last.children_s - self.first.children_s

    @property
    def cpu_s(self) -> float:
        """Nanosecond-exact, with what ended children had used."""
        return self.last_s - self.first_s + self.last.children_s - self.first.children_s


def read_process(pid: int) -> Process | None:
    folder = Path(f"/proc/{pid}")
    try:
        stat = (folder / "stat").read_text(errors="replace")
        command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
    except OSError:
        return None
    left, _, right = stat.rpartition(")")
    words = right.split()
    own, children = int(words[11]) + int(words[12]), int(words[13]) + int(words[14])
    name = left.partition("(")[2]
    return Process(pid, int(words[1]), name, int(words[19]), own / TICKS, children / TICKS, command)


def cpu_s(pid: int) -> float:
    """CPU of all threads of a process, as clock_getcpuclockid(3) counts it."""
    return time.clock_gettime((~pid << 3) | 2)


def all_processes() -> dict[int, Process]:
    found = (read_process(int(name)) for name in os.listdir("/proc") if name.isdigit())
    return {process.pid: process for process in found if process}


def of_dyno(directory: str, sshd: int) -> dict[int, Process]:
    """The agent files that run from a directory, what they and the sshd have started; no load, no server.

    The sshd processes of Dyno's connections are among them.
    """
    processes = all_processes()
    files = [pid for pid, each in processes.items() if f"{directory}/agents/" in each.command]
    below = descendants(processes, [*files, sshd])
    return {pid: processes[pid] for pid in {*files, *below}}


def descendants(processes: dict[int, Process], roots: Iterable[int]) -> Iterator[int]:
    """Everything below, but for load generators and servers with all that is theirs."""
    for pid, process in processes.items():
        if process.parent in roots and process.name not in LOAD:
            yield pid
            yield from descendants(processes, [pid])


def memory_of(pid: int, key: str) -> float:
    """VmRSS or VmHWM, in MiB."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(key + ":"):
            return int(line.split()[1]) / 1024
    return 0.0


class Watch:
    """Every process of Dyno on a target, from now on; looked for often, so that short ones are seen."""

    def __init__(self, directory: str, sshd: int) -> None:
        self._directory = directory
        self._sshd = sshd
        self.costs: dict[tuple[int, int], Cost] = {}
        self.began = time.monotonic()
        self.seconds = 0.0
        self._is_first = True
        self.look()

    def run(self, seconds: float) -> None:
        while (left := self.began + seconds - time.monotonic()) > 0:
            time.sleep(min(LOOK_S, left))
            self.look()
        self.seconds = time.monotonic() - self.began

    def look(self) -> None:
        for pid, process in of_dyno(self._directory, self._sshd).items():
            try:
                now_s = cpu_s(pid)
                key = (pid, process.began)
                cost = self.costs.setdefault(key, self._begin(process, now_s))
                cost.last, cost.last_s = process, now_s
                cost.memory_mb, cost.peak_mb = memory_of(pid, "VmRSS"), memory_of(pid, "VmHWM")
            except OSError:  # it has just ended
                continue
        self._is_first = False

    def _begin(self, process: Process, now_s: float) -> Cost:
        """One that began meanwhile is counted from its beginning."""
        if self._is_first:
            return Cost(process, process, now_s, now_s)
        zero = Process(**{**vars(process), "stat_s": 0.0, "children_s": 0.0})
        return Cost(zero, process, 0.0, now_s)
