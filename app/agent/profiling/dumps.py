"""Stacks of all threads by eu-stack or gdb, which stop the server for each: few, and bounded in time."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import time
from typing import Dict, Iterator, List, Optional, Set, Tuple

from app.protocol.stacks import Folded

from .names import is_unnamed_frame, safe_thread_name, short_function_name

MOST = 20  # dumps of a step
LONGEST_S = 10.0  # then it is ended
LEAST_GAP_S = 1.0
SHARE = 20  # times as long between two dumps as a dump takes
MOST_BYTES = 16 << 20
COMMANDS = {
    "eu-stack": ["eu-stack", "-p", "{pid}"],
    "gdb": ["gdb", "-nx", "-batch", "-p", "{pid}", "-ex", "thread apply all bt"],
}
_THREAD = re.compile(r"^(?:TID (\d+):|Thread \d+ \(.*\bLWP (\d+)\))")
_FRAME = re.compile(r"^#\d+\s+(?:0x[0-9a-f]+(?: in)?\s*)?(.*)$")
_FILE = re.compile(r" from (\S+)$")
_PLACE = re.compile(r" at \S+:\d+$")


class StackDumps:
    """Dumps of a process, one after the other."""

    def __init__(self, tool: str, pid: int, path: str) -> None:
        self._pid = pid
        self._path = path
        self._line = [word.format(pid=pid) for word in COMMANDS[tool]]
        self._process: Optional[subprocess.Popen[bytes]] = None
        self._began = 0.0
        self._next = 0.0
        self._names: Dict[int, str] = {}
        self._running: Set[int] = set()  # threads that ran or were about to when the dump began
        self.on_cpu: Folded = {}
        self.off_cpu: Folded = {}
        self.taken = 0
        self.stopped_s = 0.0
        self._frames = self._unnamed = 0

    @property
    def unnamed(self) -> float:
        return self._unnamed / self._frames if self._frames else 0.0

    def look(self) -> None:
        """Begin a dump if it is time, or take one that has ended."""
        now = time.monotonic()
        if self._process is None:
            if now >= self._next and self.taken < MOST:
                self._start(now)
        elif self._process.poll() is not None:
            self._take(now)
        elif now - self._began > LONGEST_S:
            self._give_up()
            self._take(now)

    def end(self) -> None:
        """Wait for the last one."""
        if self._process is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(LONGEST_S)
            self._give_up()
            self._take(time.monotonic())
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self._path)

    def _start(self, now: float) -> None:
        threads = dict(_threads(self._pid))
        self._names = {tid: name for tid, (name, _) in threads.items()}
        self._running = {tid for tid, (_, state) in threads.items() if state == "R"}
        with open(self._path, "wb") as out:
            self._process = subprocess.Popen(
                self._line,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
                env={**os.environ, "LC_ALL": "C", "DEBUGINFOD_URLS": ""},
            )
        self._began = now

    def _take(self, now: float) -> None:
        self._process = None
        took = now - self._began
        self._next = now + max(LEAST_GAP_S, SHARE * took)
        self.stopped_s += took
        self.taken += 1
        with open(self._path, encoding="utf-8", errors="replace") as file:
            found = stacks_by_thread(file.read(MOST_BYTES))
        for tid, frames in found.items():
            folded = self.on_cpu if tid in self._running else self.off_cpu
            stack = ";".join([self._names.get(tid) or "[thread]", *reversed(frames)])
            folded[stack] = folded.get(stack, 0) + 1
            self._frames += len(frames)
            self._unnamed += sum(map(is_unnamed_frame, frames))

    def _give_up(self) -> None:
        """End a dump that takes too long, and let the server go on."""
        if self._process is not None and self._process.poll() is None:
            self._process.kill()
            self._process.wait()
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._pid, signal.SIGCONT)


def stacks_by_thread(text: str) -> Dict[int, List[str]]:
    """The frames of each thread, the innermost first, in what eu-stack or gdb prints."""
    found: Dict[int, List[str]] = {}
    frames: List[str] = []
    for line in text.splitlines():
        thread, frame = _THREAD.match(line), _FRAME.match(line)
        if thread:
            frames = found[int(thread.group(1) or thread.group(2))] = []
        elif frame:
            frames.append(_name_of(frame.group(1)))
    return {tid: frames for tid, frames in found.items() if frames}


def _name_of(text: str) -> str:
    file = _FILE.search(text)
    name = _PLACE.sub("", _FILE.sub("", text))
    return short_function_name(name, file.group(1) if file else "")


def _threads(pid: int) -> Iterator[Tuple[int, Tuple[str, str]]]:
    """Each thread of a process, with its name and state."""
    folder = "/proc/{}/task".format(pid)
    with contextlib.suppress(OSError):
        for tid in os.listdir(folder):
            with contextlib.suppress(OSError, IndexError):
                with open("{}/{}/stat".format(folder, tid), encoding="utf-8", errors="replace") as file:
                    head, _, rest = file.read().rpartition(")")
                yield int(tid), (safe_thread_name(head.partition("(")[2]), rest.split()[0])
