"""The desktop at the other end of standard output."""

from __future__ import annotations

import select

from .errors import AgentError


def check_client_connected(out: int = 1) -> None:
    """Raise AgentError if nobody will read the answer: who has gone has given up."""
    if is_peer_closed(out):
        raise AgentError("the client disconnected")


def is_peer_closed(out: int) -> bool:
    """Whether the other end of a pipe or socket was closed."""
    asked = select.poll()
    asked.register(out, 0)  # poll always reports errors
    return any(event & (select.POLLERR | select.POLLHUP) for _, event in asked.poll(0))
