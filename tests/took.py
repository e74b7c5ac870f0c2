"""Sessions of a resolved plan whose steps took a multiple of what is guessed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from app.history.store.history import History
from app.planner.estimate.guesses import SERVER_S, step_guesses
from app.protocol.events import Fact
from app.protocol.plan import Plan
from tests import journals


def carry_out(
    history: History,
    its_plan: Plan,
    outcome: str = "completed",
    outside: float = 1,
    at: int = 0,
    value: float | None = None,
    variables: Mapping[str, str] | None = None,
    marks: Sequence[str] = (),
    **by: float,
) -> None:
    """The session `at` of the plan; guessed seconds of a kind of step came out that many times as long.

    `value`: of all its steps.
    """
    turn = its_plan.turns[at]
    maker = journals.Maker(its_plan, turn.session).begin()
    maker.t = SERVER_S * outside
    if variables:
        maker.add(Fact, name="variables", value=dict(variables), when="")
    guesses = step_guesses(its_plan, its_plan.contender_of(turn))
    for position, (step, guess) in enumerate(zip(its_plan.steps, guesses, strict=True)):
        maker.start_step(position)
        maker.t += step.seconds + step.warmup + guess * by.get(step.kind, 1)
        maker.end_step(position, value=value, marks=marks)
    journals.store(history, maker.end(outcome))
