"""How far a plan has come, as its journals tell it: states, QPS, the time that has gone and is left."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field

from app.history.decoding import Line, SampleLine
from app.history.figures import GONE, UNREACHED
from app.history.history import History
from app.history.sessions import sessions
from app.protocol.events import (
    Progress,
    Sample,
    SeriesDeclared,
    SessionEnded,
    SessionPlanned,
    SessionStarted,
    StepEnded,
    StepStarted,
)
from app.protocol.plan import PREPARING, Plan, Step

from .follower import Update

RECENT = 60  # seconds of QPS that are kept at hand
ENDED = ("completed", "failed", "stopped", "lost")


@dataclass
class StepProgress:
    """A step of a session as far as it has come."""

    state: str = "waiting"  # waiting active completed failed stopped skipped
    reason: str = ""
    began_t: float | None = None
    ended_t: float | None = None
    s: int | None = None  # its latest second, negative in warm-up
    progress: Progress | None = None  # of a step without seconds of its own
    ended: StepEnded | None = None

    @property
    def seconds(self) -> float | None:
        """That it took, where it has been carried out."""
        return None if self.began_t is None or self.ended_t is None else self.ended_t - self.began_t


@dataclass
class SessionProgress:
    """A session as far as it has come."""

    id: str
    steps: list[StepProgress]
    state: str = "waiting"
    reason: str = ""
    t: float = 0.0  # of its latest event
    at: float = 0.0
    step: int = -1  # the latest that began
    qps_at: int = -1  # where load.queries stands among the values

    @property
    def is_over(self) -> bool:
        return self.state in ENDED

    @property
    def active(self) -> StepProgress:
        """The step at hand, where there is one."""
        return next((step for step in self.steps if step.state == "active"), StepProgress())

    @property
    def failed_steps(self) -> int:
        return sum(step.state == "failed" for step in self.steps)

    def take(self, event: Line | Sample) -> None:
        """Take in an event of its journal, in their order."""
        self.t, self.at = event.t, event.at
        match event:
            case SampleLine() | Sample():
                if 0 <= event.step < len(self.steps):
                    self.steps[event.step].s = event.s
            case SessionStarted():
                self.state = "active"
            case SeriesDeclared():
                names = [each.get("name") for each in event.series]
                self.qps_at = names.index("load.queries") if "load.queries" in names else -1
            case StepStarted():
                self.step = event.step
                self._step(event.step).state = "active"
                self._step(event.step).began_t = event.t
            case Progress():
                self._step(event.step).progress = event
            case StepEnded():
                self._end_step(event)
            case SessionEnded():
                self._end(event)

    def know(self, index: int, state: str, reason: str, began_t: float | None, ended_t: float | None) -> None:
        """A step as it is stored, in place of its events."""
        step = self._step(index)
        step.state, step.reason, step.began_t, step.ended_t = state, reason, began_t, ended_t
        if state != "waiting":
            self.step = max(self.step, index)
        self.t = max(self.t, began_t or 0.0, ended_t or 0.0)

    def end_unsaid(self) -> None:
        """Its journal ends without an end: the agent is gone."""
        if not self.is_over:
            self.state = "lost"
            self.end_steps("failed", GONE)

    def end_steps(self, state: str, reason: str) -> None:
        """The one that the session took down with it, and those that it did not come to."""
        for step in self.steps:
            if step.state == "active":
                step.state, step.reason, step.ended_t = state, reason, self.t
            elif step.state == "waiting":
                step.state, step.reason = "skipped", UNREACHED

    def qps_of(self, sample: SampleLine | Sample) -> float | None:
        value = sample.values[self.qps_at] if 0 <= self.qps_at < len(sample.values) else None
        return value if isinstance(value, int | float) else None

    def _step(self, index: int) -> StepProgress:
        return self.steps[index] if 0 <= index < len(self.steps) else StepProgress()

    def _end_step(self, event: StepEnded) -> None:
        step = self._step(event.step)
        step.state, step.reason, step.ended = event.outcome, event.reason, event
        step.ended_t = event.t
        self.step = max(self.step, event.step)

    def _end(self, event: SessionEnded) -> None:
        self.state, self.reason = event.outcome, event.reason
        self.end_steps("failed" if event.outcome == "failed" else "stopped", event.reason)


@dataclass
class _Lengths:
    """How long the steps of a plan take: declared, as seen in earlier sessions, or guessed."""

    plan: Plan
    seen: dict[int, float] = field(default_factory=dict)  # of steps that were completed, by position
    beside_s: float | None = None  # what an earlier session took beside its steps
    _guesses: dict[int, list[float]] = field(default_factory=dict)  # by contender

    def learn(self, session: SessionProgress) -> None:
        """What a session shows about those to come."""
        for index, step in enumerate(session.steps):
            if step.state == "completed" and step.seconds is not None:
                self.seen[index] = step.seconds
        if session.state == "completed":
            self.beside_s = max(0.0, session.t - sum(step.seconds or 0.0 for step in session.steps))

    def of_step(self, contender: int, index: int) -> float:
        step = self.plan.steps[index]
        if step.seconds:
            return float(step.seconds + step.warmup)
        return self.seen[index] if index in self.seen else self._guess(contender)[index]

    def beside(self) -> float:
        """Of a session, without its steps: the server is made, started and shut down."""
        from app.planner.estimate import SERVER_S

        return SERVER_S + self.plan.pause if self.beside_s is None else self.beside_s

    def _guess(self, contender: int) -> list[float]:
        from app.planner.estimate import step_guesses

        if contender not in self._guesses:
            self._guesses[contender] = step_guesses(self.plan, self.plan.contenders[contender])
        return self._guesses[contender]


class PlanProgress:
    """A plan that is being carried out, as its journals tell it."""

    def __init__(self, plan: Plan | None = None) -> None:
        self.plan: Plan | None = None  # else it comes with the first event of a journal
        self.sessions: dict[str, SessionProgress] = {}  # in the order of their turns
        self.recent_qps: deque[float | None] = deque(maxlen=RECENT)
        self._lengths: _Lengths | None = None
        if plan is not None:
            self._take_plan(plan)

    def take_update(self, update: Update) -> None:
        """All that a follower has to tell."""
        for session, events in update.events.items():
            self.take_all(session, events.lines)
        if update.link.state == "ended":
            for each in self.sessions.values():
                each.end_unsaid()

    def take_all(self, session: str, events: Iterable[Line | Sample]) -> None:
        """Take in many: of samples that follow one another only the latest are looked at."""
        latest: deque[SampleLine] = deque(maxlen=RECENT)
        for event in events:
            if type(event) is SampleLine:
                latest.append(event)
            else:
                self._take_latest(session, latest)
                self.take(session, event)
        self._take_latest(session, latest)

    def _take_latest(self, session: str, samples: deque[SampleLine]) -> None:
        for sample in samples:
            self.take(session, sample)
        samples.clear()

    def take(self, session: str, event: Line | Sample) -> None:
        """Take in an event of a session, in the order of its journal."""
        if isinstance(event, SessionPlanned) and self.plan is None:
            self._take_plan(Plan.from_json(event.plan))
        progress = self.sessions.get(session)
        if progress is None:
            return
        progress.take(event)
        if isinstance(event, SampleLine | Sample):
            self.recent_qps.append(progress.qps_of(event))
        elif isinstance(event, StepEnded | SessionEnded) and self._lengths is not None:
            self._lengths.learn(progress)

    def _take_plan(self, plan: Plan) -> None:
        self.plan = plan
        self._lengths = _Lengths(plan)
        self.sessions = {
            turn.session: SessionProgress(turn.session, [StepProgress() for _ in plan.steps])
            for turn in sorted(plan.turns, key=lambda turn: turn.ordinal)
        }

    # what is shown of it

    @property
    def is_over(self) -> bool:
        return bool(self.sessions) and all(each.is_over for each in self.sessions.values())

    @property
    def current(self) -> SessionProgress | None:
        """The session at hand: the active one, else the latest that began."""
        begun = [each for each in self.sessions.values() if each.state != "waiting"]
        return next((each for each in begun if each.state == "active"), begun[-1] if begun else None)

    @property
    def qps(self) -> float | None:
        """Of the latest second of the step at hand; between steps, and before, there is no load."""
        session = self.current
        step = StepProgress() if session is None else session.active
        return self.recent_qps[-1] if self.recent_qps and step.s is not None else None

    @property
    def elapsed_s(self) -> float:
        return sum(each.t for each in self.sessions.values() if each.state != "waiting")

    @property
    def left_s(self) -> float | None:
        """Declared seconds to come; of steps without, what they took before, or a guess."""
        if self._lengths is None:
            return None
        return sum(self._left_of(each) for each in self.sessions.values())

    @property
    def finish_at(self) -> float | None:
        """When it should be over, by the target's clock."""
        left, current = self.left_s, self.current
        return None if left is None or current is None else current.at + left

    def length_s(self, session: str, index: int) -> float:
        """That a step took, or is likely to take."""
        progress = self.sessions[session]
        step = progress.steps[index]
        if step.state not in ("waiting", "active"):
            return step.seconds or 0.0
        if progress.is_over:
            return 0.0
        gone = 0.0 if step.began_t is None else progress.t - step.began_t
        return gone + self._step_left(progress, index)

    def head(self, session: str, index: int) -> str:
        """`1/2 innodb-a  3/8 point-query threads=2`."""
        if self.plan is None:
            return session
        turn = self.plan.turn_of(session)
        place = f"{turn.ordinal}/{len(self.plan.turns)} {turn.name}"
        return (
            f"{place}  {index + 1}/{len(self.plan.steps)} {self.step(index).label}" if index >= 0 else place
        )

    @property
    def line(self) -> str:
        """The step at hand and how far it is."""
        session = self.current
        if session is None:
            return "waiting" if self.sessions else "connecting"
        head = self.head(session.id, session.step)
        if session.is_over:
            return f"{head}: {session.state}"
        return ": ".join(filter(None, (head, self.moment(session))))

    def step(self, index: int) -> Step:
        steps = self.plan.steps if self.plan else []
        return steps[index] if 0 <= index < len(steps) else Step("?", "drive")

    def name(self, session: str) -> str:
        return self.plan.turn_of(session).name if self.plan else session

    def moment(self, session: SessionProgress) -> str:
        """How far the step at hand of a session is."""
        if session.step < 0:
            return "starting the server"
        progress, step = session.steps[session.step], self.step(session.step)
        if progress.state != "active":
            return progress.state
        if step.seconds and progress.s is not None:
            return _second_text(progress.s, step)
        shown = progress.progress
        return _progress_text(shown) if shown else ""

    def _left_of(self, session: SessionProgress) -> float:
        if self._lengths is None or session.is_over:
            return 0.0
        steps = sum(self._step_left(session, index) for index in range(len(session.steps)))
        before = 0.0 if session.step >= 0 else max(0.0, self._lengths.beside() - session.t)
        return before + steps

    def _step_left(self, session: SessionProgress, index: int) -> float:
        if self.plan is None or self._lengths is None:
            return 0.0
        step = session.steps[index]
        if step.state not in ("waiting", "active"):
            return 0.0
        expected = self._lengths.of_step(self.plan.turn_of(session.id).contender, index)
        if step.began_t is None:
            return expected
        gone, shown = session.t - step.began_t, step.progress
        if shown is not None and shown.done > 0 and self.plan.steps[index].kind in (*PREPARING, "scan"):
            return gone * max(0.0, shown.total / shown.done - 1)
        return max(0.0, expected - gone)


