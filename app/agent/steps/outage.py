"""Operations that end the server and start it again: kill, power cut, restart."""

from __future__ import annotations

from typing import Any, Callable, Dict, Optional

from app.agent.server.recovery import LogTail
from app.agent.snapshots.copying import drop_cached_files
from app.engines import engine_of
from app.engines.engine import ENDING
from app.engines.server import VERBOSE_LOG
from app.protocol.plan import POWER_CUT, Step

from .operation import Operation
from .power_cut import cut_power
from .running import RunningSession

_SILENT = "the server did not answer within {} s after the {}"
_STILL_CACHED = "{:.1f} MiB of the data are cached still as the server starts: the system does not drop them"
_WITHOUT_ENGINE = "the server came back after the {} without {}: {}"
_NOT_ENDED = "the server had not shut down {} s after it was asked to, and was killed"


class Outage(Operation):
    """Ends the server, and watches until it answers again."""

    def __init__(self, session: RunningSession, step: Step, answered: Callable[[], bytes]) -> None:
        super().__init__(session, step, answered)
        self._disk = session.loop_disk  # that the data lie on, if the plan cuts its power
        self._lacks_engine = False  # the server came back without it
        self.first_answer_s: Optional[float] = None  # from its begin on
        self.phases: Dict[str, float] = {}  # seconds before the server was started again

    @property
    def value(self) -> Optional[float]:
        return self.first_answer_s

    @property
    def ends_session(self) -> bool:
        return self._lacks_engine or not self._server.is_alive()

    def result(self) -> Dict[str, Any]:
        took_s = self.first_answer_s if self._step.kind == "restart" else None
        return {"first_answer_s": self.first_answer_s, "seconds": took_s}

    def prepare(self) -> None:
        """Only what clients send from here on is lost in a power cut, not what the server was made of."""
        if self._disk is not None and self._step.kind == POWER_CUT:
            self._disk.sync()

    def carry_out(self) -> None:
        step, server = self._step, self._server
        self.log = LogTail(server.error_log)
        self._begin_now()
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
        """A clean shutdown; False where it takes too long: later steps have a server that was killed."""
        is_down = False
        self._server.ask_to_end()
        try:
            is_down = self._await(lambda: not self._server.is_alive(), self._deadline_s)
        finally:
            if not is_down:
                self._server.end_at_once()
                self._launch()
        if is_down:
            self.phases["shut down"] = round(self.now_s - (self.at_s or 0.0), 3)
        else:
            self.problem = _NOT_ENDED.format(self._step.seconds)
        return is_down

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
        title = engine_of(self._session.contender.engine).title
        is_there = self._await(
            lambda: self._server.answers(self._client) or not self._server.is_alive(), self._deadline_s
        )
        if not is_there:
            self.problem = _SILENT.format(self._step.seconds, self._step.kind)
        elif not self._server.is_alive():
            text = "the server did not start after the {}: {}"
            self.problem = text.format(self._step.kind, self._server.first_error())
        elif self._session.contender.engine not in self._server.engines(self._client):
            self._lacks_engine = True
            self.problem = _WITHOUT_ENGINE.format(self._step.kind, title, self._server.first_error())
        else:
            self.first_answer_s = round(self.now_s - self.at_s, 3)
            self.moments.append((self.now_s, "answers"))
            self._end_now()

    @property
    def _deadline_s(self) -> float:
        return (self.at_s or 0.0) + self._step.seconds
