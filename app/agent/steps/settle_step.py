"""Steps that need no load generator: settle (watched, with a cap) and restart."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Dict, Optional

from app.agent.sampling.write_accounting import row_bytes
from app.agent.server.mysql import QueryError
from app.agent.system.control import ASKED_FOR
from app.protocol.events import Mark, Progress

from .settle import Settling

if TYPE_CHECKING:
    from app.agent.sampling.reading import Reading
    from app.protocol.plan import Step

    from .running import Running

SLICE_S = 0.25


def pause(session: Running, index: int, until: float) -> None:
    """Sleep until this moment, and react to requests."""
    while time.monotonic() < until and not session.control.interrupts:
        time.sleep(max(0.0, min(SLICE_S, until - time.monotonic())))
        session.look(index)


def run_settle(session: Running, index: int, step: Step) -> Dict[str, Any]:
    """Wait until all is written or the time limit is reached; restore the settings in any case."""
    settling = Settling(session.server.client, session.contender.engine, session.server.data)
    session.sampler.begin()
    began, first = time.monotonic(), session.sampler.reading
    try:
        settling.begin()
        _watch(session, index, step.cap_s, settling, began)
        return _settled(session, step, settling, first, round(time.monotonic() - began, 3))
    except QueryError as error:
        return {"outcome": "failed", "reason": str(error)}
    finally:
        _restore(session, settling)


def drain(session: Running, index: int, cap_s: int) -> None:
    """Wait until all is written, or the time limit is reached; a settle step without figures."""
    settling = Settling(session.server.client, session.contender.engine, session.server.data)
    session.sampler.begin()
    try:
        settling.begin()
        _watch(session, index, cap_s, settling, time.monotonic())
    except QueryError as error:
        session.journal.log(str(error), "error")
    finally:
        _restore(session, settling)


def _settled(
    session: Running, step: Step, settling: Settling, first: Reading, seconds: float
) -> Dict[str, Any]:
    """The fields of the end of a settle step."""
    stopped = session.control.interrupts
    capped = bool(settling.unpaid) and not stopped
    settled = {
        "seconds": seconds,
        "waited_for": settling.waited_for,
        "capped": capped,
        "left": settling.unpaid,
    }
    if not stopped:  # else the writes before it are still open
        settled.update(_close(session, first))
    return {
        "outcome": stopped or "completed",
        "reason": ASKED_FOR if stopped else _capped(step, settling) if capped else "",
        "value": seconds,
        "seconds": seconds,
        "settled": settled,
        "marks": ["capped"] if capped else [],
    }


def _close(session: Running, first: Reading) -> Dict[str, Any]:
    session.sampler.begin()
    return session.write_accounting.close(first, session.sampler.reading, row_bytes(session.server.client))


def _capped(step: Step, settling: Settling) -> str:
    said = "settling did not finish within {} s, still waiting for {}"
    return said.format(step.cap_s, ", ".join(settling.unpaid))


def _restore(session: Running, settling: Settling) -> None:
    """Restore the settings; log a value that stays changed, because later steps run with it."""
    for name in settling.end():
        text = "{} could not be reset to its value before settling".format(name)
        session.journal.log(text, "error")


def _watch(session: Running, index: int, cap_s: int, settling: Settling, began: float) -> None:
    for second in range(cap_s):
        pause(session, index, began + second + 1)
        if session.control.interrupts:
            return
        session.sampler.take(index, second, None)
        if not session.server.is_alive():
            raise QueryError("the server crashed {}".format(session.server.exit_text()))
        over = settling.is_over(session.sampler.reading)
        session.journal.write(
            Progress, step=index, done=second + 1, total=cap_s, unit="s", text=settling.text
        )
        if over:
            return


def run_restart(session: Running, index: int) -> Dict[str, Any]:
    """Shut down and start the server; the result is the time for both."""
    began = time.monotonic()
    clean = session.server.stop(wait=session.wait)
    session.server.start(session.wait)
    seconds = round(time.monotonic() - began, 3)
    session.journal.write(Mark, name="restarted", step=index, value=seconds)
    reason: Optional[str] = "" if clean else "the server had to be killed"
    return {
        "outcome": "completed" if clean else "failed",
        "reason": reason,
        "value": seconds,
        "seconds": seconds,
    }
