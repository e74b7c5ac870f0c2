"""The states of a session and of its steps, as the events of its journal bring them about.

The one state machine of a journal. The history refuses what `check` refuses and stores what `take` arrives at;
progress, Live and the command line go on from what is stored.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from .events import (
    OPERATION_MOMENTS,
    REPEATED,
    Event,
    MomentEvent,
    ProgressEvent,
    Sample,
    SeriesDeclared,
    SessionEnded,
    SessionPlanned,
    SessionStarted,
    StepEnded,
    StepStarted,
)

GOING_ON = ("waiting", "active")
ENDED = ("completed", "failed", "stopped", "lost")
OUTCOMES = ("completed", "failed", "stopped")  # of a session
STEP_OUTCOMES = (*OUTCOMES, "skipped")

# why a session of a plan until decided was stopped before it began
DECIDED, IN_PART, UNDECIDABLE = "decided", "decided in part", "found undecidable"  # all, some, no cells of it
ENDINGS = (DECIDED, IN_PART, UNDECIDABLE)
OUT_OF_TIME = "the time limit leaves no room for another round"
NOT_NEEDED = (*ENDINGS, OUT_OF_TIME)

_OPEN = {IN_PART: "would not decide the rest", UNDECIDABLE: "would not decide it"}

# why a step ended of which the journal tells nothing more: the state of its session does
GONE, UNREACHED = "the agent was gone before it ended", "its session had ended before"


def state_word(state: str, reason: str) -> str:
    """The word for a session's state; one that was not needed was not *stopped*."""
    if state != "stopped" or reason not in NOT_NEEDED:
        return state
    return "not needed" if reason in ENDINGS else "left out"


def reason_text(reason: str, after: str = "", rounds: int = 0) -> str:
    """`decided in part after 7 repeats: 8 repeats would not decide the rest`: why it goes no further."""
    more = f"{rounds} repeats" if rounds else "more repeats"
    return f"{reason}{after}: {more} {_OPEN[reason]}" if reason in _OPEN else f"{reason}{after}"


class SampleLike(Protocol):
    """A sample, in either form."""

    @property
    def seq(self) -> int: ...

    @property
    def t(self) -> float: ...

    @property
    def at(self) -> float: ...

    @property
    def step(self) -> int: ...

    @property
    def s(self) -> int: ...


@dataclass
class StepState:
    """A step of a session as far as it has come."""

    state: str = "waiting"  # waiting active completed failed stopped skipped
    reason: str = ""
    began_t: float | None = None  # its latest attempt
    measured_t: float | None = None  # where its warm-up was over
    ended_t: float | None = None
    s: int | None = None  # its latest second, negative in warm-up, while it is active
    progress: ProgressEvent | None = None  # the latest, while it is active
    value: float | None = None  # its figure
    attempt: int = 1  # the latest one; others have disturbed those before
    moments: dict[str, float] = field(default_factory=dict)  # of an operation: the second of each

    @property
    def is_over(self) -> bool:
        return self.state not in GOING_ON

    @property
    def seconds(self) -> float | None:
        """Seconds that it took, if it ran."""
        return None if self.began_t is None or self.ended_t is None else self.ended_t - self.began_t

    def repeat(self, t: float) -> None:
        """Begin the step again: nothing of the last attempt counts."""
        self.attempt += 1
        self.began_t, self.measured_t, self.s = t, None, None
        self.moments = {}

    def end(self, state: str, reason: str, t: float) -> None:
        self.state, self.reason, self.ended_t = state, reason, t
        self.s = self.progress = None


