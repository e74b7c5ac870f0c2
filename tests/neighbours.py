"""Programs of one name beside a session that only burn CPU."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

NAME = "noisy-neighbour"  # 15 characters: as much of a name as the kernel keeps


@contextmanager
def burning(folder: Path, count: int = 4) -> Iterator[list[subprocess.Popen[bytes]]]:
    program = folder / NAME
    program.symlink_to(os.path.realpath(sys.executable))
    there = [subprocess.Popen([program, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield there
    finally:
        end(there)


def end(there: list[subprocess.Popen[bytes]]) -> None:
    for each in there:
        each.kill()
        each.wait()
