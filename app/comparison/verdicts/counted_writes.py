"""Counted steps that write: the client's thread does a part of the work, and leaves the rest to others.

A write is judged by the client's thread as long as the others do not point the other way. Engines leave them
such different shares that one figure alone says nothing.
"""

from __future__ import annotations

from collections.abc import Iterable

from app.comparison.cells.cell import Column, ColumnFigure, Row
from app.protocol.plan import Plan
from app.stats import StepResultPair, judge
from app.stats.at_target.verdicts import BETTER, WORSE

from .rounds import Key, key_of

OTHER_ENGINE, OTHER_SIDE = "other engine", "other side"  # verdicts on such a step
WHY_NOT_BY_COUNTS = {
    OTHER_ENGINE: "engines leave different parts of a write to other threads",
    OTHER_SIDE: "the work of its other threads points the other way",
}
OWN, OTHERS = "instructions", "other_instructions"  # the measures of both, per query


def counted_writes_of(plans: Iterable[Plan]) -> set[Key]:
    return {key_of(step) for plan in plans for step in plan.steps if step.counts_writes}


def why_not_by_counts(row: Row, columns: list[Column], base: int, at: int) -> str | None:
    """The verdict where a figure of one kind of threads alone would mislead; None where it would not."""
    if not row.counts_writes:
        return None
    if columns[at].contender["engine"] != columns[base].contender["engine"]:
        return OTHER_ENGINE
    words = {_word(row.measures[measure], base, at) for measure in (OWN, OTHERS)}
    return OTHER_SIDE if words >= {BETTER, WORSE} else None


def other_instructions(row: Row, at: int) -> float | None:
    """What the other threads do for an event of a counted write; None where it is unknown."""
    figures = {measure: row.measures[measure][at].value for measure in (OWN, OTHERS)}
    own, others, event = figures[OWN], figures[OTHERS], row.cells[at].value
    return others * event / own if own and others is not None and event is not None else None


def _word(figures: list[ColumnFigure], base: int, at: int) -> str:
    ours, theirs = ([each for each in figures[which].samples if each is not None] for which in (base, at))
    return judge([StepResultPair((*ours,), (*theirs,), "lower", is_counted=True)])[0].word
