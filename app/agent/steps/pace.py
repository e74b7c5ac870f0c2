"""How a driven step is paced: whole, its seconds as they come; or in slices, by turns with others."""

from __future__ import annotations

import time
from itertools import groupby
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Sequence, Union

from app.agent.load.gate import FAR_S, USUAL_S, ClientGate, lengths, slice_length
from app.agent.load.generators import Driving, RemoteGenerators
from app.agent.load.merging import join_slices
from app.protocol.latency import buckets_of
from app.protocol.plan import LONGEST_S, time_limit_s

from .baton import StepSlicePosition

if TYPE_CHECKING:
    from app.protocol.plan import Step

    from .counted import RunningStepMeter
    from .running import RunningSession

READ_S = 0.5  # the longest wait for a line before requests of people are looked for
OVERDUE_S = 120  # beyond the time of a step: then it is stuck
SILENT_S = 600  # in which a server answers nobody: then it hangs
LONG_DRAIN_S = 5.0  # from the end of a slice to that of its last event: then it is said
_OVERDUE = "sysbench did not end within {} s after its time: Dyno ended it".format(OVERDUE_S)
_SILENT = "the server answered neither its clients nor Dyno for {:.0f} s: Dyno ended the step"


def overdue_reason(measuring: RunningStepMeter) -> str:
    """Why a step was ended that did not end by itself."""
    silent_s = measuring.silent_s
    return _SILENT.format(silent_s) if silent_s > OVERDUE_S / 2 else _OVERDUE


class UnslicedLoad:
    """The load runs from begin to end at once."""

    options: Sequence[str] = ()
    files: Sequence[int] = ()

    def __init__(self, limit_s: int, measuring: RunningStepMeter) -> None:
        self._limit_s = limit_s  # after which the step should be over; 0: its work says when
        self._measuring = measuring

    def follow(self, generator: Driving) -> str:
        """Take its lines until it ends; returns why the step ends early, '' if it does not."""
        measuring, began = self._measuring, time.monotonic()
        lines: List[Dict[str, Any]] = []
        while lines or generator.is_open:
            # a server that hangs holds up each sample by seconds: lines wait then, and tell the stall
            lines = lines or measuring.read(generator, min(READ_S, measuring.late_in_s))
            if lines:
                measuring.take(lines.pop(0))
            elif generator.is_open:
                measuring.sample_if_late()
            interrupted = measuring.look()
            if interrupted:
                return interrupted
            is_late = self._limit_s and time.monotonic() - began > self._limit_s + OVERDUE_S
            if is_late or measuring.silent_s > SILENT_S:
                return "overdue"
        return ""

    def close(self) -> None:
        pass


class EndedEarlyError(Exception):
    """The step ends early; the text says why, and is empty if the generator has ended."""


