"""Sessions of a resolved plan whose steps took a multiple of what is guessed."""

from __future__ import annotations

from app.history.history import History
from app.planner.guesses import SERVER_S, step_guesses
from app.protocol.plan import Plan
from tests import journals


def carry_out(
    history: History, its_plan: Plan, outcome: str = "completed", outside: float = 1, **by: float
) -> None:
    """A session of the plan, in which guessed seconds of a kind of step came out that many times as long."""
    turn = its_plan.turns[0]
    maker = journals.Maker(its_plan, turn.session).begin()
    maker.t = SERVER_S * outside
    guesses = step_guesses(its_plan, its_plan.contender_of(turn))
    for at, (step, guess) in enumerate(zip(its_plan.steps, guesses, strict=True)):
        maker.start_step(at)
        maker.t += step.seconds + step.warmup + guess * by.get(step.kind, 1)
        maker.end_step(at)
    journals.store(history, maker.end(outcome))
