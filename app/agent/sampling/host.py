"""What the machine and the processes of a session do each second, read from the kernel's counters.

A reading keeps raw counters; what happened between two of them is computed by pure functions.
"""

from __future__ import annotations

import contextlib
import glob
import os
import time
from functools import partial
from typing import Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

from app.agent.server.affinity import count_cpus
from app.agent.system.disk import devices_of, read_text
from app.protocol.others import LEAST_KB, OTHERS_PCT
from app.protocol.series import SeriesDeclaration

from .other_processes import OtherProcesses
from .proc_files import (
    MOST,
    TICK_S,
    Counters,
    parse_disk,
    parse_meminfo,
    parse_pressure,
    parse_proc_stat,
    parse_vmstat,
    requests_on_their_way,
)
from .process import ProcessFiles
from .reading import LEVELS, LOADS, PROCESSES, OtherTurnsSubtractor, Reading, grown

Pids = Mapping[str, Optional[int]]

CPUS = "/sys/devices/system/cpu"
LOOK_SHARE = OTHERS_PCT / 100  # of the CPUs: others that take more are looked at by name
IDLE_S = 0.2  # for the disk to finish what a session has asked of it
LOOK_S = 0.01
QUIET_LOOKS = 3  # one after the other that find no request
CLOCKS = 4  # CPUs whose clock is read: on some machines each takes a millisecond


class _Series(NamedTuple):
    name: str
    unit: str
    kind: str
    direction: str
    label: str
    digits: int
    counter: str
    factor: float = 1.0


def _share(name: str, label: str, counter: str, factor: float = 100) -> _Series:
    return _Series(name, "%", "gauge", "", label, 1, counter, factor)


_TABLE = [
    _share("host.cpu_pct", "Machine CPU, all cores = 100", "cpu_busy", 1),
    _share("host.iowait_pct", "Idle CPU waiting for I/O", "cpu_iowait", 1),
    _share("server.cpu_pct", "Server CPU, one core = 100", "server_cpu_s"),
    _share("sysbench.cpu_pct", "sysbench CPU, one core = 100", "load_cpu_s"),
    _Series("host.context_switches", "1/s", "rate", "lower", "Context switches", 0, "context_switches"),
    _Series("disk.reads", "1/s", "rate", "lower", "Disk reads", 1, "disk_reads"),
    _Series("disk.writes", "1/s", "rate", "lower", "Disk writes", 1, "disk_writes"),
    _Series("disk.read_kb", "KB/s", "rate", "lower", "Data read from disk", 1, "disk_read_kb"),
    _Series("disk.write_kb", "KB/s", "rate", "lower", "Data written to disk", 1, "disk_write_kb"),
    _share("disk.busy_pct", "Disk busy", "disk_busy_s"),
    _Series("server.read_kb", "KB/s", "rate", "lower", "Data read by the server", 1, "server_read_kb"),
    _Series("server.write_kb", "KB/s", "rate", "lower", "Data written by the server", 1, "server_write_kb"),
    _Series("server.memory_mb", "MB", "gauge", "lower", "Server memory", 1, "server_memory_mb"),
    _Series("host.memory_available_mb", "MB", "gauge", "", "Available memory", 1, "available_mb"),
    _Series("host.dirty_mb", "MB", "gauge", "", "Dirty page cache", 1, "dirty_mb"),
    _share("others.cpu_pct", "CPU of other processes, one core = 100", "others_cpu_s"),
    _share("kernel.cpu_pct", "CPU of kernel and interrupts, one core = 100", "kernel_s"),
    _share("host.steal_pct", "CPU taken by the hypervisor, all cores = 100", "cpu_steal", 1),
    _Series("others.read_kb", "KB/s", "rate", "lower", "Data read by others", 1, "others_read_kb"),
    _Series("others.write_kb", "KB/s", "rate", "lower", "Data written by others", 1, "others_write_kb"),
    _Series("host.swap_kb", "KB/s", "rate", "lower", "Swapped data", 1, "swap_kb"),
    _share("pressure.cpu_pct", "Time some task waited for a CPU", "pressure_cpu_some_s"),
    _share("pressure.io_pct", "Time some task waited for I/O", "pressure_io_some_s"),
    _share("pressure.io_full_pct", "Time all tasks waited for I/O", "pressure_io_full_s"),
    _share("pressure.memory_pct", "Time some task waited for memory", "pressure_memory_some_s"),
    _share("pressure.memory_full_pct", "Time all tasks waited for memory", "pressure_memory_full_s"),
    _share("server.throttled_pct", "Time the server was held back by a CPU quota", "server_throttled_s"),
    _Series("host.clock_mhz", "MHz", "gauge", "higher", "CPU clock", 0, "clock_mhz"),
    _Series("host.throttled", "1/s", "rate", "lower", "CPU slowdowns by heat", 1, "heat_events"),
]  # fmt: skip
_OF_SERVERS_MACHINE = ("server.", "disk.", "others.read_kb", "others.write_kb", "host.dirty_mb")


