"""Load of other programs that was the same in all columns of a row: shown, and judged all the same."""

from __future__ import annotations

from collections.abc import Sequence

from app.history.figures import StepEntry
from app.protocol.others import BY_CPU, DISTURBED

ALIKE_PCT = 2.0  # of the CPUs: how far sessions may be apart
SAME_LOAD = "same-load"

Places = list[list[StepEntry | None]]  # of each column a step in each session


def with_same_load(places: Places) -> Places:
    """The same steps; those in which all sessions were disturbed alike get another mark."""
    steps = [step for place in places for step in place if step is not None]
    if not _is_alike(steps):
        return places
    return [[step and _told(step) for step in place] for place in places]


def _is_alike(steps: Sequence[StepEntry]) -> bool:
    if not all(
        DISTURBED in step["marks"] and set(step["others"].get("causes", ())) <= BY_CPU for step in steps
    ):
        return False
    shares = [_share(step) for step in steps]
    return len(shares) > 1 and max(shares) - min(shares) <= ALIKE_PCT


def _share(step: StepEntry) -> float:
    """The load of others in percent of the CPUs that the server can use."""
    others = step["others"]
    programs = others.get("cpu_pct") or 0.0
    return programs / max(others.get("cpus") or 1, 1) + (others.get("steal_pct") or 0.0)


def _told(step: StepEntry) -> StepEntry:
    return {**step, "marks": [SAME_LOAD if mark == DISTURBED else mark for mark in step["marks"]]}
