"""Sampled stacks of a session's steps."""

from __future__ import annotations

from app.history.store.history import History
from app.protocol.plan import step_label
from app.protocol.stacks import STACKS, Stacks

from .figures import facts, find_step, steps


def stacks(history: History, session: str) -> dict[str, Stacks]:
    """The stacks of each step that was profiled, by its label; of several attempts those of the last."""
    return {
        fact["when"]: Stacks(
            **{name: fact["value"][name] for name in vars(Stacks()) if name in fact["value"]}
        )
        for fact in facts(history, session, STACKS)
    }


def label_of_step(history: History, session: str, name: str, threads: int | None) -> str:
    """The label of a step by its name; raises InputError if it has several thread counts."""
    step = steps(history, session)[find_step(history, session, name, threads)[1]]
    return step_label(step["name"], step["coordinates"])
