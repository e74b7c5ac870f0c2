"""Steps that need no load generator: settle (waits until all is written, up to a cap) and restart."""

from __future__ import annotations

import subprocess
import time
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Tuple, Union

from app.agent.existing.server import ExistingServer
from app.agent.existing.settling import WritesComeToRest
from app.agent.sampling.host import deltas
from app.agent.sampling.reading import Reading
from app.agent.sampling.write_accounting import fixed_row_width
from app.agent.server.debt import debt_text, read_debt
from app.agent.server.mysql import READ_S, Client, QueryError
from app.engines import engine_of
from app.engines.server import CALM_S
from app.protocol.events import MomentEvent, ProgressEvent
from app.protocol.step_parts import SettleStepResult

if TYPE_CHECKING:
    from app.protocol.plan import Step

    from .running import BegunSession, RunningSession

_BY_ONE = "it waited for the writes of one server, of several that were reached: the time of all is not known"
SLICE_S = 0.25
FEW_KB = 1024  # per second: too little to disturb reads
DEVICE_S = 10  # longest wait for the device: others may write to it for ever


def pause(session: BegunSession, index: int, until: float) -> None:
    """Sleep until this moment, and react to requests."""
    while time.monotonic() < until and not session.control.interrupts:
        time.sleep(max(0.0, min(SLICE_S, until - time.monotonic())))
        session.look(index)


def run_settle(session: RunningSession, index: int, step: Step) -> Dict[str, Any]:
    """Wait until all is written or the time limit is reached; restore the settings in any case."""
    settling = _settling(session)
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


def drain(session: RunningSession, index: int, cap_s: int) -> None:
    """Wait until all is written, or the time limit is reached; a settle step without figures."""
    settling = _settling(session)
    session.sampler.begin()
    try:
        settling.begin()
        _watch(session, index, cap_s, settling, time.monotonic())
    except QueryError as error:
        session.journal.log(str(error), "error")
    finally:
        _restore(session, settling)


def _settling(session: RunningSession) -> AnySettling:
    server, contender = session.server, session.contender
    if isinstance(server, ExistingServer):
        return WritesComeToRest(server.another_client(READ_S), server.beats)
    return Settling(server.client, contender.engine, server.data)


def _settled(
    session: RunningSession, step: Step, settling: AnySettling, first: Reading, seconds: float
) -> Dict[str, Any]:
    """The fields of the end of a settle step."""
    if isinstance(session.server, ExistingServer) and session.server.several:
        return _settled_by_one(session, settling, seconds)
    stopped = session.control.interrupts
    capped = bool(settling.unpaid) and not stopped
    cost = {} if stopped else _close(session, first)  # else the writes before it are still open
    kind = SettleStepResult.fitting(cost)
    settled = kind(seconds, dict(settling.waited_for), capped, settling.unpaid, **cost)
    return {
        "outcome": stopped or "completed",
        "reason": session.control.why if stopped else _capped(step, settling) if capped else "",
        "value": seconds,
        "seconds": seconds,
        "settled": settled,
        "marks": ["capped"] if capped else [],
    }


def _settled_by_one(session: RunningSession, settling: AnySettling, seconds: float) -> Dict[str, Any]:
    """It waited for one of several servers: how long all of them took is not known."""
    stopped = session.control.interrupts
    outcome, reason = stopped or "completed", session.control.why if stopped else _BY_ONE
    return {
        "outcome": outcome,
        "reason": reason,
        "seconds": seconds,
        "marks": ["capped"] * bool(settling.unpaid),
    }


def _close(session: RunningSession, first: Reading) -> Dict[str, Any]:
    session.sampler.begin()
    width = fixed_row_width(session.server.client)
    found = session.write_accounting.close(first, session.sampler.reading, width)
    return found if session.server.pid else {}  # of a server elsewhere this machine's device says nothing


def _capped(step: Step, settling: AnySettling) -> str:
    said = "settling did not finish within {} s, still waiting for {}"
    return said.format(step.cap_s, ", ".join(settling.unpaid))


def _restore(session: RunningSession, settling: AnySettling) -> None:
    """Restore the settings; log a value that stays changed, because later steps run with it."""
    for name in settling.end():
        text = "{} could not be reset to its value before settling".format(name)
        session.journal.log(text, "error")


def _watch(session: RunningSession, index: int, cap_s: int, settling: AnySettling, began: float) -> None:
    for second in range(cap_s):
        pause(session, index, began + second + 1)
        if session.control.interrupts:
            return
        session.sampler.take(index, second, None)
        if not session.server.is_alive():
            raise QueryError(session.server.end_text())
        over = settling.is_over(session.sampler.reading)
        session.journal.write(
            ProgressEvent, step=index, done=second + 1, total=cap_s, unit="s", text=settling.text
        )
        if over:
            return


