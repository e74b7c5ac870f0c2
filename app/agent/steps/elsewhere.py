"""The load of a step from load targets; of a step that is driven from here nothing of it happens."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Optional

from app.agent.load.generators import Generators, Login
from app.agent.system.control import ASKED_FOR
from app.protocol.events import CLIENT_BOUND, LOPSIDED, TUNNELLED
from app.protocol.load_shares import DRIVEN

if TYPE_CHECKING:
    from app.protocol.plan import Step

    from .facts import Facts
    from .running import Running

DIAL_S = 30.0  # for a load target that has dropped out to come back
_NO_WORD = "no word from the load target{} {}: it is used again once it is back"
_BOTTLENECK = "the client is the bottleneck: all CPUs of the load target {} are busy"


class Elsewhere:
    """The load targets of one step."""

    def __init__(self, session: Running, index: int, step: Step, seed: int) -> None:
        self._session = session
        self._index, self._step, self._seed = index, step, seed
        self._conductor = session.conductor if step.kind in DRIVEN else None
        self.generators: Optional[Generators] = None

    def missing(self) -> Dict[str, Any]:
        """The end of a step some of whose load targets do not come; {} if all are there."""
        missing = self._conductor.missing(DIAL_S, self._is_interrupted) if self._conductor else []
        if not missing:
            return {}
        if self._session.control.interrupts:
            return {"outcome": self._session.control.interrupts, "reason": ASKED_FOR}
        reason = _NO_WORD.format("s" if len(missing) > 1 else "", ", ".join(missing))
        return {"outcome": "failed", "reason": reason}

    def _is_interrupted(self) -> bool:
        self._session.look(self._index)
        return bool(self._session.control.interrupts)

    def start(self) -> Optional[Generators]:
        """Start the load; None if it comes from here."""
        server, contender = self._session.server, self._session.turn.contender
        if self._conductor:
            login = Login(server.address, server.port, server.password)
            place = (self._conductor, self._index, contender)
            self.generators = Generators(*place, self._step, self._seed, login)
        return self.generators

    def begin_measured(self) -> None:
        if self.generators:
            self.generators.begin_measured()

    def marks(self, facts: Facts) -> List[str]:
        """Write what the load targets did; the marks of the step that come from it."""
        if not self.generators or not self._conductor:
            return []
        facts.write_load(self._step, self.generators.fact())
        names = self.generators.bottlenecks
        for name in names:
            self._session.journal.log(_BOTTLENECK.format(name))
        lopsided = self.generators.lopsided
        if lopsided:
            self._session.journal.log("the load is lopsided: " + lopsided)
        marks = [CLIENT_BOUND] * bool(names) + [LOPSIDED] * bool(lopsided)
        return marks + [TUNNELLED] * self._conductor.is_loopback
