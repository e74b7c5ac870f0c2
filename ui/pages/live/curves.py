"""The curves of one session: from the store as far as it was read, then from its events as they come."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from app.history.steps.remarks import JournalRemark
from app.history.steps.timeline import SessionTimeline, StepOnTimeline
from app.history.store.decoding import Line, SampleLine
from app.protocol.events import (
    ANSWERS,
    OPERATION_ENDED,
    REPEATED,
    Event,
    LogEvent,
    MomentEvent,
    Note,
    SeriesDeclared,
    SessionEnded,
    StepEnded,
    StepStarted,
    UnknownEvent,
)
from app.protocol.plan import SLICES, Plan, coordinates_json, step_key
from app.protocol.states import StepState
from ui.widgets.charts.pyramid import GAP_S, GrowingTimeSeries

from .heat import add_samples, add_seconds, new_heat
from .written import WrittenTracks

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

NAN = float("nan")
QPS = "load.queries"
SLICES_GAP_S = 90.0  # between two slices three others may take six of 12 s, and rest
RECENT_S = 60  # latest seconds whose values of all series are in memory
UNTOLD = ("measured",)  # marks that are shown by what they bring about


@dataclass
class StepOnAxis:
    """A step on the session's time axis."""

    position: int
    name: str
    label: str
    kind: str
    coordinates: str
    latency_per: str
    state: StepState  # as far as the step has come

    @property
    def began_t(self) -> float:
        return self.state.began_t or 0.0

    @property
    def measured_t(self) -> float | None:
        return self.state.measured_t

    @property
    def ended_t(self) -> float | None:
        return self.state.ended_t

    @property
    def key(self) -> tuple[str, str]:
        return step_key(self.name, self.coordinates)


@dataclass
class EventBatchChanges:
    """The changes of a batch of events."""

    values: int = 0  # samples
    bounds: bool = False
    is_stale: bool = False  # other series are declared, or a step begins again: it is to be read anew
    remarks: tuple[JournalRemark, ...] = ()


class QpsPoint(NamedTuple):
    """A second of a step, or a slice; missing QPS is NaN."""

    t: float  # its end
    qps: float