def _declared(table: Sequence[_Series]) -> List[SeriesDeclaration]:
    return [SeriesDeclaration(*each[:6]) for each in table]


SERIES = _declared(_TABLE)

_OPTIONAL = ("pressure.", "host.clock_mhz", "host.throttled", "server.throttled_pct")  # not on every machine
_SHARES = ("cpu_busy", "cpu_iowait", "cpu_steal")  # of the machine's own time, in ticks


def values(
    before: Reading, after: Reading, dt: float, table: Sequence[_Series] = _TABLE
) -> List[float | None]:
    """The values of the series, in their order, over the dt seconds between two readings; None is missing."""
    return [_value(each, before, after, dt) for each in table]


def _is_there(series: _Series, counters: Counters) -> bool:
    return series.counter in counters or not series.name.startswith(_OPTIONAL)


def _value(series: _Series, before: Reading, after: Reading, dt: float) -> float | None:
    if series.counter in LEVELS:
        return after.counters.get(series.counter)
    derived = _DERIVED.get(series.counter)
    spent = derived(before, after) if derived else grown(series.counter, before, after)
    if series.counter in _SHARES:
        total = grown("cpu_total", before, after)
        return None if spent is None or not total else 100.0 * spent / total
    return None if spent is None or dt <= 0 else spent * series.factor / dt


def others_cpu_s(before: Reading, after: Reading) -> float | None:
    """CPU of the machine without server, load, Dyno and kernel."""
    ticks, server = grown("cpu_busy", before, after), _of_server("server_cpu_s", before, after)
    ours = (server, irq_kthread_cpu_s(before, after), grown("dyno_cpu_s", before, after))
    if ticks is None or None in ours:
        return None
    others = ticks * TICK_S - sum(each or 0.0 for each in ours) - _of_load(before, after)
    return max(0.0, others)  # ticks are coarse


def _of_server(counter: str, before: Reading, after: Reading) -> float | None:
    """Growth of a counter of the server; 0 without a server."""
    is_there = "server" in before.pids or "server" in after.pids
    return grown(counter, before, after) if is_there else 0.0


def _of_load(before: Reading, after: Reading) -> float:
    """CPU of sysbench, also of one that started between the readings."""
    return sum(_of_sysbench(name, before, after) for name in after.pids if name in LOADS)


def _of_sysbench(name: str, before: Reading, after: Reading) -> float:
    counter = name + "_cpu_s"
    same = before.pids.get(name) == after.pids[name]
    return after.counters.get(counter, 0.0) - (before.counters.get(counter, 0.0) if same else 0.0)


def load_cpu_s(before: Reading, after: Reading) -> float | None:
    """The same, where it is the same one all the time; of all roles of a step."""
    first, *others = (grown(name + "_cpu_s", before, after) for name in LOADS)
    return None if first is None else first + sum(each or 0.0 for each in others)


def irq_kthread_cpu_s(before: Reading, after: Reading) -> float | None:
    """CPU of interrupts, and of kernel threads where they are visible."""
    interrupts = grown("cpu_interrupts", before, after)
    return None if interrupts is None else interrupts * TICK_S + (grown("kernel_cpu_s", before, after) or 0.0)


def disk_kb_by_others(way: str, before: Reading, after: Reading) -> float | None:
    """What the device read or wrote beyond what the server asked for."""
    device = grown("disk_{}_kb".format(way), before, after)
    server = _of_server("server_{}_kb".format(way), before, after)
    return None if device is None or server is None else max(0.0, device - server)


_DERIVED: Dict[str, Callable[[Reading, Reading], Optional[float]]] = {
    "others_cpu_s": others_cpu_s,
    "kernel_s": irq_kthread_cpu_s,
    "load_cpu_s": load_cpu_s,
    "others_read_kb": lambda before, after: disk_kb_by_others("read", before, after),
    "others_write_kb": lambda before, after: disk_kb_by_others("write", before, after),
}


