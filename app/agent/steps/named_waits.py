"""What the threads of the server waited for in the measured part of a step, and its statements."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional

from app.agent.sampling.statements import Digests
from app.agent.sampling.waits import Amounts, between, has_restarted
from app.engines import engine_of
from app.engines.waits import KINDS, kind_of
from app.protocol.waits import LONGEST, MOST_WAITS, Wait, Waits, to_json

if TYPE_CHECKING:
    from .running import Running


class NamedWaits:
    """Waits by name between the begin and the end of the measured part."""

    def __init__(self, session: Running) -> None:
        self._session = session
        self._before: Amounts = {}
        self._after: Optional[Amounts] = None
        self._files: Dict[str, float] = {}  # bytes at the beginning, after `end` those since then
        self._statements: Digests = {}  # at the end

    def begin(self, status: Mapping[str, str]) -> None:
        """Begin to count, after the warm-up once more."""
        sampler = self._session.sampler
        self._before = sampler.waits.amounts(status)
        self._files = sampler.waits.files()
        sampler.statements.begin()
        sampler.locks.begin(status)

    def end(self, status: Mapping[str, str]) -> None:
        sampler = self._session.sampler
        self._after = sampler.waits.amounts(status)
        files = sampler.waits.files()
        self._files = {name: bytes_ - self._files.get(name, 0.0) for name, bytes_ in files.items()}
        self._statements = sampler.statements.end()

    def stop(self) -> None:
        self._session.sampler.statements.stop()

    def fields(self, queries: int) -> Dict[str, Any]:
        """The fields of step_ended; none if the server restarted, or before the end."""
        after = self._after
        if after is None or has_restarted(self._before, after):
            return {}
        sampler = self._session.sampler
        events = self._events(between(self._before, after), queries)
        measured = sampler.waits.kinds
        kinds = {kind: sum(each.ms or 0.0 for each in events if each.kind == kind) for kind in measured}
        found = Waits(
            sampler.waits.is_on,
            {kind: round(ms, 3) for kind, ms in kinds.items()},
            _longest(events),
            sampler.locks.pairs(),
            {name: moved for name, moved in self._files.items() if moved > 0},
        )
        statements = sampler.statements.since_begin(self._statements)
        return {"waits": to_json(found), "statements": [to_json(each) for each in statements]}

    def _events(self, amounts: Amounts, queries: int) -> List[Wait]:
        waits = engine_of(self._session.contender.engine).status_waits
        kinds = {each.name: each.kind for each in waits}
        found = [
            Wait(
                name[:LONGEST],
                kinds.get(name) or kind_of(name),
                amount.times,
                None if amount.ms is None else round(amount.ms, 3),
                None if amount.ms is None or not queries else round(amount.ms * 1e3 / queries, 4),
            )
            for name, amount in amounts.items()
        ]
        return [each for each in found if each.kind in KINDS]


def _longest(events: List[Wait]) -> List[Wait]:
    """The longest first, then those that are only counted."""
    counted = [each for each in events if each.ms is None]
    timed = sorted((each for each in events if each.ms is not None), key=lambda each: -(each.ms or 0.0))
    return [*timed[: MOST_WAITS - len(counted)], *counted]
