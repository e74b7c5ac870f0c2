"""Sessions of a plan in slices, made up: what a round does to all of them, and what one does alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from random import Random
from typing import Any

from app.history.recorded.writing import JournalStorer
from app.history.store.history import History
from app.protocol.plan import SLICES, Contender, Plan, PlannedSession, Step

from . import journals, stored

COMMON = (1.0, 0.8, 1.25, 0.95, 1.1, 0.9)  # of the rounds
_OWN = (1.0, 1.004, 0.997, 1.002, 0.996, 1.001)
SECONDS = 60
INNODB, ROCKSDB, MYISAM = (journals.contender(engine) for engine in ("innodb", "rocksdb", "myisam"))


def plan(
    contenders: Sequence[Contender] = (INNODB, ROCKSDB), rounds: int = 5, number: int = 1, order: str = SLICES
) -> Plan:
    """A load, which is never in slices, and two steps that are."""
    driven = [
        Step(
            name=name, kind="drive", workload=name, group=group, threads=2, coordinates={"threads": 2},
            seconds=SECONDS, sliced=order == SLICES,
        )
        for name, group in (("point-query", "read"), ("update-index", "write"))
    ]  # fmt: skip
    load = Step(name="load", kind="load", workload="load", group="load", unit="rows/s")
    return replace(journals.plan(contenders, rounds, number, [load, *driven]), order=order)


@dataclass(frozen=True)
class Odd:
    """What is not as usual in a step of a session."""

    marks: Sequence[str] = ()
    seconds: Mapping[int, float] = field(default_factory=dict)  # a factor from this second on
    is_one_slice: bool = False  # its events took so long
    failed: bool = False
    skipped: bool = False
    factor: float = 1.0
    others: Mapping[str, Any] = field(default_factory=dict)


Oddities = Mapping[tuple[int, int, int], Odd]  # by contender, repeat and step


def keep(
    history: History,
    its_plan: Plan,
    factors: Sequence[float] = (1.0, 1.0, 1.0),
    odd: Oddities | None = None,
    until: int = 1000,
) -> list[str]:
    """All sessions: the figure of a round, times that of the contender, times a little of its own.

    Those after the turn `until` have not begun.
    """
    what = (its_plan, list(factors), odd or {}, until)
    stored.once(history, what, partial(_store, history, its_plan, factors, odd or {}, until))
    return [turn.session for turn in its_plan.turns]


def _store(history: History, its_plan: Plan, factors: Sequence[float], odd: Oddities, until: int) -> None:
    for turn in its_plan.turns:
        maker = _Maker(its_plan, turn.session)
        maker.random = Random(turn.ordinal)  # a session has another name each time
        if turn.ordinal <= until:
            maker.begin()
            for at in range(len(its_plan.steps)):
                its_odd = odd.get((turn.contender, turn.repeat, at), Odd())
                _step(maker, turn, at, factors[turn.contender], its_odd)
            maker.end()
        else:
            maker.planned()
        JournalStorer(history).append(its_plan.id, turn.session, 0, maker.raw)


def _step(maker: _Maker, turn: PlannedSession, at: int, factor: float, odd: Odd) -> None:
    own = _OWN[(turn.repeat + at) % len(_OWN)] if turn.contender else 1.0
    maker.usual = 50_000 * COMMON[(turn.repeat - 1) % len(COMMON)] * own * factor
    maker.changes = odd.seconds
    outcome, reason = ("failed", "sysbench: FATAL: error 1205") if odd.failed else ("completed", "")
    if odd.skipped:
        outcome, reason = "skipped", "from the snapshot of this data"
    value = maker.usual * odd.factor
    if odd.is_one_slice:
        maker.start_step(at)
        maker.samples(at, [0])
        maker.end_step(at, value=value, marks=odd.marks, others=dict(odd.others) or None)
    else:
        maker.step(at, outcome, reason, value=value, marks=odd.marks, others=dict(odd.others) or None)


class _Maker(journals.Maker):
    """Its throughput is within 2 % of what it is to be, and changes where it is told to."""

    usual = 50_000.0
    changes: Mapping[int, float] = {}

    def value(self, position: int, s: int) -> float | None:
        if self.series[position]["name"] != "load.queries":
            return super().value(position, s)
        factor = 1.0
        for since, each in self.changes.items():
            factor = each if s >= since else factor
        return round(self.usual * factor * self.random.lognormvariate(0, 0.02), 2)