class SessionCurves:
    """Curves that grow with events; those in the store count only once."""

    def __init__(self, timeline: SessionTimeline, names: Sequence[str]) -> None:
        self.session = timeline.overview.session["id"]
        self.plan: Plan = timeline.overview.plan
        self.names = tuple(names)
        self.gap_s = SLICES_GAP_S if self.plan.order == SLICES else GAP_S
        self._written = WrittenTracks(self.plan, self.gap_s)
        self.tracks = {name: GrowingTimeSeries(self.gap_s) for name in names} | self._written.tracks
        self.heat = new_heat()
        self.bounds: dict[int, StepOnAxis] = {}
        self.seconds: dict[int, dict[int, QpsPoint]] = {}  # by step and s; of a plan in slices
        self.gaps: list[tuple[float, float]] = []
        self.remarks: list[JournalRemark] = list(timeline.remarks)
        self.t = 0.0  # of the latest sample
        self.arrived = 0  # samples that came as events
        self._recent: deque[Sequence[float | None]] = deque(maxlen=RECENT_S)
        self._state = timeline.state
        self._sampled = self._places(timeline.state.sampled)
        for stretch in timeline.stretches:
            self._take_stretch(stretch)

    @property
    def current(self) -> StepOnAxis | None:
        """The latest step that began."""
        return next(reversed(self.bounds.values()), None)

    def latest(self, after: int) -> list[dict[str, float | None]]:
        """All series by name, of the samples after so many that arrived; of the last minute at most."""
        names, count = self._state.sampled, min(self.arrived - after, len(self._recent))
        return [dict(zip(names, self._recent[at], strict=True)) for at in range(-count, 0)]

    @property
    def marks(self) -> list[tuple[float, str]]:
        """Notes, and events of the server; an operation that ends with an answer has one for both."""
        shown = [each for each in self.remarks if each.kind in ("note", "mark") and each.about not in UNTOLD]
        return [
            (each.t, each.moment_text)
            for before, each in zip((None, *shown), shown, strict=False)
            if before is None or (before.about, each.about) != (ANSWERS, OPERATION_ENDED)
        ]

    def at(self, t: float | None) -> StepOnAxis | None:
        """The step at a moment; without one, the latest."""
        if t is not None:
            for bounds in reversed(self.bounds.values()):
                if bounds.began_t <= t:
                    return bounds
        return self.current

    def moment(self, bounds: StepOnAxis, s: int) -> float:
        """When second `s` of a step begins; in slices when the one before has ended."""
        step = self.plan.steps[bounds.position]
        zero = bounds.began_t + step.warmup if bounds.measured_t is None else bounds.measured_t
        if not step.sliced:
            return zero + s
        before = (each.t for at, each in self.seconds.get(bounds.position, {}).items() if 0 <= at < s)
        return max(before, default=zero)

    def seen(self, shown: tuple[float, float], is_growing: bool) -> StepOnAxis | None:
        """The running step while its newest second is visible; else the one that fills most of the charts."""
        current = self.current
        if is_growing and current is not None and current.ended_t is None:
            return current
        found = self.at(sum(shown) / 2)
        if found is None or is_growing:
            return None
        length = (found.ended_t or self.t) - found.began_t
        return found if length > (shown[1] - shown[0]) / 2 else None

    def take(self, lines: Iterable[Line]) -> EventBatchChanges:
        """Take events of the session in order, without those read from the store."""
        applied = EventBatchChanges()
        run: list[SampleLine] = []
        seq = self._state.seq
        for line in lines:
            if line.seq <= seq:
                continue
            seq = line.seq
            if isinstance(line, SampleLine):
                run.append(line)
                continue
            self._extend(run, applied)
            self._take(line, applied)
        self._extend(run, applied)
        return applied

    def _take(self, event: Event, applied: EventBatchChanges) -> None:
        self._state.take(event)
        match event:
            case SeriesDeclared():
                self._sampled = self._places(self._state.sampled)
                self._recent.clear()
                applied.is_stale = True
            case StepStarted():
                self._begin(event.step)
                applied.bounds = True
            case StepEnded() | SessionEnded():
                applied.bounds = True
            case LogEvent() | MomentEvent() | Note() | UnknownEvent():
                applied.is_stale = applied.is_stale or (
                    isinstance(event, MomentEvent) and event.name == REPEATED
                )
                self._remark(event, applied)

    def _remark(
        self, event: LogEvent | MomentEvent | Note | UnknownEvent, applied: EventBatchChanges
    ) -> None:
        match event:
            case LogEvent():
                about, text = f"{event.source} {event.level}", event.text
            case MomentEvent():
                about, text = event.name, event.text
            case Note():
                about, text = "", event.text
            case _:
                about, text = str(event.data.get("kind")), json.dumps(event.data)
        remark = JournalRemark(event.seq, event.t, event.kind, about, text)
        self.remarks.append(remark)
        applied.remarks += (remark,)
        applied.bounds = applied.bounds or not isinstance(event, LogEvent)

    def _begin(self, position: int) -> None:
        """A step begins, without a line from the one before."""
        step = self.plan.steps[position]
        coordinates = coordinates_json(step.coordinates)
        bounds = self.bounds[position] = StepOnAxis(
            position,
            step.name,
            step.label,
            step.kind,
            coordinates,
            step.latency_per,
            self._state.steps[position],
        )
        self._break_at(bounds.began_t)

    def _break_at(self, t: float) -> None:
        for track in self.tracks.values():
            if len(track):
                track.extend([t], [NAN])

    def _extend(self, run: list[SampleLine], applied: EventBatchChanges) -> None:
        """Add consecutive samples; those between steps belong to none."""
        samples = [sample for sample in run if sample.step >= 0]
        if run:
            self._state.take_second(run[-1])
            run.clear()
        if not samples:
            return
        self.arrived += len(samples)
        self._recent.extend(sample.values for sample in samples[-RECENT_S:])
        times = [sample.t for sample in samples]
        for name, place in self._sampled.items():
            self.tracks[name].extend(times, [sample.values[place] for sample in samples])
        add_samples(self.heat, samples)
        self._written.take_samples(samples, self._sampled)
        if QPS in self._sampled:
            qps = [sample.values[self._sampled[QPS]] for sample in samples]
            self._keep_seconds(
                samples[0].step, zip((sample.s for sample in samples), times, qps, strict=True)
            )
        self._note_gaps(times)
        applied.values += len(samples)

    def _take_stretch(self, stretch: StepOnTimeline) -> None:
        self._begin(stretch.position)
        for name, values in stretch.values.items():
            self.tracks[name].extend(stretch.t, values)
        add_seconds(self.heat, stretch.t, stretch.dt, stretch.latencies)
        self._written.take_stretch(stretch)
        times = stretch.t.tolist()
        if QPS in stretch.values:
            qps = stretch.values[QPS].tolist()
            self._keep_seconds(stretch.position, zip(stretch.s.tolist(), times, qps, strict=True))
        self._note_gaps(times)

    def _keep_seconds(self, position: int, rows: Iterable[tuple[float, float, float | None]]) -> None:
        if self.plan.order == SLICES:
            found = self.seconds.setdefault(position, {})
            found.update((int(s), QpsPoint(t, NAN if qps is None else qps)) for s, t, qps in rows)

    def _note_gaps(self, times: Sequence[float]) -> None:
        """Note gaps without samples within a step."""
        begun = self.current
        last = self.t if begun is None else max(self.t, begun.began_t)
        for t in times:
            if t - last > self.gap_s:
                self.gaps.append((last, t))
            last = t
        self.t = last

    def _places(self, sampled: Sequence[str]) -> dict[str, int]:
        return {name: at for at, name in enumerate(sampled) if name in self.tracks}


class GhostCurves:
    """An earlier session behind this one, aligned step by step."""

    def __init__(
        self, session: str, stretches: Iterable[StepOnTimeline], names: Sequence[str], gap_s: float = GAP_S
    ) -> None:
        self.session = session
        self.tracks = {name: GrowingTimeSeries(gap_s) for name in names}
        self.heat = new_heat()
        self._stretches = {step_key(each.name, each.coordinates): each for each in stretches}
        self._done: dict[int, int] = {}  # seconds that are drawn, by position of the step here

    def advance(self, bounds: Mapping[int, StepOnAxis], now: float) -> None:
        """Advance to the session's time, and in each step no further than the session."""
        for step in bounds.values():
            stretch = self._stretches.get(step.key)
            done = self._done.get(step.position, 0)
            if stretch is None or done == len(stretch.t):
                continue
            times = stretch.t + (step.began_t - stretch.began_t)
            end = int(times.searchsorted(now if step.ended_t is None else step.ended_t, "right"))
            if end > done:
                self._extend(stretch, times, done, end, step.began_t)
                self._done[step.position] = end

    def _extend(self, stretch: StepOnTimeline, times: Floats, done: int, end: int, began_t: float) -> None:
        for name, track in self.tracks.items():
            if name in stretch.values:
                if done == 0 and len(track):
                    track.extend([began_t], [NAN])
                track.extend(times[done:end], stretch.values[name][done:end])
        if stretch.latencies is not None:
            part = stretch.latencies.part(done, end)
            add_seconds(self.heat, times[done:end], stretch.dt[done:end], part)
