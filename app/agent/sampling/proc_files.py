"""Counters from the files of /proc and /sys that are read each second."""

from __future__ import annotations

import os
from typing import Dict, NamedTuple, Tuple

Counters = Dict[str, float]

TICK_S = 1.0 / os.sysconf("SC_CLK_TCK")
PAGE_KB = os.sysconf("SC_PAGE_SIZE") / 1024.0
MOST = 65536  # bytes of one read: /proc/stat has a number for every interrupt
_KERNEL_THREAD = 0x00200000  # PF_KTHREAD


def read_file(path: str) -> bytes:
    """In one read; raises OSError where the file is gone."""
    fd = os.open(path, os.O_RDONLY)
    try:
        return os.read(fd, MOST)
    finally:
        os.close(fd)


def parse_proc_stat(data: bytes) -> Counters:
    """Ticks and context switches of /proc/stat; steal is nobody's work here, but time that passed."""
    ticks = [int(word) for word in data[: data.index(b"\n")].split()[1:9]]
    ticks += [0] * (8 - len(ticks))
    user, nice, system, idle, iowait, irq, softirq, steal = ticks
    busy = user + nice + system + irq + softirq  # guests are within user
    start = data.index(b"\nctxt ") + 6
    return {
        "cpu_busy": busy,
        "cpu_interrupts": irq + softirq,
        "cpu_iowait": iowait,
        "cpu_steal": steal,
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


def parse_vmstat(data: bytes) -> Counters:
    """KB swapped in and out, of /proc/vmstat."""
    pages = sum(_number_after(data, key) for key in (b"\npswpin ", b"\npswpout "))
    return {"swap_kb": pages * PAGE_KB}


def _number_after(data: bytes, key: bytes) -> int:
    start = data.index(key) + len(key)
    return int(data[start : data.index(b"\n", start)])


def parse_pressure(data: bytes, name: str) -> Counters:
    """Seconds in which some task, and all of them, waited for `name`, of /proc/pressure/NAME."""
    lines = (line.split() for line in data.splitlines())
    return {
        "pressure_{}_{}_s".format(name, words[0].decode()): int(words[-1].partition(b"=")[2]) / 1e6
        for words in lines
    }


def parse_io(data: bytes) -> Counters:
    """KB that a process caused to be read from and written to storage, of /proc/PID/io.

    What it dirtied and took back before it was written (a truncated file) was never written.
    """
    lines = dict(line.split(b": ") for line in data.splitlines())
    written = int(lines[b"write_bytes"]) - int(lines[b"cancelled_write_bytes"])
    return {"read_kb": int(lines[b"read_bytes"]) / 1024.0, "write_kb": written / 1024.0}


def parse_disk(data: bytes) -> Counters:
    """Requests, KB and busy time of a block device; its sectors have 512 bytes on every disk."""
    words = data.split()
    return {
        "disk_reads": int(words[0]),
        "disk_read_kb": int(words[2]) / 2.0,
        "disk_writes": int(words[4]),
        "disk_write_kb": int(words[6]) / 2.0,
        "disk_busy_s": int(words[9]) / 1000.0,
    }


def requests_on_their_way(data: bytes) -> int:
    """Requests in flight on a block device."""
    return int(data.split()[8])


class ProcessStat(NamedTuple):
    """What /proc/PID/stat says of a process, or /proc/PID/task/TID/stat of a thread."""

    name: str  # up to 15 characters of any kind
    state: str
    is_kernel: bool
    user: int  # ticks
    system: int
    children: int  # ticks of those that have ended
    began: int  # ticks since the machine has
    memory_kb: float

    @property
    def ticks(self) -> int:
        return self.user + self.system


def parse_process(data: bytes) -> ProcessStat:
    """The name is in brackets and may contain brackets."""
    name, _, rest = data.partition(b"(")[2].rpartition(b")")
    words = rest.split()
    return ProcessStat(
        name.decode("utf-8", "replace"),
        words[0].decode(),
        bool(int(words[6]) & _KERNEL_THREAD),
        int(words[11]),
        int(words[12]),
        int(words[13]) + int(words[14]),
        int(words[19]),
        int(words[21]) * PAGE_KB,
    )


def parse_switches(data: bytes) -> Tuple[int, int]:
    """Voluntary and involuntary switches of a thread, of its /proc/PID/task/TID/status."""
    found = dict(line.split(b":", 1) for line in data.splitlines() if b":" in line)
    return int(found[b"voluntary_ctxt_switches"]), int(found[b"nonvoluntary_ctxt_switches"])
