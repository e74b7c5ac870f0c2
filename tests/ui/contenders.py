"""Contenders of a round that take turns, as tests of the Live page make them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from app.protocol import plan
from app.protocol.plan import SLICES, Plan
from tests import journals, sliced
from ui.pages.live.curves import QPS
from ui.widgets.charts.pyramid import GrowingTimeSeries

LOAD, POINT, UPDATE = 0, 1, 2  # steps of the plan; a load is never in slices


AWAY_S = 5.0  # that the others take between two slices


Points = list[tuple[float, float | None]]


class Contender(journals.Maker):
    """Its slices have the QPS that a test gives them."""

    qps: float | None = 1000.0

    def value(self, position: int, s: int) -> float | None:
        return self.qps if self.series[position]["name"] == QPS else super().value(position, s)

    def slice(self, step: int, s: int, qps: float | None) -> None:
        self.qps = qps
        self.samples(step, [s])


def made_plan(
    contenders: Sequence[plan.Contender] = (sliced.INNODB, sliced.ROCKSDB), order: str = SLICES
) -> Plan:
    made = sliced.plan(contenders, rounds=2, order=order)
    return replace(made, steps=[replace(step, warmup=2 if step.seconds else 0) for step in made.steps])


def begun(its_plan: Plan, repeat: int = 1) -> list[Contender]:
    """The contenders of a round, before their first slices."""
    makers = [Contender(its_plan, turn.session) for turn in its_plan.turns if turn.repeat == repeat]
    for maker in makers:
        maker.begin()
        maker.step(LOAD)
        maker.start_step(POINT)
    return makers


def take_turns(makers: Sequence[Contender], step: int, seconds: range, factor: float = 2.0) -> None:
    """The later ones do `factor` as much as the first."""
    for s in seconds:
        for at, maker in enumerate(makers):
            maker.slice(step, s, 1000.0 * (1 + s % 3 / 10) * (factor if at else 1.0))
            maker.t += AWAY_S


def samples(maker: Contender, step: int) -> Points:
    return [(each.t, each.values[0]) for each in maker.events if each.kind == "sample" and each.step == step]


def points(track: GrowingTimeSeries) -> Points:
    t, values = track.window(-1e9, 1e9, 1 << 20)
    return [(t, None if math.isnan(v) else v) for t, v in zip(t.tolist(), values.tolist(), strict=True)]
