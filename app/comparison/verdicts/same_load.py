"""Load of other programs that was the same in all columns of a row: shown, and judged all the same."""

from __future__ import annotations

from app.history.steps.figures import StepEntry
from app.protocol.others import DISTURBED, Others, are_equally_disturbed
from app.protocol.reading import read

SAME_LOAD = "same-load"

Places = list[list[StepEntry | None]]  # of each column a step in each session


def mark_common_disturbance(places: Places) -> Places:
    """The same steps; those in which all sessions were disturbed alike get another mark."""
    steps = [step for place in places for step in place if step is not None]
    if not all(DISTURBED in step["marks"] for step in steps):
        return places
    if not are_equally_disturbed([(step["marks"], read(Others, step["others"])) for step in steps]):
        return places
    return [[step and replace_disturbed_mark(step, SAME_LOAD) for step in place] for place in places]


def replace_disturbed_mark(step: StepEntry, load: str) -> StepEntry:
    """The step with this mark in place of the one that load disturbed it."""
    return {**step, "marks": [load if mark == DISTURBED else mark for mark in step["marks"]]}
