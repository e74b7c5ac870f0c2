"""Steps that need no load generator: settle (watched, with a cap) and restart."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Dict, Optional

from ..protocol.events import Mark, Progress
from .mysql import QueryError
from .settle import Settling

if TYPE_CHECKING:
    from ..protocol.plan import Step
    from .session import Session

SLICE_S = 0.25


def pause(session: Session, index: int, until: float) -> None:
    """Sleep to a moment, listening for requests."""
    while time.monotonic() < until and not session.control.interrupts:
        time.sleep(max(0.0, min(SLICE_S, until - time.monotonic())))
        session.look(index)


def carry_out_settle(session: Session, index: int, step: Step) -> Dict[str, Any]:
    """Wait until the debt is paid or the cap is reached; what was changed for it is put back in any case."""
    settling = Settling(session.server.client, session.contender.engine)
    began = time.monotonic()
    session.sampler.begin()
    try:
        settling.begin()
        over = _watch(session, index, step, settling, began)
    except QueryError as error:
        return {
            "outcome": "failed",
            "reason": "the server did not tell what it still has to write: {}".format(error),
        }
    finally:
        settling.end()
    seconds = round(time.monotonic() - began, 3)
    stopped = session.control.interrupts
    return {
        "outcome": stopped or "completed",
        "reason": "asked for by a person"
        if stopped
        else ("" if over else "the cap of {} s was reached".format(step.cap_s)),
        "value": seconds,
        "seconds": seconds,
        "marks": [] if over or stopped else ["capped"],
    }


def _watch(session: Session, index: int, step: Step, settling: Settling, began: float) -> bool:
    for second in range(step.cap_s):
        pause(session, index, began + second + 1)
        if session.control.interrupts:
            return False
        session.sampler.take(index, second, None)
        over = settling.is_over()
        session.journal.write(
            Progress, step=index, done=second + 1, total=step.cap_s, unit="s", text=settling.text()
        )
        if over:
            return True
    return False


def carry_out_restart(session: Session, index: int) -> Dict[str, Any]:
    """A clean shutdown and a start; the figure is how long both took."""
    began = time.monotonic()
    clean = session.server.stop()
    session.server.start()
    seconds = round(time.monotonic() - began, 3)
    session.journal.write(Mark, name="restarted", step=index, value=seconds)
    reason: Optional[str] = "" if clean else "the server had to be killed"
    return {
        "outcome": "completed" if clean else "failed",
        "reason": reason,
        "value": seconds,
        "seconds": seconds,
    }
