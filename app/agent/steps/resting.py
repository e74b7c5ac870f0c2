"""Stops the server of a session while another session of its round works."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Set

from .baton import BREATH_S, Hooks

if TYPE_CHECKING:
    from .running import Running

IDLE_S = 0.5  # for the disk to finish what the session has asked of it
LOOK_S = 0.01
QUIET_LOOKS = 3  # one after the other that find no request


def hooks_of(session: Running) -> Hooks:
    """What a session does when its turn ends and when it comes back."""
    return Hooks(
        lambda: _leave(session),
        lambda: _come_back(session),
        lambda: _breathe(session),
        lambda: _pids(session),
    )


def _leave(session: Running) -> None:
    """Wait for the disk, whose work still belongs to this session; then stop its server."""
    if session.host is not None:
        _await_disk(session)
        session.host.leave()
    if session.server is not None:
        session.server.halt()


def _come_back(session: Running) -> None:
    if session.server is not None:
        session.server.go_on()
    if session.host is not None:
        session.host.come_back()


def _breathe(session: Running) -> None:
    if session.server is not None:
        session.server.go_on()
        time.sleep(BREATH_S)
        session.server.halt()


def _await_disk(session: Running) -> None:
    end, quiet = time.monotonic() + IDLE_S, 0
    while quiet < QUIET_LOOKS and time.monotonic() < end:
        quiet = quiet + 1 if session.host.is_disk_idle() else 0
        time.sleep(LOOK_S)


def _pids(session: Running) -> Set[int]:
    """Process ids of its server and its load."""
    server, generator = session.server, session.generator
    found = {server.pid} if server is not None and server.has_begun else set()
    return found | ({generator.pid} if generator is not None else set())
