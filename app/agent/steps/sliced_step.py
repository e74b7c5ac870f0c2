"""A driven step in slices: the contenders of a round take turns, each behind a gate for its clients."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Sequence

from app.agent.load.gate import USUAL_S, Gate, length_for, lengths
from app.agent.load.generator import Generator
from app.agent.sampling.figures import percentile
from app.protocol.latency import buckets_of
from app.protocol.plan import LONGEST_S
from app.protocol.sysbench import WRAPPED, WRAPPER, command, stem_of

from .baton import Position
from .drive_step import OVERDUE_S, DriveStep, Driving

if TYPE_CHECKING:
    from app.protocol.plan import Step

    from .facts import Facts
    from .running import Running

LONG_DRAIN_S = 5.0  # from the end of a slice to that of its last event: then it is said


class EndedEarlyError(Exception):
    """The step ends early; the text says why, and is empty if the generator has ended."""


class SlicedStep(DriveStep):
    """Runs slice after slice, and computes the figures of the step from theirs."""

    def __init__(self, session: Running, facts: Facts, index: int, step: Step, seed: int) -> None:
        super().__init__(session, facts, index, step, seed)
        self._gate = Gate()
        self._part = 0  # slices so far
        self._clients = 0
        self._latency: Dict[str, Any] = {}

    def run(self) -> Dict[str, Any]:
        try:
            return super().run()
        finally:
            self._gate.close()

    def _start(self, driver: Sequence[str]) -> Generator:
        session, step = self._session, self._step
        contender = session.contender
        line = command(step, session.plan, contender.engine, contender.table_options, driver, self._seed)
        return Generator(
            [*line, "--gate-fd={}".format(self._gate.reader)],
            session.lua(WRAPPER),
            session.at("sysbench.log"),
            step.load_cores,
            keep=(self._gate.reader,),
            environment={WRAPPED: stem_of(step)},
        )

    def _follow(self, generator: Driving) -> str:
        try:
            self._clients = int(self._await(generator, "ready", OVERDUE_S)["workers"])
            self._warm_up(generator)
            self._measure(generator)
            (self._elsewhere.generators or self._gate).dismiss(self._clients)
            self._take_total(self._total_of(self._await(generator, "total", OVERDUE_S)))
            while generator.is_open:
                generator.read(LONG_DRAIN_S)
        except EndedEarlyError as early:
            if str(early):
                return str(early)
        self._code = generator.wait()
        return ""

    def _await(self, generator: Driving, kind: str, limit_s: float) -> Mapping[str, Any]:
        """Read until the next line of this kind; handle the lines before it."""
        end = time.monotonic() + limit_s
        while generator.is_open:
            found: Optional[Mapping[str, Any]] = None
            for line in self._read(generator, 0.25):
                if line.get("type") == kind:
                    found = line
                elif line.get("type") in ("statement", "schedule"):
                    self._take(line)
            if found is not None:
                return found
            self._session.look(self._index)
            self._profile.look()
            if self._session.control.interrupts:
                raise EndedEarlyError(self._session.control.interrupts)
            if time.monotonic() > end:
                raise EndedEarlyError("overdue")
        raise EndedEarlyError

    # slices

    def _warm_up(self, generator: Driving) -> None:
        seconds = self._step.warmup
        for at, length in enumerate(self._lengths(seconds, USUAL_S) if seconds else ()):
            self._turn()
            self._slice(generator, length, at - seconds)
        p99 = percentile(buckets_of(self._counted.latencies), 99)
        if p99 is not None:
            self._session.place.agree(self._index, length_for(p99))

    def _measure(self, generator: Driving) -> None:
        self._turn()
        seconds, usual_s = self._step.seconds, max(USUAL_S, self._session.place.agreed(self._index))
        if usual_s > LONGEST_S:
            self._session.journal.log(
                "{} is not sliced but runs one contender after the other: its events take so long"
                " that a slice would need {:.0f} s".format(self._step.label, usual_s)
            )
            usual_s = float(seconds)
        self._begin_measured()
        parts = self._lengths(seconds, usual_s)
        for at, length in enumerate(parts):
            if at:
                self._turn()
            self._slice(generator, length, at * seconds // len(parts))
        self._in_force.update(slices=len(parts), slice_s=round(seconds / len(parts), 3))

    def _turn(self) -> None:
        self._part += 1
        self._session.place.pass_on(Position(self._index, self._part))

    def _lengths(self, seconds: float, usual_s: float) -> List[float]:
        """The lengths of the slices, the same for all contenders of the round."""
        plan, repeat = self._session.plan, self._session.turn.repeat
        return lengths(seconds, usual_s, "{}/{}/{}/{}".format(plan.id, repeat, self._step.label, usual_s))

    def _begin_measured(self) -> None:
        super()._begin_measured()
        self._counted.begin_measured()
        self._latency = {}

    def _slice(self, generator: Driving, seconds: float, s: int) -> None:
        self._session.sampler.begin()
        self._session.threads.begin()
        (self._elsewhere.generators or self._gate).open(self._clients, seconds)
        line = self._await(generator, "slice", seconds + OVERDUE_S)
        if float(line["time_s"]) - seconds > LONG_DRAIN_S:
            self._session.journal.log(
                "the last event of a slice ended {:.0f} s late".format(float(line["time_s"]) - seconds)
            )
        self._clients = int(line["workers"])
        self._s = s
        self._counted.add_second(line, True)
        if line["events"]:
            self._latency = _joined(self._latency, {**line["latency_ms"], "events": line["events"]})
        self._count(line)
        self._sample(line)

    # the step

    def _total_of(self, line: Mapping[str, Any]) -> Dict[str, Any]:
        """The sum of the slices, in the form of the line `total` of a step without slices."""
        latency = {name: self._latency.get(name) for name in ("min", "avg", "max")}
        clients = {name: line[name] for name in ("threads", "clients")}
        measured, buckets = self._counted.measured, buckets_of(self._counted.latencies)
        seconds = measured["interval_s"]
        return {**measured, **clients, "time_s": seconds, "latency_ms": latency, "buckets": buckets}


def _joined(before: Mapping[str, Any], more: Mapping[str, Any]) -> Dict[str, Any]:
    """Minimum, mean and maximum of both sets of events together."""
    if not before:
        return dict(more)
    events = before["events"] + more["events"]
    return {
        "events": events,
        "min": min(before["min"], more["min"]),
        "avg": (before["avg"] * before["events"] + more["avg"] * more["events"]) / events,
        "max": max(before["max"], more["max"]),
    }