def _progress_text(shown: Progress) -> str:
    """How much is done, and what there is to say of it: of a settle step, what is still to be written."""
    return ": ".join(filter(None, (f"{shown.done:,.0f} of {shown.total:,.0f} {shown.unit}", shown.text)))


def _second_text(s: int, step: Step) -> str:
    if s < 0:
        return f"warm-up second {s + step.warmup + 1} of {step.warmup}"
    return f"second {s + 1} of {step.seconds}"


def stored_progress(history: History, plan: Plan) -> PlanProgress:
    """How far a plan has come, as the history knows it: the same as its journals would tell."""
    progress = PlanProgress(plan)
    rows = history.query(
        "SELECT id, step.position, step.state, step.reason, started_t, step.ended_t"
        " FROM session JOIN step ON step.session = session.number WHERE plan = ? ORDER BY step.position",
        (plan.id,),
    )
    for entry in sessions(history, plan=plan.id):
        session = progress.sessions[entry["id"]]
        session.state, session.reason = entry["state"], entry["reason"]
    for id_, position, state, reason, began_t, ended_t in rows:
        progress.sessions[id_].know(position, state, reason, began_t, ended_t)
    for id_, ended_t in history.query("SELECT id, ended_t FROM session WHERE plan = ?", (plan.id,)):
        progress.sessions[id_].t = max(progress.sessions[id_].t, ended_t or 0.0)
    for session in progress.sessions.values():
        if session.is_over:
            session.end_steps("failed", GONE)
    return progress
