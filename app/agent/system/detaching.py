"""Processes that outlive the command that began them, and the connection it came over."""

from __future__ import annotations

import os
import signal
import sys
import traceback
from typing import Callable


def detach(action: Callable[[], None], log: str) -> int:
    """Fork twice, so that no terminal and no connection holds the child; the answer is its process id."""
    reader, writer = os.pipe()
    first = os.fork()
    if first == 0:
        os.setsid()
        if os.fork() == 0:
            os.write(writer, str(os.getpid()).encode())
            _run(action, log)
        os._exit(0)
    os.close(writer)
    os.waitpid(first, 0)
    pid = int(os.read(reader, 20))
    os.close(reader)
    return pid


def _run(action: Callable[[], None], log: str) -> None:
    code = 1
    try:
        _leave_streams(log)
        action()
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)


def _leave_streams(log: str) -> None:
    """Let go of the three standard streams, else the connection would stay open."""
    os.chdir("/")
    null = os.open(os.devnull, os.O_RDWR)
    out = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    for fd, target in ((0, null), (1, out), (2, out)):
        os.dup2(target, fd)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
