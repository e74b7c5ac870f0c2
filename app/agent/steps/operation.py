"""An operation itself: what is done to the server at its moment, in a thread beside the load."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Callable, Dict, List, Optional, Tuple

from app.agent.server.mysql import Client
from app.agent.server.recovery import LogTail
from app.agent.snapshots.copying import drop_cached_files
from app.engines.engine import ENDING
from app.engines.server import VERBOSE_LOG
from app.protocol.plan import POWER_CUT, Step

from .power_cut import cut_power

if TYPE_CHECKING:
    from app.agent.server.server import Server
    from app.agent.system.loop_disk import LoopDisk

LOOK_S = 0.01  # between two looks at log, server and clients
_SILENT = "the server did not answer within {} s after the {}"
_STILL_CACHED = "{:.1f} MiB of the data are cached still as the server starts: the system does not drop them"
_NOT_ENDED = "the server had not shut down {} s after it was asked to"

Moment = Tuple[float, str]  # of the step's clock, its name


class OperationCancelled(Exception):  # noqa: N818 - nothing is wrong
    """The step ends before the operation has."""


class Operation:
    """Ends the server and starts it again; watches until the step ends how long no client had an answer."""

    def __init__(
        self, server: Server, step: Step, answered: Callable[[], bytes], disk: Optional[LoopDisk] = None
    ) -> None:
        self._server, self._step = server, step
        self._disk = disk  # that the data lie on, if the plan cuts its power
        self._answered = answered  # how many statements of each client of the watched role
        self._client = Client(server.socket)  # not that of the thread that samples
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="operation", daemon=True)
        self._zero = 0.0  # where the clock of the step begins
        self._count, self._changed = b"", 0.0
        self.log: Optional[LogTail] = None  # of the server that was started again
        self.moments: List[Moment] = []  # that the journal does not have yet
        self.at_s: Optional[float] = None  # when it began; None: it has not
        self.first_answer_s: Optional[float] = None  # from there on
        self.stall_s = 0.0
        self.phases: Dict[str, float] = {}  # seconds before the server was started again
        self.problem = ""
        self.notes: List[str] = []

    def begin(self, begins_at: float) -> None:
        """The clients begin at this moment of the clock, with their warm-up."""
        self._zero = begins_at + self._step.warmup
        self._thread.start()

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

    # in its thread

    def _run(self) -> None:
        try:
            self._await(lambda: self.now_s >= self._step.after)
            self._carry_out()
            self._await(lambda: False)
        except OperationCancelled:
            pass
        except Exception as error:
            self.problem = self.problem or "the {} failed: {}".format(self._step.kind, error)

    def _carry_out(self) -> None:
        step, server = self._step, self._server
        self.log = LogTail(server.error_log)
        self.at_s = self._changed = self.now_s
        self.moments.append((self.at_s, "operation"))
        if step.kind in ENDING:
            self._end_server()
            self._count = self._answered()  # what came until then is no sign of life
        elif not self._shut_down():
            return
        if step.cold:
            self._drop_caches()
        self._launch()
        if step.again_after_ms:
            self._kill_again()
        self._await_answer()

    def _end_server(self) -> None:
        """Kill it; or cut its power, which takes what its disk has not got."""
        if self._disk is None or self._step.kind != POWER_CUT:
            self._server.end_at_once()
            return
        cut_power(self._server, self._disk)
        self.phases["mount"] = round(self.now_s - (self.at_s or 0.0), 3)

    def _shut_down(self) -> bool:
        """A clean shutdown; False where it takes too long."""
        self._server.ask_to_end()
        if self._await(lambda: not self._server.is_alive(), self._deadline_s):
            self.phases["shut down"] = round(self.now_s - (self.at_s or 0.0), 3)
            return True
        self.problem = _NOT_ENDED.format(self._step.seconds)
        return False

    def _drop_caches(self) -> None:
        """Leave nothing of the data in the memory of the system, as far as it lets us."""
        began_s = self.now_s
        kept = drop_cached_files(self._server.data)
        self.phases["drop caches"] = round(self.now_s - began_s, 3)
        if kept:
            self.notes.append(_STILL_CACHED.format(kept / 2**20))

    def _launch(self) -> None:
        """Start it again; its log tells of each phase, which changes nothing of what it does."""
        server, usual = self._server, self._server.options
        if VERBOSE_LOG[0] in server.known:
            server.options = {**usual, VERBOSE_LOG[0]: VERBOSE_LOG[1]}
        try:
            server.launch()
        finally:
            server.options = usual

    def _kill_again(self) -> None:
        again_s = self.now_s + self._step.again_after_ms / 1000
        self._await(lambda: self.now_s >= again_s)
        if self._server.answers(self._client):
            self.notes.append("the second kill came after the recovery: the server had answered before it")
        self._client.close()
        self._server.end_at_once()
        self._launch()

    def _await_answer(self) -> None:
        assert self.at_s is not None
        is_there = self._await(
            lambda: self._server.answers(self._client) or not self._server.is_alive(), self._deadline_s
        )
        if not is_there:
            self.problem = _SILENT.format(self._step.seconds, self._step.kind)
        elif not self._server.is_alive():
            text = "the server did not start after the {}: {}"
            self.problem = text.format(self._step.kind, self._server.first_error())
        else:
            self.first_answer_s = round(self.now_s - self.at_s, 3)
            self.moments.append((self.now_s, "answers"))
            self.moments.append((self.now_s, "operation-ended"))

    @property
    def _deadline_s(self) -> float:
        return (self.at_s or 0.0) + self._step.seconds

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
        if self.log is None or self.at_s is None:
            return
        self.log.look(now_s - self.at_s)
        if now_s > self._step.after + self._step.seconds:
            return  # its clients end
        count = self._answered()
        if count != self._count:
            self._count, self._changed = count, now_s
        self.stall_s = max(self.stall_s, now_s - self._changed)
