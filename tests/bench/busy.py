"""Another program that takes a CPU for some seconds, and leaves it alone for some: as neighbours do.

python -m tests.bench.busy CPU SEED        until its standard input ends
"""

from __future__ import annotations

import os
import random
import select
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

LONGEST_S = 8.0  # busy, or not
SHORTEST_S = 1.0
_LOOK_S = 0.1
END_S = 10


@contextmanager
def coming_and_going(seed: int) -> Iterator[int]:
    """A process of its own on the last CPU of the machine; gives its id."""
    cpu = max(os.sched_getaffinity(0))
    words = [sys.executable, "-m", "tests.bench.busy", str(cpu), str(seed)]
    process = subprocess.Popen(words, stdin=subprocess.PIPE)
    try:
        yield process.pid
    finally:
        assert process.stdin is not None
        process.stdin.close()
        process.wait(END_S)


def main() -> None:
    os.sched_setaffinity(0, {int(sys.argv[1])})
    chance, is_on = random.Random(int(sys.argv[2])), False
    while not _is_over(0.0):
        is_on = not is_on
        until = time.monotonic() + chance.uniform(SHORTEST_S, LONGEST_S)
        while time.monotonic() < until and not _is_over(0.0 if is_on else _LOOK_S):
            if is_on:
                _spin(_LOOK_S)


def _spin(seconds: float) -> None:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        pass


def _is_over(wait_s: float) -> bool:
    """Whether who began it has closed the pipe, or is gone."""
    return bool(select.select([sys.stdin], [], [], wait_s)[0])


if __name__ == "__main__":
    main()