def deltas(before: Reading, after: Reading) -> Dict[str, float | None]:
    """What was used between two readings, named as the figures per query are; cpu_us is the server's."""
    ticks, server = grown("cpu_busy", before, after), grown("server_cpu_s", before, after)
    sysbench, disk = load_cpu_s(before, after), grown("disk_busy_s", before, after)
    return {
        "cpu_us": None if server is None else server * 1e6,
        "machine_cpu_us": None if ticks is None else ticks * TICK_S * 1e6,
        "sysbench_cpu_us": None if sysbench is None else sysbench * 1e6,
        "context_switches": grown("context_switches", before, after),
        "reads": grown("disk_reads", before, after),
        "writes": grown("disk_writes", before, after),
        "read_kb": grown("disk_read_kb", before, after),
        "written_kb": grown("disk_write_kb", before, after),
        "disk_busy_us": None if disk is None else disk * 1e6,
        "server_read_kb": grown("server_read_kb", before, after),
        "server_written_kb": grown("server_write_kb", before, after),
    }


_Parse = Callable[[bytes], Counters]
_File = Tuple[str, int, _Parse]


def _optional_files() -> List[_File]:
    """Open the files that not every kernel or container has."""
    found: List[_File] = []
    wanted: List[Tuple[str, str, _Parse]] = [("swap", "/proc/vmstat", parse_vmstat)]
    for name in ("cpu", "io", "memory"):
        wanted.append(("pressure", "/proc/pressure/" + name, partial(parse_pressure, name=name)))
    for what, path, parse in wanted:
        with contextlib.suppress(OSError):
            fd = os.open(path, os.O_RDONLY)
            try:
                parse(os.pread(fd, MOST, 0))  # a kernel may have the file and refuse to read it
                found.append((what, fd, parse))
            except (OSError, ValueError):
                os.close(fd)
    return found


def _clocks() -> List[str]:
    """Files that say how fast CPUs run, of the first few."""
    return sorted(glob.glob(CPUS + "/cpu[0-9]*/cpufreq/scaling_cur_freq"))[:CLOCKS]


def _heat_counts() -> List[str]:
    """Files that say how often a core was slowed down by heat."""
    return glob.glob(CPUS + "/cpu[0-9]*/thermal_throttle/core_throttle_count")


def _numbers(paths: Sequence[str]) -> List[int]:
    return [int(text) for text in map(read_text, paths) if text and text.isdigit()]


