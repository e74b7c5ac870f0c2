"""Stacks on the CPU and counters of a process by `perf`, with a bound for its file and for its time."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import threading
from typing import Dict, Iterable, List, Optional, Sequence, Tuple

from app.protocol.stacks import Folded

from .names import is_unnamed_frame, safe_thread_name, short_function_name

FRAME_POINTERS, DWARF = "frame pointers", "DWARF"
_MODES = {FRAME_POINTERS: "fp", DWARF: "dwarf,16384"}  # bytes of the stack that are copied for each sample
_FASTEST_HZ = {FRAME_POINTERS: 199, DWARF: 49}
_MOST_SAMPLES = {FRAME_POINTERS: 100_000, DWARF: 8_000}
MOST_BYTES = 256 << 20  # of its file: then it ends
END_S, READ_S = 10, 120
DEEPEST = 128  # frames

INSTRUCTIONS = "instructions:u"  # those of the server itself: what the kernel does for it varies
# events of perf, and the names of the costs
COUNTERS = {
    "cycles": "cycles",
    INSTRUCTIONS: "instructions",
    "branch-misses": "branch_misses",
    "cache-misses": "cache_misses",
    "dTLB-load-misses": "tlb_misses",
    "page-faults": "page_faults",
}
_FRAME = re.compile(r"^\s+[0-9a-f]+ (.*) \(([^()]*)\)$")
_HEAD = re.compile(r"^(\S.*?)\s+\d+\s*$")
_ENGLISH = {"LC_ALL": "C"}


def rate_for(unwinding: str, seconds: int) -> int:
    """Samples per second of each CPU: few enough for the file of a long step on many CPUs."""
    cpus = os.cpu_count() or 1
    return max(1, min(_FASTEST_HZ[unwinding], _MOST_SAMPLES[unwinding] // (max(1, seconds or 600) * cpus)))


class _Perf:
    """A perf that watches a process until it is ended."""

    def __init__(self, arguments: Sequence[str], path: str) -> None:
        self.path = path
        self._process = subprocess.Popen(
            ["perf", *arguments, "-o", path],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            env={**os.environ, **_ENGLISH},
        )

    def end(self) -> None:
        """End it; it writes the rest of its file."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)
        try:
            self._process.wait(END_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def remove(self) -> None:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self.path)


class CpuStackRecording(_Perf):
    """Stacks on the CPU."""

    def __init__(self, pid: int, path: str, event: str, unwinding: str, seconds: int) -> None:
        self.event, self.unwinding, self.rate_hz = event, unwinding, rate_for(unwinding, seconds)
        mode = ["-F", str(self.rate_hz), "--call-graph", _MODES[unwinding]]
        super().__init__(["record", "-q", "-e", event, *mode, "-p", str(pid)], path)

    def look(self) -> None:
        """End it if its file is too large."""
        with contextlib.suppress(FileNotFoundError):
            if os.stat(self.path).st_size > MOST_BYTES:
                self.end()

    def folded(self) -> Tuple[Folded, float]:
        """The stacks with their samples, and the share of frames without a name."""
        reader = subprocess.Popen(
            ["perf", "script", "-i", self.path, "-F", "comm,tid,ip,sym,dso", "--no-inline"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **_ENGLISH},
        )
        limit = threading.Timer(READ_S, reader.kill)
        limit.start()
        try:
            assert reader.stdout is not None
            return fold(line.decode("utf-8", "replace") for line in reader.stdout)
        finally:
            limit.cancel()
            reader.kill()
            reader.communicate()


class PerfStatCounters(_Perf):
    """Counters of the processor and the kernel."""

    def __init__(self, pid: int, path: str, events: Sequence[str]) -> None:
        super().__init__(["stat", "-x", ",", "-e", ",".join(events), "-p", str(pid)], path)

    def spent(self) -> Dict[str, Optional[float]]:
        """The counts, by the names of costs."""
        try:
            with open(self.path, encoding="utf-8", errors="replace") as file:
                return perf_stat_counters(file.read(1 << 16))
        except OSError:
            return {}


def fold(lines: Iterable[str]) -> Tuple[Folded, float]:
    """The stacks in what `perf script` prints, and the share of frames without a name."""
    found: Folded = {}
    thread, all_frames, unnamed = "", 0, 0
    frames: List[str] = []
    for line in _with_end(lines):
        frame = _FRAME.match(line)
        if frame:
            frames.append(short_function_name(*frame.groups()))
        elif line.strip():
            head = _HEAD.match(line)
            thread = safe_thread_name(head.group(1)) if head else thread
        elif frames:
            stack = ";".join([thread, *reversed(frames[:DEEPEST])])
            found[stack] = found.get(stack, 0) + 1
            all_frames, unnamed = all_frames + len(frames), unnamed + sum(map(is_unnamed_frame, frames))
            frames = []
    return found, unnamed / all_frames if all_frames else 0.0


def _with_end(lines: Iterable[str]) -> Iterable[str]:
    yield from lines
    yield ""


def perf_stat_counters(text: str) -> Dict[str, Optional[float]]:
    """The counters in what `perf stat -x ,` prints; None where the machine does not have one."""
    found: Dict[str, Optional[float]] = {}
    for line in text.splitlines():
        parts = line.split(",")
        event = parts[2] if len(parts) > 2 else ""
        name = COUNTERS.get(event) or COUNTERS.get(event.split(":")[0])  # perf may add :u by itself
        if name:
            found[name] = float(parts[0]) if parts[0].isdecimal() else None
    return found
