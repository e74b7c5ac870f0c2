"""What else takes the machine: each cause brought about for real, where this machine lets us."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from app.agent.sampling import other_processes
from app.agent.sampling.disturbance import DisturbanceLimits, others_between
from app.agent.sampling.host import HostSampler, others_cpu_s
from app.agent.sampling.other_processes import OtherProcesses
from app.agent.sampling.proc_files import parse_pressure, parse_process, parse_switches, parse_vmstat
from app.agent.sampling.process import ThreadCounters, throttled_s
from app.agent.sampling.reading import Reading
from app.agent.server.affinity import count_cpus
from app.agent.system.own_process import CODE
from app.protocol.others import Others, ProcessesOfName
from app.protocol.reading import read
from app.protocol.step_parts import to_json
from tests.memory_hog import NAME, reading_again, swapping
from tests.neighbours import NAME as NEIGHBOUR
from tests.neighbours import burning

Hog = Callable[[Path], AbstractContextManager[object]]
MEASURED = ("server_cpu_s", "sysbench_cpu_s")
ALLOWED = DisturbanceLimits(others_pct=5, steal_pct=101)
STAT = b"42 (a (b) c) S 1 1 1 0 -1 4194304 10 0 0 0 250 50 7 3 20 0 2 0 900 1000 512 1 2 3"
KERNEL = b"9 (kworker/0:1) I 2 0 0 0 -1 69238880 0 0 0 0 0 12 0 0 20 0 1 0 30 0 0 1"


@contextmanager
def program(*argv: str) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def burner() -> AbstractContextManager[subprocess.Popen[bytes]]:
    return program(sys.executable, "-c", "while True: pass")


def watched(seconds: float, directory: str = "/", **pids: int) -> Others:
    """What a step of so long would be told."""
    sampler = HostSampler({"server": os.getpid(), **pids}, directory)
    sampler.others.begin()
    first = sampler.read(whole=True)
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        before = sampler.read()
        time.sleep(0.25)
        after = sampler.read()
        sampler.watch(before, after, after.at - before.at)
    last = sampler.read(whole=True)
    sampler.close()
    return others_between(first, last, sampler.others, ALLOWED)


def test_a_process_is_read_whatever_it_is_called() -> None:
    found = parse_process(STAT)
    assert (found.name, found.state, found.is_kernel) == ("a (b) c", "S", False)
    assert (found.ticks, found.children, found.began) == (300, 10, 900)
    assert parse_process(KERNEL).is_kernel


def test_files_of_the_kernel_become_seconds_and_kb() -> None:
    pressure = b"some avg10=0.00 avg60=0.00 avg300=0.00 total=1500000\nfull avg10=0.0 total=20\n"
    assert parse_pressure(pressure, "io") == {"pressure_io_some_s": 1.5, "pressure_io_full_s": 2e-05}
    page_kb = os.sysconf("SC_PAGE_SIZE") / 1024
    assert parse_vmstat(b"nr 1\npswpin 3\npswpout 4\nx 2\n") == {"swap_kb": 7 * page_kb}
    status = b"Name:\tx\nvoluntary_ctxt_switches:\t5\nnonvoluntary_ctxt_switches:\t2\n"
    assert parse_switches(status) == (5, 2)


def test_a_busy_loop_is_seen_and_named(tmp_path: Path) -> None:
    with burning(tmp_path, 2):
        found = watched(1.2)
    assert found.cpu_pct is not None and found.cpu_pct > 20
    assert "cpu" in found.causes
    assert any(text.startswith("other programs took ") and f"{NEIGHBOUR} (2)" in text for text in found.texts)


def test_the_server_the_load_and_dyno_are_not_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(other_processes, "NAMED", 1 << 20)  # also those that take little
    with burning(tmp_path, 3) as (server, load, _):
        sampler = HostSampler({"server": server.pid, "sysbench": load.pid}, "/")
        sampler.others.begin()
        first = sampler.read(whole=True)
        time.sleep(0.5)
        sampler.others.look(at_once=True)
        last = sampler.read(whole=True)
        sampler.close()
        seen, everything = (
            {each.name: each.processes for each in sampler.others.most(without)}
            for without in ({server.pid, load.pid}, ())
        )
    assert (seen[NEIGHBOUR], everything[NEIGHBOUR]) == (1, 3)
    took, of_all = others_cpu_s(first, last), others_cpu_s(unmeasured(first), unmeasured(last))
    measured = sum(last.counters[name] - first.counters[name] for name in MEASURED)
    assert took is not None and of_all is not None and measured > 0
    assert of_all - took == pytest.approx(measured)


def unmeasured(reading: Reading) -> Reading:
    """As if server and load were programs like all others."""
    counters = {name: value for name, value in reading.counters.items() if name not in MEASURED}
    return Reading(reading.at, counters, {})


def test_what_another_program_writes_is_told_by_name(tmp_path: Path) -> None:
    script = (
        "import os, sys\nfd = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT)\n"
        "while True:\n os.pwrite(fd, os.urandom(1 << 20) * 8, 0)\n os.fdatasync(fd)"
    )
    with program(sys.executable, "-c", script, str(tmp_path / "written")):
        found = watched(2.0, str(tmp_path))
    if found.write_kb is None:  # no block device lies under the tests here: nothing was written to one
        assert "disk" not in found.causes
    else:
        assert "disk" in found.causes
        assert any("wrote" in text for text in found.texts)


def test_a_stopped_load_is_told() -> None:
    with program("sleep", "60") as load:
        load.send_signal(signal.SIGSTOP)
        time.sleep(0.1)
        found = watched(1.0, sysbench=load.pid)
    assert "stopped" in found.causes
    assert found.stopped_s["sysbench"] >= 2
    assert any("sysbench was stopped for" in text for text in found.texts)


@pytest.mark.root
def test_a_quota_on_the_server_is_told() -> None:
    group = Path("/sys/fs/cgroup/cpu/dyno-test-quota")
    try:
        group.mkdir()
        (group / "cpu.cfs_quota_us").write_text("10000")
    except OSError:
        pytest.skip("no group with a CPU quota can be made here")
    try:
        with burner() as server:
            (group / "cgroup.procs").write_text(str(server.pid))
            found = watched(1.0, server=server.pid)
    finally:
        time.sleep(0.2)
        group.rmdir()
    assert "quota" in found.causes
    assert found.throttled_pct is not None and found.throttled_pct > 30


@pytest.mark.root
@pytest.mark.full
@pytest.mark.parametrize("hog", [swapping, reading_again])
def test_a_memory_hog_is_told_by_its_swapping_and_its_pressure(hog: Hog, on_disk: Path) -> None:
    """Without swap its pages are read again from its file: tasks wait for memory all the same."""
    with hog(on_disk):
        time.sleep(0.5)  # until it has what it gets
        found = watched(2.0)
    assert ("swap" in found.causes) == (hog is swapping)
    if hog is swapping:
        assert found.swap_kb is not None and found.swap_kb > 1024
        assert any(text.startswith("the machine swapped ") for text in found.texts)
    if os.access("/proc/pressure/memory", os.R_OK):
        assert "memory" in found.causes
        (text,) = [text for text in found.texts if text.startswith("tasks waited for memory for ")]
        assert NAME in text or len(found.programs) == 3  # of other tests, which took more CPU


def reading(at: float, **counters: float) -> Reading:
    return Reading(at, {"server_cpu_s": 0.0, **counters}, {"server": os.getpid()})


@pytest.mark.parametrize(
    ("counter", "grown", "cause"),
    [
        ("swap_kb", 4, "swap"),
        ("heat_events", 1, "heat"),
        ("pressure_memory_some_s", 0.5, "memory"),
        ("server_throttled_s", 0.5, "quota"),
        ("cpu_steal", 60, "steal"),
    ],
)
def test_what_this_machine_cannot_bring_about_is_told_from_its_counters(
    counter: str, grown: float, cause: str
) -> None:
    before = reading(0, cpu_total=0, **{counter: 0})
    after = reading(10, cpu_total=2000, **{counter: grown})
    found = others_between(before, after, OtherProcesses(b"no-such-word"), DisturbanceLimits(5, 2))
    assert found.causes == [cause]
    assert len(found.texts) == 1
    assert read(Others, json.loads(json.dumps(found, default=to_json))) == found


@pytest.mark.parametrize(
    ("seconds", "grown", "causes"),
    [
        # a table is altered: 3 MiB are the file system's own, of the server's 0.3
        (0.035, {"disk_write_kb": 2768.0, "server_write_kb": 348.0}, []),
        (10.0, {"disk_write_kb": 27680.0, "server_write_kb": 3480.0}, ["disk"]),
        # of each CPU; the machine's ticks and those of the server are read one after the other
        (0.035, {"cpu_busy": 2.0}, []),
        (10.0, {"cpu_busy": 150.0}, ["cpu"]),
        (0.2, {"cpu_busy": 10.0}, ["cpu"]),
        (0.035, {"cpu_steal": 1.0}, []),
        (10.0, {"cpu_steal": 50.0}, ["steal"]),
        (0.2, {"cpu_steal": 3.0}, ["steal"]),
    ],
)
def test_of_a_short_step_a_tick_or_a_write_of_the_file_system_is_no_other_program(
    seconds: float, grown: dict[str, float], causes: list[str]
) -> None:
    names = (*grown, "cpu_busy", "cpu_interrupts", "dyno_cpu_s", "disk_read_kb", "server_read_kb")
    of_all = {name: value * (count_cpus() if name == "cpu_busy" else 1) for name, value in grown.items()}
    before = reading(0, cpu_total=0, **dict.fromkeys(names, 0))
    after = reading(seconds, cpu_total=200 * seconds, **{**dict.fromkeys(names, 0), **of_all})
    nobody = OtherProcesses(b"no-such-word")
    assert others_between(before, after, nobody, DisturbanceLimits(5, 2)).causes == causes


def test_a_server_with_a_memory_limit_runs_short_of_memory_by_itself() -> None:
    before, after = reading(0, swap_kb=0, cpu_total=0), reading(10, swap_kb=9, cpu_total=2000)
    found = others_between(
        before, after, OtherProcesses(b"no-such-word"), DisturbanceLimits(5, 2, swaps=True)
    )
    assert found.causes == []


def test_of_a_machine_that_only_drives_the_disk_disturbs_nobody() -> None:
    busy = {"cpu_total": 2000, "disk_write_kb": 1e6, "server_write_kb": 0, "swap_kb": 9}
    before, after = reading(0, **dict.fromkeys(busy, 0)), reading(10, **busy)
    nobody = OtherProcesses(b"no-such-word")
    here = others_between(before, after, nobody, DisturbanceLimits(5, 2))
    found = others_between(before, after, nobody, DisturbanceLimits(5, 2, only_drives=True))
    assert here.causes == ["disk", "swap"] and here.only_drives is None and here.where == ""
    assert found.causes == ["swap"] and found.to_json()["only_drives"] is True
    assert found.texts == ["on the machine that drives, the machine swapped 0.0 MiB"]


def test_programs_that_had_ended_are_the_rest() -> None:
    others = Others(
        cpus=2, cpu_pct=150, programs=[ProcessesOfName("make", 1, 20.0)], causes=["cpu", "unheard-of"]
    )
    assert others.texts == ["other programs took 150% of 200% CPU: make 20%, others 130%"]


def test_threads_that_end_take_their_switches_along_and_new_ones_bring_theirs() -> None:
    with napping(200):
        first = ThreadCounters.of(os.getpid())
    with napping(50):
        last = ThreadCounters.of(os.getpid())
    assert first is not None and last is not None
    voluntary, _ = last.switches_since(first)
    assert voluntary >= 50  # those of the thread that is gone are not taken off
    assert ThreadCounters.of(None) is None
    assert ThreadCounters.of(2**22 + 1) is None


@contextmanager
def napping(times: int) -> Iterator[None]:
    """A thread that has given up its CPU so often, and lives on until the end."""
    napped, end = threading.Event(), threading.Event()

    def nap() -> None:
        for _ in range(times):
            time.sleep(0.0005)
        napped.set()
        end.wait()

    thread = threading.Thread(target=nap)
    thread.start()
    napped.wait()
    yield
    end.set()
    thread.join()


def test_a_group_that_is_gone_held_nobody_back(tmp_path: Path) -> None:
    path = tmp_path / "cpu.stat"
    assert throttled_s(str(path), "throttled_usec", 1e-6) == 0
    path.write_text("nr_throttled 3\nthrottled_usec 2500000\n")
    assert throttled_s(str(path), "throttled_usec", 1e-6) == 2.5


def test_without_a_server_all_but_dyno_and_the_kernel_are_others() -> None:
    with burner():
        sampler = HostSampler({}, "/")
        first = sampler.read(whole=True)
        time.sleep(0.5)
        took = others_cpu_s(first, sampler.read(whole=True))
        sampler.close()
    assert took is not None and took > 0.1


def test_what_programs_have_written_is_told_before_the_device_has_it() -> None:
    """Dirty pages of a file: the device writes them later, or never."""
    writer = ProcessesOfName("pytest", write_kb=4096.0)
    found = Others(cpus=2, read_kb=2048.0, write_kb=0.0, programs=[writer], causes=["disk"])
    assert found.texts == ["other programs and the file system read 2.0 and wrote 4.0 MiB/s: pytest"]


def test_what_carries_out_a_part_of_an_agent_is_dyno() -> None:
    """The relay to a server that runs already: else each of its steps would be called disturbed."""
    with program(sys.executable, "-c", "while True: pass", CODE):
        sampler = HostSampler({}, "/", "no-such-word")
        first = sampler.read(whole=True)
        time.sleep(0.5)
        last = sampler.read(whole=True)
        sampler.close()
    assert last.counters["dyno_cpu_s"] - first.counters["dyno_cpu_s"] > 0.1  # on a busy machine
