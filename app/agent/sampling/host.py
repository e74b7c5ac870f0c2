"""What the machine and the processes of a session do each second, read from the kernel's counters.

A reading keeps raw counters; what happened between two of them is computed by pure functions. Context
switches are counted for the whole machine only: the server's would have to be summed over the files
of all its threads, which costs more each second than everything here together.
"""

from __future__ import annotations

import os
import time
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Union

from app.agent.system.disk import devices_of

Pids = Mapping[str, Optional[int]]
Counters = Dict[str, float]

_TICK_S = 1.0 / os.sysconf("SC_CLK_TCK")
_PAGE_MB = os.sysconf("SC_PAGE_SIZE") / 1048576.0
_MOST = 65536  # bytes of one read: /proc/stat has a number for every interrupt
PROCESSES = ("server", "sysbench")


class Reading(NamedTuple):
    """The counters of one moment; one that could not be read is not among them."""

    at: float  # CLOCK_MONOTONIC
    counters: Counters
    pids: Dict[str, int]  # of the processes that were there


class _Series(NamedTuple):
    name: str
    unit: str
    kind: str
    direction: str
    label: str
    digits: int
    counter: str
    factor: float = 1.0


_TABLE = [
    _Series("host.cpu_pct", "%", "gauge", "", "CPU of the machine (100 = all cores)", 1, "cpu_busy"),
    _Series("host.iowait_pct", "%", "gauge", "", "Machine idle, waiting for I/O", 1, "cpu_iowait"),
    _Series("server.cpu_pct", "%", "gauge", "", "CPU of the server (100 = one core)", 1, "server_cpu_s", 100),
    _Series(
        "sysbench.cpu_pct", "%", "gauge", "", "CPU of sysbench (100 = one core)", 1, "sysbench_cpu_s", 100
    ),
    _Series("host.context_switches", "1/s", "rate", "lower", "Context switches", 0, "context_switches"),
    _Series("disk.reads", "1/s", "rate", "lower", "Reads from the disk", 1, "disk_reads"),
    _Series("disk.writes", "1/s", "rate", "lower", "Writes to the disk", 1, "disk_writes"),
    _Series("disk.read_kb", "KB/s", "rate", "lower", "Read from the disk", 1, "disk_read_kb"),
    _Series("disk.write_kb", "KB/s", "rate", "lower", "Written to the disk", 1, "disk_write_kb"),
    _Series("disk.busy_pct", "%", "gauge", "", "Disk at work (100 = all the time)", 1, "disk_busy_s", 100),
    _Series("server.read_kb", "KB/s", "rate", "lower", "Read by the server", 1, "server_read_kb"),
    _Series("server.write_kb", "KB/s", "rate", "lower", "Written by the server", 1, "server_write_kb"),
    _Series("server.memory_mb", "MB", "gauge", "lower", "Memory of the server", 1, "server_memory_mb"),
    _Series("host.memory_available_mb", "MB", "gauge", "", "Memory available", 1, "available_mb"),
    _Series("host.dirty_mb", "MB", "gauge", "", "Page cache to be written", 1, "dirty_mb"),
]
SERIES: List[Dict[str, Any]] = [dict(list(each._asdict().items())[:6]) for each in _TABLE]

_SHARES = ("cpu_busy", "cpu_iowait")  # of the machine's own time, in ticks
_LEVELS = ("server_memory_mb", "available_mb", "dirty_mb")  # as they stand at the end


def values(before: Reading, after: Reading, dt: float) -> List[float | None]:
    """The values of SERIES, in its order, over the dt seconds between two readings; None is missing."""
    return [_value(each, before, after, dt) for each in _TABLE]


def _value(series: _Series, before: Reading, after: Reading, dt: float) -> float | None:
    if series.counter in _LEVELS:
        return after.counters.get(series.counter)
    grown = _grown(series.counter, before, after)
    if series.counter in _SHARES:
        total = _grown("cpu_total", before, after)
        return None if grown is None or not total else 100.0 * grown / total
    return None if grown is None or dt <= 0 else grown * series.factor / dt


def _grown(counter: str, before: Reading, after: Reading) -> float | None:
    """How much a counter grew; None where it is missing or belongs to another process now."""
    first, last = before.counters.get(counter), after.counters.get(counter)
    if first is None or last is None:
        return None
    process = counter.partition("_")[0]
    if process in PROCESSES and before.pids.get(process) != after.pids.get(process):
        return None
    return max(last - first, 0.0)  # the kernel lets iowait go back a little


