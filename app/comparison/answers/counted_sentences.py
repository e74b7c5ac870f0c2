"""Sentences on counted instructions: more or fewer, never slower or faster."""

from __future__ import annotations

from collections.abc import Sequence

from app.comparison.cells.cell import ColumnFigure, Row
from app.comparison.verdicts.counted_writes import OTHERS, other_instructions
from app.stats.at_target.verdicts import NOISE, SAME, spread_of_starts


def counted_clause(row: Row, names: Sequence[str], base: int, at: int, figure: str = "") -> str:
    """`B takes 11% more instructions than A (74,400 against 67,000 for an event; starts within 0.1%)`.

    figure: another measure of the step than its result.
    """
    cell, sides = row.cells[at], (row.cells[at], row.cells[base])
    ratio, of_base = cell.relative or 1.0, f"{figure or 'instructions'} than {names[base]}"
    figures = " against ".join(f"{each.value or 0:,.0f}" for each in sides)
    apart, word = abs(ratio - 1), "more" if ratio > 1 else "fewer"
    seen = {
        SAME: f"takes as many {figure or 'instructions'} as {names[base]}",
        NOISE: f"takes {apart:.1%} {word} {of_base}, undecided",
    }.get(cell.verdict or "", f"takes {apart:.{1 if apart < 0.1 else 0}%} {word} {of_base}")
    of_all = max(each.known_spread for each in sides)
    of_result = "" if figure else " for an event"
    others = "" if figure else _of_others(row, base, at)
    return f"{names[at]} {seen} ({figures}{of_result}; {_starts(sides, of_all)}{others})"


def ratio_of_others(row: Row, base: int, at: int) -> float | None:
    """The work of a column's other threads for a counted write, divided by that of the base."""
    theirs, ours = other_instructions(row, at), other_instructions(row, base)
    return theirs / ours if ours and theirs is not None else None


def _of_others(row: Row, base: int, at: int) -> str:
    """`; other threads 251,000 against 198,000, starts within 12%`; '' of a read."""
    if not row.counts_writes:
        return ""
    values = [other_instructions(row, each) for each in (at, base)]
    figures = [row.measures[OTHERS][each] for each in (at, base)]
    if None in values:
        return "; the work of other threads is unknown"
    return f"; other threads {' against '.join(f'{each:,.0f}' for each in values)}, {_starts(figures)}"


def _starts(sides: Sequence[ColumnFigure], of_all: float = 0.0) -> str:
    """`starts within 0.1%`; where more is known of all starts: `starts within 0.1%, all known ones 0.8%`."""
    known = [[each for each in side.samples if each is not None] for side in sides]
    spread = max(spread_of_starts(each) for each in known)
    seen, all_known = _percent(spread), _percent(max(of_all, spread))
    return f"starts within {seen}" + (f", all known ones {all_known}" if all_known != seen else "")


def _percent(share: float) -> str:
    return f"{share:.{0 if share >= 0.1 else 1 if share >= 0.001 else 2}%}"
