"""Cuts the power of a server: what its disk has not got is lost, as if the machine had gone dark.

What has reached the disk counts as written, in whatever order: a cache of the disk itself is not cut off.
"""

from __future__ import annotations

import contextlib
import glob
import os
import signal
import time
from typing import TYPE_CHECKING

from app.agent.system.disk import read_text

if TYPE_CHECKING:
    from app.agent.server.server import Server
    from app.agent.system.loop_disk import LoopDisk

STILL_S = 5.0


def cut_power(server: Server, disk: LoopDisk) -> None:
    """Stop the server, cut its file system off, kill it; then mount that again, ready for a start.

    A server that goes on after the cut would acknowledge commits that no disk has.
    """
    pid = server.pid
    server.halt()
    with contextlib.suppress(ProcessLookupError):  # a script may have put it into a group of its own
        os.kill(pid, signal.SIGSTOP)
    _wait_until_still(pid)
    disk.cut()
    server.end_at_once()
    disk.unmount()
    disk.mount()


def _wait_until_still(pid: int) -> None:
    """Wait until no thread runs; one that waits in the kernel stops before it returns from there."""
    until = time.monotonic() + STILL_S
    while time.monotonic() < until and {"R", "S"} & _states(pid):
        time.sleep(0.001)


def _states(pid: int) -> set[str]:
    """The states of its threads."""
    texts = (read_text(path) or "" for path in glob.glob("/proc/{}/task/[0-9]*/stat".format(pid)))
    return {text.rpartition(") ")[2][:1] for text in texts}
