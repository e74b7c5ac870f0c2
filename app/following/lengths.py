"""How long a plan takes: its steps as declared, as seen in earlier sessions, or guessed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from app.protocol.plan import LIMIT, PREPARING, SLICES, Plan
from app.protocol.states import SessionState


@dataclass
class ContenderDurations:
    """Times of a contender without the turns of others; the sum is the time of the round."""

    plan: Plan
    seen: dict[int, float] = field(default_factory=dict)  # of steps that were completed, by position
    outside_steps_s: float | None = None  # what an earlier session took outside of its steps
    _guesses: dict[int, list[float]] = field(default_factory=dict)  # by contender

    def __post_init__(self) -> None:
        turns = self.plan.turns if self.plan.order == SLICES else []
        self._rounds = {turn.session: turn.repeat for turn in turns}

    def learn(self, session: SessionState, its_round: Sequence[SessionState]) -> None:
        """Learn from a session about those to come; `its_round` has all that alternate with it."""
        for index, step in enumerate(session.steps):
            if step.state == "completed" and step.seconds is not None:
                self.seen[index] = step.seconds
        if its_round and all(each.state == "completed" for each in its_round):
            steps = sum(self.gone(each, index) for each in its_round for index in range(len(each.steps)))
            self.outside_steps_s = max(0.0, _took(its_round) - steps) / len(its_round)

    def of_step(self, contender: int, index: int) -> float:
        step = self.plan.steps[index]
        if step.beside:
            return 0.0
        if step.role or step.is_operation:
            return self.seen.get(index, self.plan.declared_s(index) + self._guess(contender)[index])
        if step.kind == LIMIT:  # at most: how long a search takes varies
            return step.seconds + step.warmup + self._guess(contender)[index]
        if step.seconds:
            return float(step.seconds + step.warmup)
        return self.seen[index] if index in self.seen else self._guess(contender)[index]

    def gone(self, session: SessionState, index: int) -> float:
        """Time of a step so far; in slices only its own contender's seconds."""
        step, planned = session.steps[index], self.plan.steps[index]
        if step.began_t is None:
            return 0.0
        wall = (session.t if step.ended_t is None else step.ended_t) - step.began_t
        if not planned.sliced:
            return wall
        if step.is_over:
            return min(wall, float(planned.warmup + planned.seconds))
        return 0.0 if step.s is None else float(planned.warmup + step.s + 1)

    def left_of_step(self, session: SessionState, index: int) -> float:
        step = session.steps[index]
        if step.is_over:
            return 0.0
        if index < self._spared(session):
            return 0.0
        expected = self.of_step(self.plan.turn_of(session.id).contender, index)
        gone, shown = self.gone(session, index), step.progress
        if shown is not None and shown.done > 0 and self.plan.steps[index].kind in (*PREPARING, "scan"):
            return gone * max(0.0, shown.total / shown.done - 1)
        return max(0.0, expected - gone)

    def left_of(self, session: SessionState) -> float:
        if session.is_over:
            return 0.0
        steps = sum(self.left_of_step(session, index) for index in range(len(session.steps)))
        beside = self.plan.pause if self._spared(session) else self._beside()
        before = 0.0 if session.step >= 0 else max(0.0, beside - session.t)
        return before + steps

    def left_of_all(self, sessions: Sequence[SessionState]) -> float:
        """The longest time left of a plan until decided: no round begins that would exceed its limit."""
        left, limit = sum(map(self.left_of, sessions)), self.plan.time_limit
        if not limit:
            return left
        going_on = {self.plan.turn_of(each.id).repeat for each in sessions if each.state == "active"} or {1}
        of_round = [each for each in sessions if self.plan.turn_of(each.id).repeat in going_on]
        return min(left, max(limit - self.elapsed(sessions), sum(map(self.left_of, of_round))))

    def elapsed(self, sessions: Iterable[SessionState]) -> float:
        """Time of all rounds; in slices the sessions of a round run at the same time."""
        return sum(_took(list(each)) for _, each in groupby(sessions, self._round_of))

    def round_of(self, session: SessionState, sessions: Iterable[SessionState]) -> list[SessionState]:
        """The sessions that alternate with it in slices, itself included."""
        its_round = self._round_of(session)
        return [each for each in sessions if self._round_of(each) == its_round and each.is_needed]

    def _round_of(self, session: SessionState) -> object:
        return self._rounds.get(session.id, session.id)

    def _spared(self, session: SessionState) -> int:
        """The number of steps that it leaves out, as a snapshot was made by then."""
        if self.plan.start != "snapshot":
            return 0
        from app.planner.estimate.guesses import steps_left_out

        return steps_left_out(self.plan, self.plan.turn_of(session.id))

    def _beside(self) -> float:
        """Time of a session outside its steps: create, start and stop the server, conditions at the end."""
        if self.outside_steps_s is not None:
            return self.outside_steps_s
        from app.planner.estimate.guesses import outside_s

        return outside_s(self.plan) + self.plan.pause

    def _guess(self, contender: int) -> list[float]:
        from app.planner.estimate.guesses import step_guesses

        if contender not in self._guesses:
            self._guesses[contender] = step_guesses(self.plan, self.plan.contenders[contender])
        return self._guesses[contender]


def _took(sessions: Sequence[SessionState]) -> float:
    """Time from the first start to the last event; the target's clock only shows the overlap."""
    begun = [each for each in sessions if each.state != "waiting" and each.is_needed]
    if not begun:
        return 0.0
    wall = max(each.at for each in begun) - min(each.at - each.t for each in begun)
    return min(max(wall, *(each.t for each in begun), 0.0), sum(each.t for each in begun))
