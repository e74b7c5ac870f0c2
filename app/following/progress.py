"""How far a plan has come: the states of its sessions, QPS, the time that has gone and is left."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from app.core.units import unit_text
from app.history.damage import unpack_json
from app.history.decoding import Line, SampleLine
from app.history.history import History
from app.history.sessions import sessions
from app.history.stored_states import latest_events, stored_state
from app.history.writing import Writer
from app.protocol.events import Progress, Sample, SeriesDeclared, SessionEnded, SessionPlanned, StepEnded
from app.protocol.plan import PREPARING, Plan, Step
from app.protocol.states import SessionState, StepState

from .follower import Update

RECENT = 60  # seconds of QPS that are kept at hand
QPS = "load.queries"


@dataclass
class _Lengths:
    """How long the steps of a plan take: declared, as seen in earlier sessions, or guessed."""

    plan: Plan
    seen: dict[int, float] = field(default_factory=dict)  # of steps that were completed, by position
    beside_s: float | None = None  # what an earlier session took beside its steps
    _guesses: dict[int, list[float]] = field(default_factory=dict)  # by contender

    def learn(self, session: SessionState) -> None:
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
        self.sessions: dict[str, SessionState] = {}  # in the order of their turns
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
        """Take in an event of a session, in the order of its journal; one taken before changes nothing."""
        if isinstance(event, SessionPlanned) and self.plan is None:
            self._take_plan(Plan.from_json(event.plan))
        if isinstance(event, SessionPlanned):
            self._add(session)
        progress = self.sessions.get(session)
        if progress is None or event.seq <= progress.seq:
            return
        if isinstance(event, SampleLine | Sample):
            progress.take_second(event)
            self._keep_qps(progress, event)
            return
        progress.take(event)
        if isinstance(event, StepEnded | SessionEnded) and self._lengths is not None:
            self._lengths.learn(progress)

    def go_on_from(self, stored: SessionState, latest: Sequence[Line]) -> None:
        """A session as it is stored, with those of its events that the seconds at hand are read from."""
        self._add(stored.id)
        if self._lengths is None or stored.id not in self.sessions:
            return
        self.sessions[stored.id] = stored
        self._lengths.learn(stored)
        if latest:
            stored.t, stored.at = latest[-1].t, latest[-1].at
        for event in latest:
            if isinstance(event, SampleLine):
                self._keep_qps(stored, event)
            elif isinstance(event, SeriesDeclared):
                self.recent_qps.clear()  # before, its place among the values was another

    def _keep_qps(self, session: SessionState, sample: SampleLine | Sample) -> None:
        """Missing where it is not among the values."""
        at = session.sampled.index(QPS) if QPS in session.sampled else len(sample.values)
        value = sample.values[at] if at < len(sample.values) else None
        self.recent_qps.append(value if isinstance(value, int | float) else None)

    def _take_plan(self, plan: Plan) -> None:
        self.plan = plan
        self._lengths = _Lengths(plan)
        for turn in plan.first_turns:
            self._add(turn.session)

    def _add(self, session: str) -> None:
        """One that is certain to come, or a later attempt that has come."""
        if self.plan is None or session in self.sessions:
            return
        known = {**self.sessions, session: SessionState(session, [StepState() for _ in self.plan.steps])}
        order = sorted(self.plan.turns, key=lambda turn: (turn.ordinal, turn.attempt))
        self.sessions = {turn.session: known[turn.session] for turn in order if turn.session in known}

    # what is shown of it

    @property
    def is_over(self) -> bool:
        return bool(self.sessions) and all(each.is_over for each in self.sessions.values())

    @property
    def current(self) -> SessionState | None:
        """The session at hand: the active one, else the latest that began."""
        begun = [each for each in self.sessions.values() if each.state != "waiting"]
        return next((each for each in begun if each.state == "active"), begun[-1] if begun else None)

    @property
    def qps(self) -> float | None:
        """Of the latest second of the step at hand; between steps, and before, there is no load."""
        session = self.current
        step = StepState() if session is None else session.active
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
        if step.is_over:
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
        place = f"{turn.ordinal}/{len(self.plan.first_turns)} {turn.name}"
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

    def moment(self, session: SessionState) -> str:
        """How far the step at hand of a session is."""
        if session.step < 0:
            return "starting the server"
        progress, step = session.steps[session.step], self.step(session.step)
        if progress.state != "active":
            return progress.state
        again = f"attempt {progress.attempt}" if progress.attempt > 1 else ""
        if step.seconds and progress.s is not None:
            return ", ".join(filter(None, (again, _second_text(progress.s, step))))
        shown = progress.progress
        return ", ".join(filter(None, (again, _progress_text(shown) if shown else "")))

    def _left_of(self, session: SessionState) -> float:
        if self._lengths is None or session.is_over:
            return 0.0
        steps = sum(self._step_left(session, index) for index in range(len(session.steps)))
        before = 0.0 if session.step >= 0 else max(0.0, self._lengths.beside() - session.t)
        return before + steps

    def _step_left(self, session: SessionState, index: int) -> float:
        if self.plan is None or self._lengths is None:
            return 0.0
        step = session.steps[index]
        if step.is_over:
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
    done = f"{shown.done:,.0f} of {shown.total:,.0f} {unit_text(shown.unit)}"
    return ": ".join(filter(None, (done, shown.text)))


def _second_text(s: int, step: Step) -> str:
    if s < 0:
        return f"warm-up second {s + step.warmup + 1} of {step.warmup}"
    return f"second {s + 1} of {step.seconds}"


def stored_progress(history: History, plan: Plan) -> PlanProgress:
    """How far a plan has come, as the history knows it: the same as its journals would tell."""
    with history.reading():
        return _stored(history, plan)


def stored_plan(history: History, plan: str, sessions: Sequence[str]) -> tuple[PlanProgress, dict[str, int]]:
    """The same by its id, and how many bytes of each journal are in it: what follows them continues it."""
    with history.reading():
        row = history.one("SELECT content FROM plan WHERE id = ?", (plan,))
        progress = PlanProgress() if row is None else _stored(history, Plan.from_json(unpack_json(row[0])))
        return progress, Writer(history).offsets(sessions)


def _stored(history: History, plan: Plan) -> PlanProgress:
    progress = PlanProgress(plan)
    for entry in sessions(history, plan=plan.id):
        state, is_lost = stored_state(history.connection, entry["id"]), entry["state"] == "lost"
        has_more = is_lost or state.state == "active"
        progress.go_on_from(state, latest_events(history, entry["id"]) if has_more else ())
        if is_lost:
            state.end_unsaid()
        state.reason = entry["reason"]
    return progress