def run_restart(session: RunningSession, index: int) -> Dict[str, Any]:
    """Shut down and start the server; the result is the time for both."""
    began = time.monotonic()
    clean = session.server.stop(wait=session.wait)
    session.server.start(session.wait)
    seconds = round(time.monotonic() - began, 3)
    session.journal.write(MomentEvent, name="restarted", step=index, value=seconds)
    reason: Optional[str] = "" if clean else "the server had to be killed"
    return {
        "outcome": "completed" if clean else "failed",
        "reason": reason,
        "value": seconds,
        "seconds": seconds,
    }


class Settling:
    """Waits for flushing, compaction and purge: forces them, checks each second, restores the settings."""

    def __init__(self, client: Client, engine: str, data: str) -> None:
        self._client = client
        self._engine = engine_of(engine)
        self._data = data
        self._restore: List[Tuple[str, str]] = []
        self._seen: Dict[str, Tuple[Any, int]] = {}  # by name: the latest value, looks since it changed
        self._reading: Optional[Reading] = None
        self._sync: Optional[subprocess.Popen[bytes]] = None
        self.unpaid: List[str] = []  # what is still waited for
        self.waited_for: Dict[str, int] = {}  # seconds, by what was waited for
        self.debt: Dict[str, Any] = {}

    def begin(self) -> None:
        """Make the server write now what it would write later."""
        client, engine = self._client, self._engine
        found = client.pairs("SHOW GLOBAL VARIABLES")
        for name, value in engine.forced(found).items():
            self._restore.append((name, found[name]))
            client.try_run("SET GLOBAL {}={}".format(name, value))
        for name in engine.nudges:
            client.try_run("SET GLOBAL {}=1".format(name))
        if engine.unflushed[0] and read_debt(client, engine.name).get(engine.unflushed[0]):
            client.try_run("FLUSH TABLES")  # they leave the cache with it: only where there are any

    def is_over(self, reading: Reading) -> bool:
        """Whether all is written; called once a second with the machine's counters."""
        rates = _rates(self._reading, reading)
        self._reading = reading
        try:
            self.debt = self._engine.debt(self._client.query)
            self.unpaid = self._unpaid(rates)
        except QueryError:  # it is too busy to answer, or gone: no sign that all is written
            self.debt, self.unpaid = {}, ["an answer of the server"]
        for name in self.unpaid:
            self.waited_for[name] = self.waited_for.get(name, 0) + 1
        return not self.unpaid

    def _unpaid(self, rates: Mapping[str, float]) -> List[str]:
        """What is not written yet: of the engine, then of the page cache, then of the device."""
        unpaid = self._engine.unwritten(self.debt, self._is_steady, self._client.query)
        if rates["server_written_kb"] > FEW_KB:
            unpaid.append("writes of the server")
        if unpaid:
            return unpaid
        if self._is_syncing():
            return ["files"]
        return ["device"] if self._is_device_busy(rates) else []

    def _is_steady(self, name: str, value: Any, give: int) -> bool:
        """Whether a value has not changed for a while, or by no more than `give`."""
        before, looks = self._seen.get(name, (None, 0))
        same = before is not None and (abs(value - before) <= give if give else value == before)
        self._seen[name] = (value, looks + 1 if same else 0)
        return same and looks + 1 >= CALM_S

    def _is_syncing(self) -> bool:
        """Whether `sync -f` still runs; the first call starts it."""
        if self._sync is None:
            command = ["sync", "-f", self._data]
            self._sync = subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return self._sync.poll() is None

    def _is_device_busy(self, rates: Mapping[str, float]) -> bool:
        return rates["written_kb"] > FEW_KB and self.waited_for.get("device", 0) < DEVICE_S

    def end(self) -> List[str]:
        """Put back what begin changed, in the reverse order: the watermark may not exceed the limit.

        The answer names what the server did not take back; one that has died has forgotten all of it.
        """
        for name, value in reversed(self._restore):
            self._client.try_run("SET GLOBAL {}={}".format(name, value))
        try:
            now = self._client.pairs("SHOW GLOBAL VARIABLES") if self._restore else {}
        except QueryError:
            now = {}
        changed = [name for name, value in self._restore if now.get(name, value) != value]
        self._restore = []
        if self._sync is not None and self._sync.poll() is None:
            self._sync.kill()
        return changed

    @property
    def text(self) -> str:
        """What is still to be written, in words."""
        return debt_text(self.debt) or ", ".join(self.unpaid)


def _rates(before: Optional[Reading], after: Reading) -> Dict[str, float]:
    """KB per second; 0 if unknown, because waiting for it would be in vain."""
    spent = deltas(before, after) if before else {}
    seconds = max(after.at - before.at, 0.1) if before else 1.0
    return {name: (spent.get(name) or 0) / seconds for name in ("server_written_kb", "written_kb")}


AnySettling = Union[Settling, WritesComeToRest]
