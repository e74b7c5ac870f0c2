"""The results of a round by its journals, with the marks for which Compare would not judge them."""

from __future__ import annotations

from typing import Dict, FrozenSet, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from app.protocol.events import (
    REPEATED,
    Event,
    MomentEvent,
    ProtocolError,
    Sample,
    SessionStarted,
    StepEnded,
    decode,
)
from app.protocol.others import Others
from app.protocol.plan import LONGEST_S, Plan, PlannedSession
from app.protocol.series import in_a_second, series_of_figure
from app.protocol.states import SessionState, StepState
from app.stats.at_target.steady import UNSTEADY, Steadiness, ratio_steadiness, steadiness

from .system.directory import MarkedDirectory

Seconds = Sequence[
    Optional[float]
]  # the throughput of each measured second; none where nothing is known of it


class StepRoundResult(NamedTuple):
    """Of a step in a session."""

    state: str
    value: Optional[float] = None
    marks: FrozenSet[str] = frozenset()
    others: Others = Others()
    seconds: Seconds = ()
    is_whole: bool = False  # a step in slices that was one, longer than a slice may be
    began: int = 0  # when the session did, in seconds, as the history has it


Results = Dict[int, StepRoundResult]  # by step


def round_results(
    directory: MarkedDirectory, plan: Plan, turns: Sequence[PlannedSession]
) -> Dict[int, Results]:
    """By contender; of several attempts the last that was completed, as in Compare."""
    readings: Dict[int, List[_Reading]] = {}
    for turn in turns:
        reading = _Reading(directory.journal(turn.session), plan, turn.attempt)
        readings.setdefault(turn.contender, []).append(reading)
    found = {contender: max(its, key=lambda each: each.rank).results() for contender, its in readings.items()}
    return {
        contender: {step: _judged(plan, found, contender, step) for step in results}
        for contender, results in found.items()
    }


def _judged(plan: Plan, found: Mapping[int, Results], contender: int, step: int) -> StepRoundResult:
    """With the mark of what was not steady: of a step in slices that is the ratio to the base."""
    result, base = found[contender][step], found.get(0, {}).get(step)
    steady = _of_ratio(base, result) if plan.steps[step].sliced and contender else None
    if steady is None and (contender or not plan.steps[step].sliced) and result.seconds:
        steady = steadiness(in_a_second(result.seconds, plan.steps[step].unit))
    marks = result.marks | ({UNSTEADY} if steady and steady.word == UNSTEADY else set())
    known = sum(second is not None for second in result.seconds)
    is_whole = bool(known) and known < 2 and plan.steps[step].seconds > LONGEST_S
    return result._replace(marks=frozenset(marks), seconds=(), is_whole=is_whole)


def _of_ratio(base: Optional[StepRoundResult], result: StepRoundResult) -> Optional[Steadiness]:
    if base is None or not base.seconds or not result.seconds:
        return None
    end = min(len(base.seconds), len(result.seconds))
    return ratio_steadiness(base.seconds[:end], result.seconds[:end])


class _Reading:
    """A journal as far as it can be read."""

    def __init__(self, path: str, plan: Plan, attempt: int) -> None:
        self._plan, self._attempt = plan, attempt
        self.state = SessionState("", [StepState() for _ in plan.steps])
        self._ended: Dict[int, StepEnded] = {}
        self._seconds: Dict[int, Dict[int, Optional[float]]] = {}
        self._began_at = 0
        for event in _events(path):
            self.state.take(event)
            self._take(event)
        self.state.end_unsaid()

    @property
    def rank(self) -> Tuple[bool, bool, int]:
        """An attempt that was not needed has no journal."""
        return self.state.state == "completed", self.state.is_planned, self._attempt

    def _take(self, event: Event) -> None:
        if isinstance(event, Sample) and event.s >= 0 and self._is_timed(event.step):
            series = series_of_figure(self._plan.steps[event.step].unit)
            values = dict(zip(self.state.sampled, event.values))
            self._seconds.setdefault(event.step, {})[event.s] = values.get(series)
        elif isinstance(event, MomentEvent) and event.name == REPEATED:
            self._seconds.pop(event.step, None)
        elif isinstance(event, StepEnded):
            self._ended[event.step] = event
        elif isinstance(event, SessionStarted):
            self._began_at = int(event.at)

    def _is_timed(self, step: int) -> bool:
        return step >= 0 and self._plan.steps[step].kind == "drive" and not self._plan.steps[step].warm

    def results(self) -> Results:
        return {step: self._result(step) for step in range(len(self._plan.steps))}

    def _result(self, step: int) -> StepRoundResult:
        state, ended = self.state.steps[step].state, self._ended.get(step)
        if ended is None:
            return StepRoundResult(state)
        is_figure = state == "completed" and ended.value is not None
        there = self._seconds.get(step, {}) if is_figure else {}
        seconds = [there.get(at) for at in range(max(there, default=-1) + 1)]
        known = seconds if any(each is not None for each in seconds) else ()
        others = ended.others or Others()
        return StepRoundResult(
            state, ended.value, frozenset(ended.marks), others, known, began=self._began_at
        )


def _events(path: str) -> Iterator[Event]:
    try:
        with open(path, "rb") as file:
            for line in file:
                yield decode(line)
    except (OSError, ProtocolError):
        return