def deltas(before: Reading, after: Reading) -> Dict[str, float | None]:
    """What was used between two readings, named as the figures per query are; cpu_us is the server's."""
    ticks, server = _grown("cpu_busy", before, after), _grown("server_cpu_s", before, after)
    sysbench, disk = _grown("sysbench_cpu_s", before, after), _grown("disk_busy_s", before, after)
    return {
        "cpu_us": None if server is None else server * 1e6,
        "machine_cpu_us": None if ticks is None else ticks * _TICK_S * 1e6,
        "sysbench_cpu_us": None if sysbench is None else sysbench * 1e6,
        "context_switches": _grown("context_switches", before, after),
        "reads": _grown("disk_reads", before, after),
        "writes": _grown("disk_writes", before, after),
        "read_kb": _grown("disk_read_kb", before, after),
        "written_kb": _grown("disk_write_kb", before, after),
        "disk_busy_us": None if disk is None else disk * 1e6,
        "server_read_kb": _grown("server_read_kb", before, after),
        "server_written_kb": _grown("server_write_kb", before, after),
    }


def parse_stat(data: bytes) -> Counters:
    """Ticks and context switches of /proc/stat; steal is nobody's work here, but time that passed."""
    ticks = [int(word) for word in data[: data.index(b"\n")].split()[1:9]]
    ticks += [0] * (8 - len(ticks))
    user, nice, system, idle, iowait, irq, softirq, steal = ticks
    busy = user + nice + system + irq + softirq  # guests are within user
    start = data.index(b"\nctxt ") + 6
    return {
        "cpu_busy": busy,
        "cpu_iowait": iowait,
        "cpu_total": busy + idle + iowait + steal,
        "context_switches": int(data[start : data.index(b"\n", start)]),
    }


def parse_meminfo(data: bytes) -> Counters:
    """Megabytes available, and waiting to be written, of /proc/meminfo."""
    dirty = _kilobytes(data, b"\nDirty:") + _kilobytes(data, b"\nWriteback:")
    return {"available_mb": _kilobytes(data, b"\nMemAvailable:") / 1024.0, "dirty_mb": dirty / 1024.0}


def _kilobytes(data: bytes, key: bytes) -> int:
    start = data.index(key) + len(key)
    return int(data[start : data.index(b"kB", start)])


def parse_io(data: bytes) -> Counters:
    """KB that a process caused to be read from and written to storage, of /proc/PID/io."""
    lines = dict(line.split(b": ") for line in data.splitlines())
    return {"read_kb": int(lines[b"read_bytes"]) / 1024.0, "write_kb": int(lines[b"write_bytes"]) / 1024.0}


def parse_disk(data: bytes) -> Counters:
    """Requests, KB and time at work of one block device; a sector has 512 bytes whatever the disk."""
    words = data.split()
    return {
        "disk_reads": int(words[0]),
        "disk_read_kb": int(words[2]) / 2.0,
        "disk_writes": int(words[4]),
        "disk_write_kb": int(words[6]) / 2.0,
        "disk_busy_s": int(words[9]) / 1000.0,
    }


class _Process:
    """The open files of one process: they end with it, so another one with its pid is never taken for it."""

    def __init__(self, pid: int, whole: bool) -> None:
        self.pid = pid
        self._clock = (~pid << 3) | 2  # as clock_getcpuclockid(3): all its threads, nanoseconds
        self._statm = os.open("/proc/{}/statm".format(pid), os.O_RDONLY)
        self._io = -1
        self.problem = ""
        if whole:
            self._open_io()

    def _open_io(self) -> None:
        try:
            self._io = os.open("/proc/{}/io".format(self.pid), os.O_RDONLY)
            os.pread(self._io, 1, 0)
        except OSError as error:
            self.problem = "reads and writes of the server are missing: {}".format(error)
            if self._io >= 0:
                os.close(self._io)
            self._io = -1

    def read(self, name: str, counters: Counters) -> None:
        pages = int(os.pread(self._statm, 128, 0).split()[1])
        counters[name + "_cpu_s"] = time.clock_gettime(self._clock)
        if pages:  # none: it has ended and waits for its parent
            counters[name + "_memory_mb"] = pages * _PAGE_MB
        if self._io >= 0:
            io = parse_io(os.pread(self._io, 512, 0))
            counters[name + "_read_kb"], counters[name + "_write_kb"] = io["read_kb"], io["write_kb"]

    def close(self) -> None:
        os.close(self._statm)
        if self._io >= 0:
            os.close(self._io)


