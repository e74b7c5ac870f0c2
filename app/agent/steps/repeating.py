"""Repeats what other programs disturbed: a step that only reads at once, else its session."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Dict

from app.agent.sampling.figures import figure_of
from app.engines import engine_of
from app.protocol.events import REPEATED, MomentEvent, step_ended_fields
from app.protocol.others import ATTEMPT_MARKS, DISTURBED
from app.protocol.plan import ATTEMPTS

if TYPE_CHECKING:
    from app.protocol.plan import Step

    from .facts import SessionFactsWriter
    from .running import RunningSession


class StepRepeater:
    """Decides for a session which steps are repeated, and whether the session itself is."""

    def __init__(self, session: RunningSession, facts: SessionFactsWriter) -> None:
        self._session = session
        self._facts = facts
        self._engine = engine_of(session.contender.engine)
        self.wants_session = False  # others have disturbed a step that could not be repeated in place

    def run(self, index: int, step: Step, run_once: Callable[[], Dict[str, Any]]) -> Dict[str, Any]:
        """Run the step; in a plan that repeats, return the end of its last attempt."""
        ended = run_once()
        plan = self._session.plan
        if plan.repeat_if_disturbed and plan.can_repeat(index):
            return self._repeat(index, step, ended, run_once)
        if plan.repeat_if_disturbed and _is_disturbed(ended) and self._comes_again(index, step):
            self.wants_session = True
        return ended

    def _repeat(
        self, index: int, step: Step, ended: Dict[str, Any], run_once: Callable[[], Dict[str, Any]]
    ) -> Dict[str, Any]:
        """Repeat the step until an attempt is not disturbed, or no attempts are left."""
        attempt = 1
        while attempt < ATTEMPTS and _is_disturbed(ended) and not self._session.control.ends_session:
            figure = figure_of(step, {"sizes": {}, **ended}, self._engine)
            ended.pop("beside", None)  # of an attempt only the step itself is kept
            self._facts.write_attempt(step, {**step_ended_fields(ended), "attempt": attempt, "value": figure})
            attempt += 1
            text = "attempt {} of at most {}: the one before was disturbed".format(attempt, ATTEMPTS)
            self._session.journal.write(MomentEvent, name=REPEATED, step=index, value=attempt, text=text)
            ended = run_once()
        marks = [ATTEMPT_MARKS[attempt]] if attempt > 1 else []
        return {**ended, "marks": [*ended.get("marks", ()), *marks]}

    def _comes_again(self, index: int, step: Step) -> bool:
        """Whether another session would measure the step again: one from a snapshot skips the load."""
        return index > self._session.plan.snapshot_at and not step.warm and step.kind != "warmup"


def _is_disturbed(ended: Dict[str, Any]) -> bool:
    return ended["outcome"] == "completed" and DISTURBED in ended.get("marks", ())
