"""Plans until decided as an agent would write them, made up, with journals of what was not needed."""

from __future__ import annotations

from dataclasses import replace

from app.protocol.plan import Plan
from app.protocol.states import DECIDED
from app.stats.at_target.looks import ROUNDS

from .journals import Maker, contender, plan, whole

LATER_S = 5000.0  # when the journals of sessions end that were not needed: they began with the plan


def until_decided(count: int = 2, **other: object) -> Plan:
    contenders = [contender(engine) for engine in ("innodb", "myisam", "rocksdb")[:count]]
    made = replace(plan(contenders, ROUNDS), until_decided=True)
    return replace(made, **other)  # type: ignore[arg-type]


def spared(its_plan: Plan, session: str, reason: str = DECIDED) -> Maker:
    maker = Maker(its_plan, session).planned()
    maker.t = LATER_S
    return maker.end("stopped", reason)


def makers_of(its_plan: Plan, rounds: int, reason: str = DECIDED, is_over: bool = True) -> list[Maker]:
    """Of all that were carried out, and of those that were not needed."""
    made = []
    for turn in its_plan.turns:
        if turn.repeat <= rounds:
            made.append(whole(its_plan, turn.session))
        elif is_over:
            made.append(spared(its_plan, turn.session, reason))
    return made
