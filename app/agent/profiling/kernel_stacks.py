"""Where the threads of a server wait in the kernel, by /proc/PID/task/TID/stack, which only root can read."""

from __future__ import annotations

import contextlib
import os
import random
import re
import time
from typing import List

from app.protocol.stacks import KERNEL, Folded

from .names import short_name, thread_name

GAP_S = 0.25
MOST_THREADS = 64  # of each look, drawn anew
_FRAME = re.compile(r"^\[<[0-9a-f]+>\] ([\w.]+)")


class KernelStacks:
    """The stacks of threads that do not run."""

    def __init__(self, pid: int, proc: str = "/proc") -> None:
        self._folder = "{}/{}/task".format(proc, pid)
        self._next = 0.0
        self._draw = random.Random(pid)
        self.folded: Folded = {}

    def look(self) -> None:
        """Read the stacks of some threads, if it is time."""
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + GAP_S
        with contextlib.suppress(OSError):
            threads = sorted(os.listdir(self._folder))
            for tid in self._draw.sample(threads, min(MOST_THREADS, len(threads))):
                with contextlib.suppress(OSError):
                    self._add(os.path.join(self._folder, tid))

    def _add(self, thread: str) -> None:
        head, _, rest = _read(os.path.join(thread, "stat")).rpartition(")")
        if rest.split()[:1] == ["R"]:
            return
        frames = frames_of(_read(os.path.join(thread, "stack")))
        if frames:
            stack = ";".join([thread_name(head.partition("(")[2]), *reversed(frames)])
            self.folded[stack] = self.folded.get(stack, 0) + 1


def frames_of(text: str) -> List[str]:
    """The functions of a stack of the kernel, the innermost first."""
    found = (_FRAME.match(line) for line in text.splitlines())
    return [short_name(each.group(1)) + KERNEL for each in found if each]


def _read(path: str) -> str:
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()