class HostSampler:
    """Reads the counters of the machine, of the devices under a directory, of server and sysbench."""

    def __init__(
        self, pids: Union[Pids, Callable[[], Pids]], directory: str, own_word: str = "DYNO-TARGET"
    ) -> None:
        self._pids = pids
        self._processes: Dict[str, ProcessFiles] = {}
        self._problems: List[str] = []
        self._noted: set[str] = set()
        self._files = self._open_files()
        self._disks = self._open_disks(directory)
        self._clocks, self._heat = _clocks(), _heat_counts()
        self.others = OtherProcesses(own_word.encode())
        self._own_time = OtherTurnsSubtractor()
        self.cpus = count_cpus()
        there = self.read().counters
        self._table = [each for each in _TABLE if _is_there(each, there)]

    def read(self, whole: bool = False) -> Reading:
        """The counters now, of its own time; what cannot be read is left out and noted once."""
        return self._own_time.of(self._read_all(whole))

    def leave(self, stop: Callable[[], None]) -> None:
        """Another contender gets the machine, once `stop` was called and the disk is at rest."""
        now = self._read_all(whole=True)  # before: a person who stops the server is named
        stop()
        self._await_disk()
        self._read_disks(now.counters)
        self._own_time.leave(now)

    def come_back(self) -> None:
        """The machine is this one's again."""
        now = self._read_all(whole=True)
        self._own_time.come_back(now._replace(at=time.monotonic()))  # reading takes some milliseconds

    def _await_disk(self) -> None:
        end, quiet = time.monotonic() + IDLE_S, 0
        while quiet < QUIET_LOOKS and time.monotonic() < end:
            quiet = quiet + 1 if self._is_disk_idle() else 0
            time.sleep(LOOK_S)

    def _is_disk_idle(self) -> bool:
        """Whether the disk has no request in flight."""
        return not any(requests_on_their_way(os.pread(fd, MOST, 0)) for fd in self._disks)

    def _read_all(self, whole: bool) -> Reading:
        counters: Counters = {}
        at = time.monotonic()
        for what, fd, parse in self._files:
            self._part(what, fd, parse, counters)
        self._read_disks(counters)
        self._read_clocks(counters)
        self.others.read(counters, whole)
        return Reading(at, counters, self._read_processes(counters))

    def declare(self) -> List[SeriesDeclaration]:
        """The series that this machine has."""
        return _declared(self._table)

    def only_drives(self) -> None:
        """The server is on another machine: this one is named, and its disk is no figure of the work."""
        there = [each for each in self._table if not each.name.startswith(_OF_SERVERS_MACHINE)]
        self._table = [each._replace(label="Machine that drives: " + each.label) for each in there]

    def rates(self, before: Reading, after: Reading, dt: float) -> List[float | None]:
        """The values of the declared series, in their order."""
        return values(before, after, dt, self._table)

    def watch(self, before: Reading, after: Reading, dt: float) -> None:
        """Read the names of all processes in a second in which others are busy."""
        busy = (others_cpu_s(before, after) or 0.0) > LOOK_SHARE * dt * self.cpus
        moving = any(
            (disk_kb_by_others(way, before, after) or 0.0) > LEAST_KB * dt for way in ("read", "write")
        )
        if busy or moving:
            self.others.look()

    def take_problems(self) -> List[str]:
        """What could not be read, each reported once."""
        problems, self._problems = self._problems, []
        return problems

    def close(self) -> None:
        for fd in [*(fd for _, fd, _ in self._files), *self._disks]:
            if fd >= 0:
                os.close(fd)
        for name in list(self._processes):
            self._forget(name)
        self._files, self._disks = [], []

    def _open_files(self) -> List[_File]:
        needed = [
            ("machine", self._open("/proc/stat"), parse_proc_stat),
            ("memory", self._open("/proc/meminfo"), parse_meminfo),
        ]
        return [*needed, *_optional_files()]

    def _open(self, path: str) -> int:
        try:
            return os.open(path, os.O_RDONLY)
        except OSError as error:
            self._note("machine values are missing: {}".format(error))
            return -1

    def _open_disks(self, directory: str) -> List[int]:
        # one small file a device; /proc/diskstats has the same numbers, of all devices of the machine
        try:
            devices = devices_of(directory)
        except OSError as error:
            devices = []
            self._note("cannot find the disk of {}: {}".format(directory, error))
        if not devices:
            self._note("disk values are missing: no block device under {}".format(directory))
        fds = [self._open("/sys/dev/block/{}/stat".format(device)) for device in devices]
        return fds if all(fd >= 0 for fd in fds) else []

    def _part(self, name: str, fd: int, parse: Callable[[bytes], Counters], counters: Counters) -> None:
        if fd < 0:
            return
        try:
            counters.update(parse(os.pread(fd, MOST, 0)))
        except (OSError, ValueError, IndexError, KeyError) as error:
            self._note("values of the {} are missing: {}".format(name, error))

    def _read_disks(self, counters: Counters) -> None:
        total: Counters = {}
        for fd in self._disks:
            one: Counters = {}
            self._part("disk", fd, parse_disk, one)
            if not one:
                return  # the sum of the others would look like the whole
            for key, value in one.items():
                total[key] = total.get(key, 0) + value
        if total:
            total["disk_busy_s"] /= len(self._disks)  # all of them at work all the time: one second a second
        counters.update(total)

    def _read_clocks(self, counters: Counters) -> None:
        speeds, heat = _numbers(self._clocks), _numbers(self._heat)
        if speeds:
            counters["clock_mhz"] = sum(speeds) / len(speeds) / 1000.0
        if heat:
            counters["heat_events"] = sum(heat)

    def _read_processes(self, counters: Counters) -> Dict[str, int]:
        pids = self._pids() if callable(self._pids) else self._pids
        there = {}
        for name in PROCESSES:
            process = self._process(name, pids.get(name))
            if process is not None and self._read_process(name, process, counters):
                there[name] = process.pid
        return there

    def _read_process(self, name: str, process: ProcessFiles, counters: Counters) -> bool:
        own: Counters = {}
        try:
            process.read(name, own)
        except (OSError, ValueError, IndexError, KeyError):
            self._forget(name)  # it has ended
            return False
        counters.update(own)
        return True

    def _process(self, name: str, pid: int | None) -> ProcessFiles | None:
        known = self._processes.get(name)
        if known is not None and known.pid == pid:
            return known
        self._forget(name)
        if not pid:
            return None
        try:
            process = self._processes[name] = ProcessFiles(pid, whole=name == "server")
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