@dataclass
class SessionState:
    """A session as far as it has come."""

    id: str
    steps: list[StepState] = field(default_factory=list)  # all of the plan
    state: str = "waiting"
    reason: str = ""
    is_planned: bool = False  # its journal has begun
    seq: int = 0  # of the latest event
    t: float = 0.0
    at: float = 0.0
    step: int = -1  # the latest that began
    at_hand: int = -1  # the active one; -1 where there is none
    sampled: tuple[str, ...] = ()  # names of the values of a sample from now on, in their order

    @property
    def is_over(self) -> bool:
        return self.state in ENDED

    @property
    def active(self) -> StepState:
        """The running step, if there is one."""
        return self._step(self.at_hand)

    @property
    def is_needed(self) -> bool:
        """Whether the session was needed; not if the plan was decided before it."""
        return self.reason not in NOT_NEEDED

    @property
    def word(self) -> str:
        return state_word(self.state, self.reason)

    @property
    def failed_steps(self) -> int:
        """Of those that began: other roles, and kinds of events, are parts of a step."""
        return sum(step.state == "failed" and step.began_t is not None for step in self.steps)

    def check(self, event: Event) -> None:
        """Raise ValueError if this event cannot come now."""
        if self.is_planned == isinstance(event, SessionPlanned):
            raise ValueError("a journal begins with session_planned, once")
        if self.is_over:
            raise ValueError("the session has ended before")
        if isinstance(event, StepStarted):
            if self.at_hand >= 0:
                raise ValueError(f"step {event.step} starts before step {self.at_hand} has ended")
            self._check_step(event.step)
        elif isinstance(event, StepEnded):
            self._check_step(event.step)
        elif (
            isinstance(event, MomentEvent) and event.name == REPEATED and not 0 <= event.step == self.at_hand
        ):
            raise ValueError(f"step {event.step} is repeated, which is not active")
        if isinstance(event, (StepEnded, SessionEnded)):
            known = STEP_OUTCOMES if isinstance(event, StepEnded) else OUTCOMES
            if event.outcome not in known:
                raise ValueError(f"the outcome {event.outcome!r} is unknown")

    def check_second(self, sample: SampleLike) -> None:
        """Raise ValueError if a sample belongs neither to the running step nor between steps."""
        if not self.is_planned or sample.step not in (-1, self.at_hand):
            raise ValueError(f"a sample of step {sample.step}, which is not active")

    def take(self, event: Event) -> None:
        """Go on to the next event of the journal."""
        self.seq, self.t, self.at = event.seq, event.t, event.at
        if isinstance(event, Sample):
            self.take_second(event)
        elif isinstance(event, SessionPlanned):
            self.is_planned = True
        elif isinstance(event, SessionStarted):
            self.state = "active"
        elif isinstance(event, SeriesDeclared):
            self.sampled = tuple(each.name for each in event.series)
        elif isinstance(event, StepStarted):
            self._start_step(event)
        elif isinstance(event, ProgressEvent):
            self._step(event.step).progress = event
        elif isinstance(event, MomentEvent) and event.name == "measured":
            self._step(event.step).measured_t = event.t
        elif isinstance(event, MomentEvent) and event.name == REPEATED:
            self._step(event.step).repeat(event.t)
        elif isinstance(event, MomentEvent) and event.name in OPERATION_MOMENTS and event.value is not None:
            self._step(event.step).moments[event.name] = event.value
        elif isinstance(event, StepEnded):
            self._end_step(event)
        elif isinstance(event, SessionEnded):
            self._end(event)

    def take_second(self, sample: SampleLike) -> None:
        """The same of a sample."""
        self.seq, self.t, self.at = sample.seq, sample.t, sample.at
        self._step(sample.step).s = sample.s

    def end_unsaid(self) -> None:
        """End the session without an end event: its agent is gone."""
        if not self.is_over:
            self.state = "lost"
            self.end_steps("failed", GONE)

    def end_steps(self, state: str, reason: str) -> None:
        """End the running step with the session, and those not reached."""
        self.at_hand = -1
        for step in self.steps:
            if step.state == "active":
                step.end(state, reason, self.t)
            elif step.state == "waiting":
                step.state, step.reason = "skipped", UNREACHED

    def _step(self, position: int) -> StepState:
        return self.steps[position] if 0 <= position < len(self.steps) else StepState()

    def _check_step(self, position: int) -> None:
        if not 0 <= position < len(self.steps):
            raise ValueError(f"the plan has no step {position}")
        if self.steps[position].is_over:
            raise ValueError(f"step {position} has ended before")

    def _start_step(self, event: StepStarted) -> None:
        self.step = self.at_hand = event.step
        step = self._step(event.step)
        step.state, step.began_t = "active", event.t

    def _end_step(self, event: StepEnded) -> None:
        """End a step, also one that never began because it was skipped."""
        step = self._step(event.step)
        step.end(event.outcome, event.reason, event.t)
        step.value = event.value
        if event.step == self.at_hand:
            self.at_hand = -1
        self.step = max(self.step, event.step)

    def _end(self, event: SessionEnded) -> None:
        self.state, self.reason = event.outcome, event.reason
        self.end_steps("failed" if event.outcome == "failed" else "stopped", event.reason)
