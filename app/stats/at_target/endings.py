"""Which cells of a plan are decided after a round, so that more rounds would tell nothing new."""

from __future__ import annotations

from collections.abc import Sequence

from .looks import ROUNDS, may_be_decided
from .verdicts import BETTER, DIFFERS, LEAST, SAME, SMALL, WORSE, Limits, Samples, judge, tested_differences

HOPELESS = "cannot be decided"
DECIDED = (BETTER, WORSE, DIFFERS, SMALL, SAME)


def endings(cells: Sequence[Samples], limits: Limits, rounds: int) -> list[str]:
    """The decision for each cell after these rounds; '' if another round may decide it."""
    words = [verdict.word for verdict in judge(cells, limits)]
    share = limits.at_look(cells, ROUNDS).false_share
    hopeful = {
        at
        for at, found in tested_differences(cells)
        if may_be_decided(found, cells[at].n, share, limits.matters)
    }
    return [
        word if word in DECIDED else "" if at in hopeful or _is_young(cells[at], rounds) else HOPELESS
        for at, word in enumerate(words)
    ]


def _is_young(cell: Samples, rounds: int) -> bool:
    """Whether it may still get enough repeats; a cell that never had a result seldom does."""
    return cell.n < LEAST and rounds < ROUNDS and (rounds < LEAST or 0 < cell.n >= LEAST - (ROUNDS - rounds))