class SlicedStepRunner:
    """The clients wait at a gate between slices, while the other contenders of the round work.

    The figures of the step are computed from those of its slices.
    """

    def __init__(self, session: RunningSession, index: int, step: Step, measuring: RunningStepMeter) -> None:
        self._session = session
        self._index = index
        self._step = step
        self._measuring = measuring
        self._gate = ClientGate()
        self._part = 0  # slices so far
        self._clients = 0
        self._latency: Dict[str, Any] = {}

    @property
    def options(self) -> Sequence[str]:
        """What the generator is started with besides the options of the step."""
        return ["--gate-fd={}".format(self._gate.reader)]

    @property
    def files(self) -> Sequence[int]:
        """Open files that the generator needs."""
        return [self._gate.reader]

    def follow(self, generator: Driving) -> str:
        """Warm up and measure, slice after slice; returns why the step ends early, '' if it does not."""
        measuring = self._measuring
        try:
            self._clients = int(self._await(generator, "ready", OVERDUE_S)["workers"])
            self._warm_up(generator)
            self._measure(generator)
            self._gate_of(generator).dismiss(self._clients)
            measuring.take_total(self._total_of(self._await(generator, "total", OVERDUE_S)))
            while generator.is_open:
                generator.read(LONG_DRAIN_S)
        except EndedEarlyError as early:
            return str(early)
        return ""

    def close(self) -> None:
        self._gate.close()

    def _gate_of(self, generator: Driving) -> Union[ClientGate, RemoteGenerators]:
        return generator if isinstance(generator, RemoteGenerators) else self._gate

    def _await(self, generator: Driving, kind: str, limit_s: float) -> Mapping[str, Any]:
        """Read until the next line of this kind; handle the lines before it."""
        end = time.monotonic() + limit_s
        while generator.is_open:
            found: Optional[Mapping[str, Any]] = None
            for line in self._measuring.read(generator, READ_S):
                if line.get("type") == kind:
                    found = line
                elif line.get("type") in ("statement", "schedule"):
                    self._measuring.take(line)
            if found is not None:
                return found
            interrupted = self._measuring.look()
            if interrupted:
                raise EndedEarlyError(interrupted)
            if time.monotonic() > end:
                raise EndedEarlyError("overdue")
        raise EndedEarlyError

    def _warm_up(self, generator: Driving) -> None:
        seconds = self._step.warmup
        if seconds:
            self._turn()
            self._carry_out(generator, self._lengths(seconds, _usual_s(generator)), range(-seconds, 0))
        if self._latency:
            self._session.place.agree(self._index, slice_length(self._latency["avg"]))

    def _measure(self, generator: Driving) -> None:
        self._turn()
        seconds, agreed_s = self._step.seconds, self._session.place.agreed(self._index)
        usual_s = max(_usual_s(generator), agreed_s)
        if usual_s > LONGEST_S:
            self._session.journal.log(
                "{} runs one server after the other: its events take so long"
                " that a turn would need {:.0f} s".format(self._step.label, usual_s)
            )
            usual_s = float(seconds)
        self._measuring.begin_measured()
        self._measuring.counted.begin_measured()
        self._latency = {}
        parts = self._lengths(seconds, usual_s)
        self._carry_out(generator, parts, range(seconds))
        self._measuring.in_force.update(slices=len(parts), slice_s=round(seconds / len(parts), 3))

    def _turn(self) -> None:
        self._part += 1
        self._session.place.pass_on(StepSlicePosition(self._index, self._part))

    def _lengths(self, seconds: float, usual_s: float) -> List[float]:
        """The lengths of the slices, the same for all contenders of the round."""
        plan, repeat = self._session.plan, self._session.turn.repeat
        return lengths(seconds, usual_s, "{}/{}/{}/{}".format(plan.id, repeat, self._step.label, usual_s))

    def _carry_out(self, generator: Driving, parts: Sequence[float], seconds: Sequence[int]) -> None:
        """One slice after the other; those of a second are sampled together."""
        for s, its in groupby(enumerate(parts), lambda each: seconds[each[0] * len(seconds) // len(parts)]):
            lines: List[Mapping[str, Any]] = []
            for at, length in its:
                if at:
                    self._turn()
                if not lines:
                    self._measuring.begin_slice()
                lines.append(self._slice(generator, length))
            self._measuring.take_slice(join_slices(lines), s)

    def _slice(self, generator: Driving, seconds: float) -> Mapping[str, Any]:
        self._gate_of(generator).open(self._clients, seconds)
        line = self._await(generator, "slice", seconds + OVERDUE_S)
        if float(line["time_s"]) - seconds > LONG_DRAIN_S:
            self._session.journal.log(
                "the last event of a slice ended {:.0f} s late".format(float(line["time_s"]) - seconds)
            )
        self._clients = int(line["workers"])
        if line["events"]:
            self._latency = _joined(self._latency, {**line["latency_ms"], "events": line["events"]})
        return line

    def _total_of(self, line: Mapping[str, Any]) -> Dict[str, Any]:
        """The sum of the slices, in the form of the line `total` of a step without slices."""
        latency = {name: self._latency.get(name) for name in ("min", "avg", "max")}
        clients = {name: line[name] for name in ("threads", "clients")}
        counted = self._measuring.counted
        measured, buckets = counted.measured, buckets_of(counted.latencies)
        seconds = measured["interval_s"]
        return {**measured, **clients, "time_s": seconds, "latency_ms": latency, "buckets": buckets}


def step_load_pacing(
    session: RunningSession, index: int, step: Step, measuring: RunningStepMeter
) -> Union[UnslicedLoad, SlicedStepRunner]:
    if step.sliced:
        return SlicedStepRunner(session, index, step, measuring)
    others = [session.plan.steps[at] for at in session.plan.other_roles(index)]
    return UnslicedLoad(time_limit_s([step, *others]), measuring)


def _usual_s(generator: Driving) -> float:
    return FAR_S if isinstance(generator, RemoteGenerators) else USUAL_S


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
