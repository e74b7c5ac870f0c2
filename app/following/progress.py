"""How far a plan has come: the states of its sessions, QPS, the time that has gone and is left."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence

from app.core.units import seconds_text
from app.history.lists.sessions import sessions
from app.history.recorded.stored_states import latest_events, stored_state
from app.history.recorded.writing import JournalStorer
from app.history.store.damage import unpack_json
from app.history.store.decoding import Line, SampleLine
from app.history.store.history import History
from app.protocol.events import Sample, SeriesDeclared, SessionEnded, SessionPlanned, StepEnded
from app.protocol.plan import SLICES, Plan, Step
from app.protocol.states import SessionState, StepState

from .follower import FollowerNews
from .lengths import ContenderDurations
from .progress_text import early_end_text, plan_position_text, rates_by_session_text, step_progress_text

RECENT = 60  # seconds of QPS that are kept at hand
QPS = "load.queries"


class _RecentQps:
    """QPS of the latest seconds, of each contender while they alternate."""

    def __init__(self) -> None:
        self._values: dict[int, deque[float | None]] = {}

    def of(self, plan: Plan | None, session: SessionState) -> deque[float | None]:
        contender = plan.turn_of(session.id).contender if plan and plan.order == SLICES else 0
        return self._values.setdefault(contender, deque(maxlen=RECENT))

    def keep(self, plan: Plan | None, session: SessionState, sample: SampleLine | Sample) -> None:
        """Add the QPS of a sample; None if it has none."""
        at = session.sampled.index(QPS) if QPS in session.sampled else len(sample.values)
        value = sample.values[at] if at < len(sample.values) else None
        self.of(plan, session).append(value if isinstance(value, int | float) else None)


class PlanProgress:
    """A running plan, as its journals show it."""

    def __init__(self, plan: Plan | None = None) -> None:
        self.plan: Plan | None = None  # else it comes with the first event of a journal
        self.sessions: dict[str, SessionState] = {}  # in the order of their turns
        self._recent = _RecentQps()
        self._lengths: ContenderDurations | None = None
        if plan is not None:
            self._take_plan(plan)

    def take_update(self, update: FollowerNews) -> None:
        """Take in an update of a follower."""
        for session, events in update.events.items():
            self.take_all(session, events.lines)
        if update.link.state == "ended":
            for each in self.sessions.values():
                each.end_unsaid()

    def take_all(self, session: str, events: Iterable[Line | Sample]) -> None:
        """Take in many events; of consecutive samples only the latest count."""
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
            self._recent.keep(self.plan, progress, event)
            return
        progress.take(event)
        if isinstance(event, StepEnded | SessionEnded):
            self._learn(progress)

    def go_on_from(self, stored: SessionState, latest: Sequence[Line]) -> None:
        """Continue from a stored session, with the events that its latest seconds come from."""
        self._add(stored.id)
        if self._lengths is None or stored.id not in self.sessions:
            return
        self.sessions[stored.id] = stored
        if latest:
            stored.t, stored.at = latest[-1].t, latest[-1].at
        self._learn(stored)
        for event in latest:
            if isinstance(event, SampleLine):
                self._recent.keep(self.plan, stored, event)
            elif isinstance(event, SeriesDeclared):
                self._recent.of(self.plan, stored).clear()  # before, its place among the values was another

    def _learn(self, session: SessionState) -> None:
        """Learn the length of a step or session that has ended."""
        if self._lengths is not None:
            self._lengths.learn(session, self._round_of(session))

    def _round_of(self, session: SessionState) -> list[SessionState]:
        """The sessions that alternate with it in slices, itself included."""
        return self._lengths.round_of(session, self.sessions.values()) if self._lengths else [session]

    def _take_plan(self, plan: Plan) -> None:
        self.plan = plan
        self._lengths = ContenderDurations(plan)
        for turn in plan.first_turns:
            self._add(turn.session)

    def _add(self, session: str) -> None:
        """Add a planned session, or a later attempt that has begun."""
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
        """The current session: of the active ones the one that works, else the latest that began."""
        begun = [each for each in self.sessions.values() if each.state != "waiting" and each.is_needed]
        active = [each for each in begun if each.state == "active"]
        return max(
            active, key=lambda each: (each.at_hand >= 0, each.at), default=begun[-1] if begun else None
        )

    @property
    def at_hand(self) -> list[SessionState]:
        """The current session, with all that alternate with it in a step."""
        current = self.current
        if current is None or current.at_hand < 0 or not self.step(current.at_hand).sliced:
            return [] if current is None else [current]
        return [each for each in self._round_of(current) if each.at_hand == current.at_hand]

    @property
    def first_at_hand(self) -> SessionState | None:
        """One of the current sessions, the same one while they alternate."""
        return next((each for each in self.sessions.values() if each.state == "active"), self.current)

    def after(self, session: str) -> SessionState | None:
        """The session to show after this one: the same while its round runs."""
        seen = self.sessions.get(session)
        if seen is None or seen.state not in ("active", "completed"):
            return self.first_at_hand
        goes_on = any(each.state == "active" for each in self._round_of(seen))
        return seen if goes_on else self.first_at_hand

    @property
    def recent_qps(self) -> Sequence[float | None]:
        first = self.first_at_hand
        return () if first is None else self._recent.of(self.plan, first)

    @property
    def qps_text(self) -> str:
        """QPS of the latest second, with names of several sessions; empty without load."""
        found = [(each.id, self.qps_of(each)) for each in self.at_hand]
        return rates_by_session_text(self.plan, found) if any(qps is not None for _, qps in found) else ""

    def qps_of(self, session: SessionState) -> float | None:
        """QPS of the latest second of a session; None without load."""
        recent = self._recent.of(self.plan, session)
        return recent[-1] if recent and session.active.s is not None else None

    @property
    def heard_at(self) -> float | None:
        """The time of the latest event, by the target's clock."""
        return max((each.at for each in self.sessions.values() if each.state != "waiting"), default=None)

    @property
    def elapsed_s(self) -> float:
        return self._lengths.elapsed(self.sessions.values()) if self._lengths else 0.0

    @property
    def left_s(self) -> float | None:
        """Seconds left: declared ones, else as long as such steps took, else a guess."""
        if self._lengths is None:
            return None
        return self._lengths.left_of_all(list(self.sessions.values()))

    def left_text(self, silent_s: float = 0.0) -> str:
        """`about 3 min left`, `at most 9 min left` of what may be decided before; '' where nothing is."""
        left = self.left_s
        if not left:
            return ""
        about = "at most" if self.plan and self.plan.until_decided else "about"
        return f"{about} {seconds_text(max(0.0, left - silent_s))} left"

    @property
    def ending(self) -> str:
        """`decided after 4 repeats`, of a plan that has ended before its last one; '' of others."""
        return early_end_text(self.plan, self.sessions) if self.plan and self.is_over else ""

    @property
    def finish_at(self) -> float | None:
        """When it should be over, by the target's clock."""
        left, heard_at = self.left_s, self.heard_at
        return None if left is None or heard_at is None else heard_at + left

    def gone_s(self, session: str, index: int) -> float:
        """Time of a step so far, without the turns of others."""
        return self._lengths.gone(self.sessions[session], index) if self._lengths else 0.0

    def length_s(self, session: str, index: int) -> float:
        """The time that a step took, or will probably take."""
        progress = self.sessions[session]
        if self._lengths is None or (progress.is_over and not progress.steps[index].is_over):
            return 0.0
        return self.gone_s(session, index) + self._lengths.left_of_step(progress, index)

    @property
    def line(self) -> str:
        """The current step and its progress, in one line."""
        at_hand = self.at_hand
        if not at_hand:
            return "waiting" if self.sessions else "connecting"
        head = plan_position_text(self.plan, at_hand) if self.plan else at_hand[0].id
        if at_hand[0].is_over:
            return ", ".join(filter(None, (f"{head}: {at_hand[0].state}", self.ending)))
        furthest = _furthest(at_hand)
        return ": ".join(filter(None, (head, step_progress_text(furthest, self.step(furthest.step)))))

    def step(self, index: int) -> Step:
        steps = self.plan.steps if self.plan else []
        return steps[index] if 0 <= index < len(steps) else Step("?", "drive")

    def name(self, session: str) -> str:
        return self.plan.turn_of(session).name if self.plan else session


def _furthest(sessions: Sequence[SessionState]) -> SessionState:
    """The session furthest in its step."""
    seconds = [each for each in sessions if each.active.s is not None]
    return max(seconds, key=lambda each: each.active.s or 0, default=sessions[0])


def stored_progress(history: History, plan: Plan) -> PlanProgress:
    """The progress of a plan from the history: the same as its journals give."""
    with history.reading():
        return _stored(history, plan)


def stored_plan_progress(
    history: History, plan: str, sessions: Sequence[str]
) -> tuple[PlanProgress, dict[str, int]]:
    """The same by plan id, with the bytes of each journal that it includes."""
    with history.reading():
        row = history.one("SELECT content FROM plan WHERE id = ?", (plan,))
        progress = PlanProgress() if row is None else _stored(history, Plan.from_json(unpack_json(row[0])))
        return progress, JournalStorer(history).offsets(sessions)


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
