"""An operation itself: what is done to the server at its moment, in a thread beside the load.

Its kinds: `outage.py` (kill, power cut, restart), `ddl.py`, `backup.py`.
"""

from __future__ import annotations

import shutil
import threading
import time
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Sequence, Tuple

from app.agent.sampling.sizes import sizes
from app.agent.sampling.way_back import BEFORE_S, AnsweredSoFar, kept_pct
from app.agent.server.mysql import Client
from app.agent.server.recovery import LogTail
from app.engines import engine_of

if TYPE_CHECKING:
    from app.protocol.plan import Step

    from .running import RunningSession

LOOK_S = 0.01  # between two looks at log, server and clients
ROOM = 64 << 20  # bytes of free space below which an operation is ended that takes space
GONE_S = 60.0  # that what was ended may take to be gone
COUNT_ROWS = "SELECT COUNT(*) AS n FROM {}"
FULL = "the disk with {} was nearly full: the {} was ended after {:.1f} s"
_TOO_LONG = "the {} was not done {} s after it began, and was ended{}"

Moment = Tuple[float, str]  # of the step's clock, its name


class OperationCancelled(Exception):  # noqa: N818 - nothing is wrong
    """The step ends before the operation has."""


class BackgroundWork:
    """One piece of work in a thread of its own, which somebody else watches."""

    def __init__(self, work: Callable[[], None]) -> None:
        self._work = work
        self.began_at, self.ended_at = time.monotonic(), 0.0
        self.error: Optional[Exception] = None
        self._thread = threading.Thread(target=self._run, name="operation-work", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._work()
        except Exception as error:
            self.error = error
        self.ended_at = time.monotonic()

    @property
    def is_done(self) -> bool:
        return not self._thread.is_alive()

    @property
    def seconds(self) -> float:
        return self.ended_at - self.began_at

    def join(self, limit_s: float) -> None:
        self._thread.join(limit_s)


class Operation:
    """Waits for its moment, carries it out; watches until the step ends how long no client had an answer."""

    def __init__(self, session: RunningSession, step: Step, answered: Callable[[], bytes]) -> None:
        self._session, self._server, self._step = session, session.server, step
        self._answered = answered  # how many statements of each client of the watched role
        self._client = Client(session.server.socket)  # not that of the thread that samples
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="operation", daemon=True)
        self._zero = 0.0  # where the clock of the step begins
        self._count, self._changed = b"", 0.0
        self._before: Optional[AnsweredSoFar] = None  # some seconds before it, then when it began
        self._first = self._latest = AnsweredSoFar(0.0, 0)
        self.log: Optional[LogTail] = None  # of the server that was started again
        self.moments: List[Moment] = []  # that the journal does not have yet
        self.at_s: Optional[float] = None  # when it began; None: it has not
        self.is_done = False
        self.stall_s = 0.0
        self.problem = ""
        self.notes: List[str] = []

    # what its kinds do

    def prepare(self) -> None:
        """Before the clients connect; raises AgentError or QueryError if it cannot be carried out."""

    def carry_out(self) -> None:
        """At its moment."""
        raise NotImplementedError

    rows_stay = True  # no role has added or deleted rows of the plan's tables

    def check(self) -> str:
        """After all clients have ended: what is wrong with what it leaves, '' if nothing is."""
        return ""

    def clean(self) -> None:
        """Leave the tables and files as they were, however the step ended; the server answers."""

    @property
    def value(self) -> Optional[float]:
        """Its figure, in seconds; None: it has none."""
        raise NotImplementedError

    def result(self) -> Dict[str, Any]:
        """Fields of `OperationResult` that are of its kind alone."""
        return {}

    @property
    def ends_session(self) -> bool:
        """Whether, after its problem, later steps have no server with their engine."""
        return False

    # the thread of the step

    def begin(self, begins_at: float) -> None:
        """The clients begin at this moment of the clock, with their warm-up."""
        self._zero = begins_at + self._step.warmup
        self._thread.start()

    @property
    def is_busy(self) -> bool:
        """Whether it goes on though its clients have ended."""
        return False

    def end(self) -> None:
        """The step is over."""
        self._is_over.set()
        if self._thread.is_alive():
            self._thread.join()
        self._client.close()

    @property
    def now_s(self) -> float:
        return time.monotonic() - self._zero

    def take_moments(self) -> List[Moment]:
        """Those since the last call."""
        found = list(self.moments)
        del self.moments[: len(found)]
        return found

    # its own thread

    def _run(self) -> None:
        try:
            self._await(lambda: self.now_s >= self._step.after)
            self.carry_out()
            self.is_done = True
            self._await(lambda: False)
        except OperationCancelled:
            pass
        except Exception as error:
            self.problem = self.problem or "the {} failed: {}".format(self._step.kind, error)

    def _answers_at(self, now_s: float) -> AnsweredSoFar:
        answered = self._answered()  # none once they have ended
        return AnsweredSoFar(now_s, sum(memoryview(answered).cast("I"))) if answered else self._latest

    def _begin_now(self) -> None:
        self.at_s = self._changed = self.now_s
        self._first = self._latest = self._answers_at(self.at_s)
        self.moments.append((self.at_s, "operation"))

    def _end_now(self) -> None:
        self.moments.append((self.now_s, "operation-ended"))

    def _await(self, is_so: Callable[[], bool], until_s: Optional[float] = None) -> bool:
        """Wait until something is so; False if it is not in time. Watches log and clients meanwhile."""
        while not is_so():
            if self._is_over.wait(LOOK_S):
                raise OperationCancelled
            if until_s is not None and self.now_s > until_s:
                return False
            self._watch()
        return True

    def _watch(self) -> None:
        now_s = self.now_s
        if self.at_s is None:
            if self._before is None and now_s >= max(0, self._step.after - BEFORE_S):
                self._before = self._answers_at(now_s)
            return
        if self.log is not None:
            self.log.look(now_s - self.at_s)
        if now_s > self._step.after + self._step.seconds:
            return  # its clients end
        self._latest = self._answers_at(now_s)
        count = self._answered()
        if count != self._count:
            self._count, self._changed = count, now_s
        self.stall_s = max(self.stall_s, now_s - self._changed)


