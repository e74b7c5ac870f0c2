"""What a machine has for stacks and counters, and how the frames of a server can be unwound."""

from __future__ import annotations

import mmap
import os
import shutil
import subprocess
import tempfile
from functools import lru_cache
from typing import Iterable, List, NamedTuple, Tuple

from app.agent.system.commands import output_of

from .perf import COUNTERS, DWARF, FRAME_POINTERS, INSTRUCTIONS, perf_stat_counters

TRY_S = 10
YAMA = "/proc/sys/kernel/yama/ptrace_scope"
# `push %rbp; mov %rsp,%rbp` and `mov x29,sp`: how a function begins that has a frame pointer
_PROLOGUES = (b"\x55\x48\x89\xe5", b"\xfd\x03\x00\x91")
_ENOUGH = 2_000  # of them in a server; one without has a few dozen, by chance or in Assembler
_HARDWARE = ("cycles", "instructions", "branch_misses", "cache_misses", "tlb_misses")


class Tools(NamedTuple):
    """What is there; texts say why something is not."""

    event: str = ""  # that perf takes samples by; '': no perf
    counters: Tuple[str, ...] = ()  # events of perf that the machine counts
    dumper: str = ""  # eu-stack or gdb; '' if neither may be used
    kernel_stacks: bool = False
    no_perf: str = ""
    no_dumper: str = ""

    @property
    def has_hardware_counters(self) -> bool:
        return any(COUNTERS[event] in _HARDWARE for event in self.counters)


def find_profiling_tools() -> Tools:
    """Try what there is: it takes a tenth of a second."""
    counters = _counters(COUNTERS)
    event = "cycles" if "cycles" in counters else "cpu-clock"
    no_perf = _why_no_perf(event)
    dumper, no_dumper = _dumper()
    kernel_stacks = os.access("/proc/{}/task/{}/stack".format(os.getpid(), os.getpid()), os.R_OK)
    return Tools(
        "" if no_perf else event,
        () if no_perf else counters,
        dumper,
        kernel_stacks and os.geteuid() == 0,
        no_perf,
        no_dumper,
    )


@lru_cache(maxsize=None)  # it takes a while, and does not change while the agent runs
def counted_instructions() -> Tuple[str, ...]:
    """The event of instructions, if the processor counts it; it costs a step nothing."""
    return _counters((INSTRUCTIONS,))


def _counters(events: Iterable[str]) -> Tuple[str, ...]:
    if not shutil.which("perf"):
        return ()
    with tempfile.NamedTemporaryFile() as file:
        _run(["perf", "stat", "-x", ",", "-e", ",".join(events), "-o", file.name, "--", "true"])
        found = perf_stat_counters(file.read().decode("utf-8", "replace"))
    return tuple(event for event in events if found.get(COUNTERS[event]) is not None)


def _why_no_perf(event: str) -> str:
    """Why perf takes no samples here; '' if it does."""
    if not shutil.which("perf"):
        return "perf is not installed"
    with tempfile.NamedTemporaryFile() as file:
        problem = _run(["perf", "record", "-q", "-e", event, "-o", file.name, "--", "true"])
    if not problem:
        return ""
    try:
        with open("/proc/sys/kernel/perf_event_paranoid", encoding="ascii") as setting:
            return "perf may not be used: kernel.perf_event_paranoid is {}".format(setting.read().strip())
    except OSError:
        return "perf does not work: {}".format(problem)


def _run(command: List[str]) -> str:
    """What is wrong with a command, in a line; '' if it ended well."""
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            timeout=TRY_S,
            env={**os.environ, "LC_ALL": "C"},
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    lines = done.stderr.decode("utf-8", "replace").split("\n")
    return "" if done.returncode == 0 else next(filter(None, map(str.strip, lines)), "no message")[:200]


def _dumper() -> Tuple[str, str]:
    """eu-stack, else gdb; or why neither."""
    found = next(filter(shutil.which, ("eu-stack", "gdb")), "")
    if not found:
        return "", "neither eu-stack nor gdb is installed"
    if os.geteuid() and _yama() > 0:
        return "", "only root may use {}: kernel.yama.ptrace_scope is {}".format(found, _yama())
    return found, ""


def _yama() -> int:
    try:
        with open(YAMA, encoding="ascii") as file:
            return int(file.read())
    except (OSError, ValueError):
        return 0


# the server


def unwinding_of(program: str) -> str:
    """Frame pointers where the program has them, as they cost little; else DWARF."""
    try:
        with open(program, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as code:
            has_them = any(_has(code, prologue, _ENOUGH) for prologue in _PROLOGUES)
    except (OSError, ValueError):
        return DWARF
    return FRAME_POINTERS if has_them else DWARF


def _has(code: mmap.mmap, pattern: bytes, times: int) -> bool:
    at = -1
    for _ in range(times):
        at = code.find(pattern, at + 1)
        if at < 0:
            return False
    return True


def symbols_package(program: str) -> str:
    """The package with the names of functions of a program from a package; '' if it is from none."""
    found = output_of(["dpkg", "-S", os.path.realpath(program)])
    if found:
        return found.split(":")[0] + "-dbgsym"
    found = output_of(["rpm", "-qf", "--qf", "%{NAME}", os.path.realpath(program)])
    return found + "-debuginfo" if found and " " not in found else ""