class HostSampler:
    """Reads the counters of the machine, of the devices under a directory, of server and sysbench."""

    def __init__(self, pids: Union[Pids, Callable[[], Pids]], directory: str) -> None:
        self._pids = pids
        self._processes: Dict[str, _Process] = {}
        self._problems: List[str] = []
        self._noted: set[str] = set()
        self._stat = self._open("/proc/stat")
        self._meminfo = self._open("/proc/meminfo")
        self._disks = self._open_disks(directory)

    def read(self) -> Reading:
        """The counters now; what cannot be read is left out and noted once."""
        counters: Counters = {}
        at = time.monotonic()
        self._part("machine", self._stat, parse_stat, counters)
        self._part("memory", self._meminfo, parse_meminfo, counters)
        self._read_disks(counters)
        return Reading(at, counters, self._read_processes(counters))

    def declare(self) -> List[Dict[str, Any]]:
        return SERIES

    def rates(self, before: Reading, after: Reading, dt: float) -> List[float | None]:
        """The values of the declared series, in their order."""
        return values(before, after, dt)

    def take_problems(self) -> List[str]:
        """What could not be read, each reported once."""
        problems, self._problems = self._problems, []
        return problems

    def close(self) -> None:
        for fd in [self._stat, self._meminfo, *self._disks]:
            if fd >= 0:
                os.close(fd)
        for name in list(self._processes):
            self._forget(name)
        self._stat, self._meminfo, self._disks = -1, -1, []

    def _open(self, path: str) -> int:
        try:
            return os.open(path, os.O_RDONLY)
        except OSError as error:
            self._note("figures are missing: {}".format(error))
            return -1

    def _open_disks(self, directory: str) -> List[int]:
        # one small file a device; /proc/diskstats has the same numbers, of all devices of the machine
        try:
            devices = devices_of(directory)
        except OSError as error:
            devices = []
            self._note("the disk under {} is unknown: {}".format(directory, error))
        if not devices:
            self._note("disk figures are missing: no block device lies under {}".format(directory))
        fds = [self._open("/sys/dev/block/{}/stat".format(device)) for device in devices]
        return fds if all(fd >= 0 for fd in fds) else []

    def _part(self, name: str, fd: int, parse: Callable[[bytes], Counters], counters: Counters) -> None:
        if fd < 0:
            return
        try:
            counters.update(parse(os.pread(fd, _MOST, 0)))
        except (OSError, ValueError, IndexError, KeyError) as error:
            self._note("figures of the {} are missing: {}".format(name, error))

    def _read_disks(self, counters: Counters) -> None:
        total: Counters = {}
        for fd in self._disks:
            one: Counters = {}
            self._part("disk", fd, parse_disk, one)
            if not one:
                return  # the sum of the others would pass for the whole
            for key, value in one.items():
                total[key] = total.get(key, 0) + value
        if total:
            total["disk_busy_s"] /= len(self._disks)  # all of them at work all the time: one second a second
        counters.update(total)

    def _read_processes(self, counters: Counters) -> Dict[str, int]:
        pids = self._pids() if callable(self._pids) else self._pids
        there = {}
        for name in PROCESSES:
            process = self._process(name, pids.get(name))
            if process is not None and self._read_process(name, process, counters):
                there[name] = process.pid
        return there

    def _read_process(self, name: str, process: _Process, counters: Counters) -> bool:
        own: Counters = {}
        try:
            process.read(name, own)
        except (OSError, ValueError, IndexError, KeyError):
            self._forget(name)  # it has ended
            return False
        counters.update(own)
        return True

    def _process(self, name: str, pid: int | None) -> _Process | None:
        known = self._processes.get(name)
        if known is not None and known.pid == pid:
            return known
        self._forget(name)
        if not pid:
            return None
        try:
            process = self._processes[name] = _Process(pid, whole=name == "server")
        except OSError:
            return None
        if process.problem:
            self._note(process.problem)
        return process

    def _forget(self, name: str) -> None:
        process = self._processes.pop(name, None)
        if process is not None:
            process.close()

    def _note(self, problem: str) -> None:
        if problem not in self._noted:
            self._noted.add(problem)
            self._problems.append(problem)
