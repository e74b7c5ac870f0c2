"""Waiting until no other program disturbs the machine, before a session begins."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from app.agent.sampling.disturbance import Allowed, others_between
from app.agent.sampling.host import HostSampler

from .settle_step import pause

if TYPE_CHECKING:
    from app.protocol.others import Others

    from .running import Running

LOOK_S = 5.0  # the machine has to be quiet for so long


def wait_until_quiet(session: Running) -> None:
    """Wait as long as the plan allows; the journal names what it waits for, and says when it gives up."""
    until = time.monotonic() + session.plan.quiet_wait
    host = HostSampler({}, session.directory.path, session.agent)
    has_waited = False
    try:
        while not session.control.ends_session:
            found = _look(session, host)
            if not found.causes or session.control.ends_session:
                return
            if time.monotonic() >= until:
                _say(session, "warning", "the session starts although the machine is not quiet", found)
                return
            if not has_waited:
                _say(session, "info", "the session waits for a quiet machine", found)
                has_waited = True
    finally:
        host.close()


def _look(session: Running, host: HostSampler) -> Others:
    host.others.begin()
    first = host.read(whole=True)
    pause(session, -1, time.monotonic() + LOOK_S)
    return others_between(first, host.read(whole=True), host.others, Allowed.of(session.plan))


def _say(session: Running, level: str, text: str, found: Others) -> None:
    session.journal.log("{}: {}".format(text, "; ".join(found.texts)), level)