class LongOperation(Operation):
    """One that the server carries out while it answers its clients: it may take longer than they work."""

    def __init__(self, session: RunningSession, step: Step, answered: Callable[[], bytes]) -> None:
        super().__init__(session, step, answered)
        self.seconds: Optional[float] = None  # that it took
        self._kept_pct: Optional[float] = None  # of the rate before, meanwhile
        self._full = ""  # where there was nearly no room

    @property
    def is_busy(self) -> bool:
        return self.at_s is not None and self._thread.is_alive() and not (self.is_done or self.problem)

    @property
    def value(self) -> Optional[float]:
        return self.seconds

    @property
    def deadline_s(self) -> float:
        return (self.at_s or 0.0) + max(self._step.cap_s, self._step.seconds)

    def result(self) -> Dict[str, Any]:
        if self.seconds is None or self.at_s is None:
            return {}
        beyond_s = self.at_s + self.seconds - self._step.after - self._step.seconds
        alone_s = round(beyond_s, 3) if beyond_s > 0 else None
        return {"seconds": self.seconds, "alone_s": alone_s, "kept_pct": self._kept_pct}

    def _follow(self, work: BackgroundWork) -> None:
        """Until it is done, which sets `seconds`; else it is ended, and `problem` says why."""
        try:
            is_in_time = self._await(lambda: work.is_done or self._is_full(), self.deadline_s)
            if not work.is_done:
                after_s = time.monotonic() - work.began_at
                waits = "" if is_in_time else self.waits_text()
                self.problem = (
                    FULL.format(self._full, self._step.kind, after_s)
                    if is_in_time
                    else _TOO_LONG.format(self._step.kind, round(after_s), waits)
                )
        finally:
            if not work.is_done:
                self.interrupt()
                work.join(GONE_S)
        if self.problem:
            return
        self._end_now()
        if self._before is not None:
            self._kept_pct = kept_pct(self._before, self._first, self._latest)
        if work.error is not None:
            self.problem = self.error_text(work.error)
        else:
            self.seconds = round(work.seconds, 3)

    def size(self) -> Optional[float]:
        """Bytes of the tables and their indexes."""
        return engine_of(self._session.contender.engine).data_bytes(sizes(self._server.data))

    def _is_full(self) -> bool:
        """Whether there is nearly no room; the data may lie on a file system of their own."""
        places = (self._session.path, self._server.data)
        self._full = next((each for each in places if shutil.disk_usage(each).free < ROOM), "")
        return bool(self._full)

    def waits_text(self) -> str:
        """What it waited for at the end, with a comma before it; '' if that is not known."""
        return ""

    def error_text(self, error: Exception) -> str:
        return "the {} failed: {}".format(self._step.kind, first_line(error))

    def interrupt(self) -> None:
        """Make its work end soon."""
        raise NotImplementedError


def first_line(error: Exception) -> str:
    """What an error says, in one line, without the statement that it is about."""
    return " ".join(str(getattr(error, "said", "") or error).split())[:500]


def quoted_tables(names: Sequence[str]) -> List[str]:
    """The tables of a plan as statements name them."""
    return ["`dyno`.`{}`".format(name.replace("`", "``")) for name in names]
