"""Rounds of slices as an agent would write them, made up: journals of contenders that take turns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from app.protocol.events import MomentEvent, Sample, SessionStarted
from app.protocol.plan import SLICES, Contender, Plan, Step

from .journals import SERIES, Maker, contender, plan, steps

SETUP_S = 0.5  # of a step, for each contender
CONTENDERS = ("innodb", "myisam", "rocksdb", "aria")
# QPS of a contender (its place in the round) at a second; None: missing
Rate = Callable[[int, int], float | None]


def sliced_steps(seconds: int = 8, warmup: int = 2) -> list[Step]:
    """A load, and driven steps in slices."""
    return [
        replace(step, sliced=step.kind == "drive")
        for step in steps(threads=(1,), seconds=seconds, warmup=warmup)
    ]


def sliced_plan(count: int = 2, repeats: int = 1, seconds: int = 8, number: int = 1) -> Plan:
    contenders: Sequence[Contender] = [contender(engine) for engine in CONTENDERS[:count]]
    made = plan(contenders, repeats, number, its_steps=sliced_steps(seconds))
    return replace(made, order=SLICES, name="in slices", seconds=seconds)


class Round:
    """Its makers share one clock: who has the machine lets it go on."""

    def __init__(self, its_plan: Plan, repeat: int = 1, rate: Rate = lambda at, s: 1000.0 * (at + 1)) -> None:
        self.makers = [Maker(its_plan, turn.session) for turn in its_plan.turns if turn.repeat == repeat]
        self.plan, self.rate = its_plan, rate
        self.clock = self.makers[0].began_at

    def begin(self, server_s: float = 3.0) -> Round:
        """One server after the other."""
        for maker in self.makers:
            maker.planned()
        for maker in self.makers:
            maker.began_at, maker.t = self.clock, 0.0
            maker.add(SessionStarted, agent="a" * 64, pid=4711)
            self.spend(maker, server_s)
            maker.declare(SERIES)
        return self

    def spend(self, maker: Maker, seconds: float) -> None:
        self.clock += seconds
        maker.t = self.clock - maker.began_at

    def whole(self, at: int, seconds: int = 10) -> None:
        """A step that each carries out whole, one after the other."""
        for number in range(len(self.makers)):
            self.whole_of(number, at, seconds)

    def whole_of(self, number: int, at: int, seconds: int = 10) -> None:
        maker = self.makers[number]
        self.spend(maker, 0.0)
        maker.start_step(at)
        for s in range(seconds):
            self.spend(maker, 1.0)
            self._sample(number, at, s)
        maker.end_step(at)

    def sliced(self, at: int, seconds: Iterable[int], slice_s: float = 1.0) -> None:
        """A step that begins, and these of its slices: A B B A."""
        for maker in self.makers:
            self.spend(maker, SETUP_S)
            maker.start_step(at)
        self.slices(at, seconds, slice_s)

    def slices(self, at: int, seconds: Iterable[int], slice_s: float = 1.0) -> None:
        for s in seconds:
            order = range(len(self.makers))
            for number in order if s % 2 == 0 else reversed(order):
                self.slice(number, at, s, slice_s)

    def slice(self, number: int, at: int, s: int, slice_s: float = 1.0) -> None:
        maker = self.makers[number]
        if s == 0:
            self.spend(maker, 0.0)
            maker.add(MomentEvent, name="measured", step=at)
        self.spend(maker, slice_s)
        self._sample(number, at, s)

    def end_step(self, at: int) -> None:
        for maker in self.makers:
            self.spend(maker, 0.0)
            maker.end_step(at)

    def end(self) -> Round:
        for maker in self.makers:
            self.spend(maker, 1.0)
            maker.end()
        return self

    def all_of(self) -> Round:
        """From its beginning to its end."""
        self.begin()
        for at, step in enumerate(self.plan.steps):
            if step.sliced:
                self.sliced(at, range(-step.warmup, step.seconds))
                self.end_step(at)
            else:
                self.whole(at)
        return self.end()

    def _sample(self, number: int, at: int, s: int) -> None:
        maker = self.makers[number]
        values = [self.rate(number, s), *(maker.value(place, s) for place in range(1, len(SERIES)))]
        maker.add(Sample, step=at, s=s, dt=1.0, values=values)
