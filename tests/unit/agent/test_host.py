"""Host figures: what the kernel's counters become, and the counters of this very machine."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from app.agent.sampling.host import SERIES, HostSampler, deltas, values
from app.agent.sampling.proc_files import parse_disk, parse_io, parse_meminfo, parse_proc_stat
from app.agent.sampling.reading import Reading

# Linux 6.18, two cores
STAT = b"""\
cpu  3938 10 2264 268148 363 7 50 12 0 0
cpu0 510 0 677 136174 10 0 12 1 0 0
cpu1 3427 0 1586 131974 353 0 38 11 0 0
intr 193387 0 0 25
ctxt 375383
btime 1795259000
"""
# Linux 2.6.18 knows no steal
OLD_STAT = b"cpu  100 0 50 800 50 1 2\nctxt 7\n"
MEMINFO = b"""\
MemTotal:       24684084 kB
MemFree:        24406892 kB
MemAvailable:   24360480 kB
Dirty:               412 kB
Writeback:           100 kB
"""
IO = b"""\
rchar: 6976
wchar: 0
syscr: 10
syscw: 0
read_bytes: 40960
write_bytes: 2048
cancelled_write_bytes: 0
"""
# /sys/dev/block/254:0/stat
DISK = b"   52631     9336  2992874     8904    17423    18981  2049776     5125        0     5684    14447\n"


def reading(at: float, pid: int = 7, **counters: float) -> Reading:
    return Reading(at, counters, {"server": pid})


def by_name(before: Reading, after: Reading, dt: float = 1.0) -> dict[str, float | None]:
    return {each.name: value for each, value in zip(SERIES, values(before, after, dt), strict=True)}


def test_steal_and_waiting_are_time_but_no_work() -> None:
    found = parse_proc_stat(STAT)
    assert found["cpu_busy"] == 3938 + 10 + 2264 + 7 + 50
    assert found["cpu_iowait"] == 363
    assert (found["cpu_interrupts"], found["cpu_steal"]) == (57, 12)
    assert found["cpu_total"] == found["cpu_busy"] + 268148 + 363 + 12
    assert found["context_switches"] == 375383
    assert parse_proc_stat(OLD_STAT) == {
        "cpu_busy": 153, "cpu_interrupts": 3, "cpu_iowait": 50, "cpu_steal": 0, "cpu_total": 1003,
        "context_switches": 7,
    }  # fmt: skip


def test_units_of_the_kernel_become_kb_and_mb() -> None:
    assert parse_meminfo(MEMINFO) == {"available_mb": 24360480 / 1024, "dirty_mb": 512 / 1024}
    assert parse_io(IO) == {"read_kb": 40.0, "write_kb": 2.0}
    assert parse_disk(DISK) == {
        "disk_reads": 52631, "disk_read_kb": 1496437.0, "disk_writes": 17423, "disk_write_kb": 1024888.0,
        "disk_busy_s": 5.684,
    }  # fmt: skip


def test_rates_are_over_the_true_interval_and_shares_over_the_machines_own_time() -> None:
    before = reading(0, cpu_busy=100, cpu_iowait=5, cpu_total=1000, server_cpu_s=2.0, disk_reads=10)
    after = reading(2, cpu_busy=150, cpu_iowait=25, cpu_total=1400, server_cpu_s=3.0, disk_reads=50)
    found = by_name(before, after, 2.0)
    assert found["host.cpu_pct"] == 12.5
    assert found["host.iowait_pct"] == 5.0
    assert found["server.cpu_pct"] == 50.0
    assert found["disk.reads"] == 20.0


def test_missing_is_none_and_never_zero() -> None:
    found = by_name(reading(0, disk_reads=1), reading(1))
    assert set(found.values()) == {None}
    nothing = deltas(reading(0), reading(1))
    assert set(nothing.values()) == {None}


def test_a_level_is_what_stands_at_the_end() -> None:
    found = by_name(reading(0, available_mb=500, dirty_mb=3), reading(1, available_mb=400, dirty_mb=9))
    assert (found["host.memory_available_mb"], found["host.dirty_mb"]) == (400, 9)


def test_waiting_that_goes_back_is_no_waiting() -> None:
    before, after = reading(0, cpu_iowait=9, cpu_total=100), reading(1, cpu_iowait=8, cpu_total=300)
    assert by_name(before, after)["host.iowait_pct"] == 0.0


def test_a_restarted_server_has_no_figures_over_its_restart() -> None:
    before, after = reading(0, 7, server_cpu_s=9, disk_reads=1), reading(1, 8, server_cpu_s=10, disk_reads=4)
    assert by_name(before, after)["server.cpu_pct"] is None
    assert by_name(before, after)["disk.reads"] == 3
    assert deltas(before, after)["cpu_us"] is None


def test_what_a_step_used_is_named_as_the_figures_per_query_are() -> None:
    tick_us = 1e6 / os.sysconf("SC_CLK_TCK")
    before = reading(0, cpu_busy=100, server_cpu_s=1.0, context_switches=10, disk_write_kb=4, disk_busy_s=1)
    after = reading(9, cpu_busy=300, server_cpu_s=1.5, context_switches=40, disk_write_kb=6, disk_busy_s=3)
    found = deltas(before, after)
    assert found["machine_cpu_us"] == 200 * tick_us
    assert (found["cpu_us"], found["disk_busy_us"]) == (500000, 2000000)
    assert (found["context_switches"], found["written_kb"], found["read_kb"]) == (30, 2, None)


def test_series_are_declared_as_the_journal_wants_them() -> None:
    assert {each.kind for each in SERIES} <= {"gauge", "rate"}
    assert {each.direction for each in SERIES} <= {"higher", "lower", ""}
    names = {each.name for each in SERIES}
    assert len(names) == len(SERIES)
    assert names >= {
        "host.cpu_pct",
        "server.cpu_pct",
        "sysbench.cpu_pct",
        "host.context_switches",
        "disk.read_kb",
        "disk.write_kb",
        "disk.busy_pct",
        "server.read_kb",
        "server.write_kb",
    }


def burn(seconds: float) -> None:
    until = time.process_time() + seconds
    while time.process_time() < until:
        pass


def test_the_cpu_of_a_process_is_what_the_kernel_accounts_to_it() -> None:
    sampler = HostSampler({"server": os.getpid()}, "/")
    before, used = sampler.read(), resource.getrusage(resource.RUSAGE_SELF)
    burn(0.2)
    after, now = sampler.read(), resource.getrusage(resource.RUSAGE_SELF)
    sampler.close()
    own = (now.ru_utime + now.ru_stime) - (used.ru_utime + used.ru_stime)
    found = deltas(before, after)
    assert found["cpu_us"] == pytest.approx(own * 1e6, rel=0.05)
    assert found["context_switches"] is not None
    megabytes = by_name(before, after)["server.memory_mb"]
    assert megabytes is not None and 5 < megabytes < 2000


def test_what_a_process_writes_is_seen(tmp_path: object) -> None:
    sampler = HostSampler({"server": os.getpid()}, str(tmp_path))
    before = sampler.read()
    path = os.path.join(str(tmp_path), "written")
    fd = os.open(path, os.O_WRONLY | os.O_CREAT)
    os.write(fd, os.urandom(1 << 20))
    os.fsync(fd)
    os.close(fd)
    after = sampler.read()
    sampler.close()
    problems = sampler.take_problems()
    written = deltas(before, after)
    if not any("disk values" in each for each in problems):
        assert written["written_kb"] is not None and written["written_kb"] >= 1024
        assert written["server_written_kb"] is not None and written["server_written_kb"] >= 1024


def test_a_process_that_has_gone_is_missing_and_the_rest_stays() -> None:
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    pids: dict[str, int | None] = {"server": os.getpid(), "sysbench": child.pid}
    sampler = HostSampler(lambda: pids, "/")
    before = sampler.read()
    assert before.pids == {"server": os.getpid(), "sysbench": child.pid}
    sampler.take_problems()  # / may have no block device, as in a container
    child.communicate(b"\n")
    after = sampler.read()
    assert after.pids == {"server": os.getpid()}
    found = by_name(before, after)
    assert found["sysbench.cpu_pct"] is None and found["server.cpu_pct"] is not None
    pids["sysbench"] = None
    assert sampler.read().pids == {"server": os.getpid()}
    assert sampler.take_problems() == []
    sampler.close()


def test_a_directory_without_a_disk_is_told_once() -> None:
    sampler = HostSampler({}, "/proc")
    first, second = sampler.read(), sampler.read()
    found = by_name(first, second)
    assert found["disk.reads"] is None and found["host.memory_available_mb"] is not None
    problems = sampler.take_problems()
    assert len(problems) == 1 and "/proc" in problems[0]
    sampler.read()
    assert sampler.take_problems() == []
    sampler.close()


def test_a_machine_that_only_drives_is_named_and_has_no_disk() -> None:
    sampler = HostSampler({}, "/")
    before, there = sampler.read(), {each.name: each.label for each in sampler.declare()}
    sampler.only_drives()
    found = {each.name: each.label for each in sampler.declare()}
    assert len(sampler.rates(before, sampler.read(), 1.0)) == len(found)
    sampler.close()
    gone = {name for name in there if name.startswith(("disk.", "server."))} | {"host.dirty_mb"}
    assert gone | {"others.read_kb", "others.write_kb"} == {*there} - {*found} and "host.cpu_pct" in found
    assert all(label == f"Machine that drives: {there[name]}" for name, label in found.items())


def test_closing_leaves_no_file_open() -> None:
    before = set(os.listdir("/proc/self/fd"))
    sampler = HostSampler({"server": os.getpid(), "sysbench": os.getppid()}, "/")
    sampler.read()
    sampler.close()
    sampler.close()
    assert set(os.listdir("/proc/self/fd")) == before


def test_a_read_costs_less_than_sixty_small_files() -> None:
    """About 25 on every machine: 0.4 ms where a file of /proc takes 16 us."""
    sampler = HostSampler({"server": os.getpid(), "sysbench": os.getppid()}, "/")
    own_stat = Path("/proc/self/stat")
    assert cpu_s(sampler.read) < 60 * cpu_s(own_stat.read_bytes)
    sampler.close()


def cpu_s(work: Callable[[], object]) -> float:
    """The least of ten tries."""
    costs = []
    for _ in range(10):
        began = time.process_time()
        for _ in range(50):
            work()
        costs.append((time.process_time() - began) / 50)
    return min(costs)
