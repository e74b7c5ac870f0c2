"""A program that gets less memory than it uses: the kernel swaps for it, or reads its file again and again.

Needs root: it has a group with a limit of its own, and swap is a file that only lives as long as the test.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from app.agent.server.cgroup import make_group
from app.agent.system.errors import AgentError

NAME = "memory-hog"
MB = 1 << 20
LIMIT, USED, SWAP = 48 * MB, 128 * MB, 256 * MB
_WAITS = "import mmap, sys\nsys.stdin.read()\n"
_CHANGES = (
    _WAITS
    + f"""\
held = bytearray({USED})
while True:
    for at in range(0, len(held), 4096):
        held[at] = held[at] + 1 & 255
"""
)
_READS = (
    _WAITS
    + """\
with open(sys.argv[1], "rb") as file:
    held = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)
while True:
    for at in range(0, len(held), 4096):
        held[at]
"""
)


@contextmanager
def swapping(folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """It changes memory of its own."""
    file = folder / "swap"
    with file.open("wb") as made:
        os.chmod(file, 0o600)
        os.posix_fallocate(made.fileno(), 0, SWAP)
    try:
        _carry_out("mkswap", file)
        _carry_out("swapon", file)
        try:
            with _hog(folder, _CHANGES) as process:
                yield process
        finally:
            _carry_out("swapoff", file)
    finally:
        file.unlink()


@contextmanager
def reading_again(folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """It reads a file that does not fit; no swap is needed."""
    file = folder / "mapped"
    with file.open("wb") as made:
        for _ in range(USED // MB):
            made.write(os.urandom(MB))
        made.flush()
        os.fsync(made.fileno())
        os.posix_fadvise(made.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)  # else it counts as that of the test
    try:
        with _hog(folder, _READS, file) as process:
            yield process
    finally:
        file.unlink()


@contextmanager
def _hog(folder: Path, script: str, *words: Path) -> Iterator[subprocess.Popen[bytes]]:
    """It begins once it is in its group."""
    program = folder / NAME
    program.symlink_to(os.path.realpath(sys.executable))
    try:
        group = Path(make_group(f"dyno-test-hog-{os.getpid()}", LIMIT))
    except AgentError as error:
        pytest.skip(str(error))
    try:
        _allow_swap(group)
        with subprocess.Popen([program, "-c", script, *words], stdin=subprocess.PIPE) as process:
            try:
                (group / "cgroup.procs").write_text(str(process.pid))
                assert process.stdin is not None
                process.stdin.close()
                yield process
            finally:
                process.kill()
    finally:
        program.unlink()
        _remove(group)


def _allow_swap(group: Path) -> None:
    """A group of Dyno's has none."""
    for name, most in (("memory.memsw.limit_in_bytes", "-1"), ("memory.swap.max", "max")):
        if (group / name).exists():
            (group / name).write_text(most)


def _remove(group: Path) -> None:
    until = time.monotonic() + 10
    while True:
        try:
            return group.rmdir()
        except OSError:
            assert time.monotonic() < until, f"{group} stays"
            time.sleep(0.05)


def _carry_out(word: str, file: Path) -> None:
    done = subprocess.run([f"/sbin/{word}", file], capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"this machine takes no swap file: {done.stderr.strip()}")
