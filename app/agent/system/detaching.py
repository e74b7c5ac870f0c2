"""Processes that outlive the command that began them, and the connection it came over."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import sys
import traceback
from functools import partial
from typing import Callable, Iterator, Optional

from .errors import AgentError


def detach(action: Callable[[], None], log: str, if_killed: Optional[Callable[[], None]] = None) -> int:
    """Fork twice, so that no terminal and no connection holds the child; the answer is its process id.

    `if_killed`: what its guardian does if a signal ends it. The guardian is its parent, and only waits.
    """
    reader, writer = os.pipe()
    first = os.fork()
    if first == 0:
        os.setsid()
        if os.fork() == 0:
            os.close(reader)
            _end_with(partial(_begin, action, log, if_killed, writer))
        os._exit(0)
    os.close(writer)
    os.waitpid(first, 0)
    with open(reader, encoding="ascii") as begun:
        pid = begun.read()
    if not pid:
        raise AgentError("the process could not begin: is there room for {}?".format(log))
    return int(pid)


@contextlib.contextmanager
def cleanup_if_killed(if_killed: Callable[[], object]) -> Iterator[None]:
    """Have a child carry that out if this process ends before the block does."""
    ours, theirs = socket.socketpair()
    child = os.fork()
    if child == 0:
        ours.close()
        _end_with(partial(_guard, theirs, if_killed))
    theirs.close()
    ours.recv(1)  # from here on it outlives what kills our group
    try:
        yield
    finally:
        with contextlib.suppress(OSError):  # somebody has killed it
            ours.sendall(b"over")
        ours.close()
        os.waitpid(child, 0)


def _guard(told: socket.socket, if_killed: Callable[[], object]) -> None:
    os.setsid()
    _leave_streams(os.devnull)
    told.sendall(b"1")
    if not told.recv(4):
        if_killed()


def _begin(
    action: Callable[[], None], log: str, if_killed: Optional[Callable[[], None]], writer: int
) -> None:
    _leave_streams(log)
    child = _fork_guarded() if if_killed else 0
    if not child:
        os.write(writer, str(os.getpid()).encode())
    os.close(writer)
    if not child:
        action()
    elif if_killed and _was_killed(child):
        if_killed()


def _fork_guarded() -> int:
    """Fork a child that signals reach alone; 0 in the child."""
    usual = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    child = os.fork()
    if not child:
        signal.signal(signal.SIGTERM, usual)
        os.setsid()
    return child


def _was_killed(child: int) -> bool:
    status = os.waitpid(child, 0)[1]
    if os.WIFSIGNALED(status):
        print("process {} was ended by signal {}".format(child, os.WTERMSIG(status)), file=sys.stderr)
    return os.WIFSIGNALED(status)


def _end_with(action: Callable[[], None]) -> None:
    """Carry it out as the last thing that this process does."""
    code = 1
    try:
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
