"""A comparison in one short line: how many steps are slower, faster, the same: for a list of plans."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from app.comparison.cells.cell import Cell, Comparison, Row
from app.comparison.verdicts.judgement import DIFFERING
from app.core.units import count_text
from app.stats.at_target.verdicts import NOISE, SAME, SMALL

from .sentences import hindrance, verdict_words

EQUAL, UNDECIDED, UNJUDGED = "the same", "undecided", "not judged"
_LOSSES, _GAINS = ("slower", "worse", "larger", "more work"), ("faster", "better", "smaller", "less work")
_ORDER = (*_LOSSES, *_GAINS, "different", EQUAL, UNDECIDED, UNJUDGED)
MEANING = "the same: no difference that matters, as sure as the verdicts are"


def tally_text(comparison: Comparison) -> str:
    """`3 slower, 1 faster, 12 the same of 16 steps`, of all columns but the base; '' without any.

    The counts come first: a list elides the end.
    """
    found = Counter(_words(comparison))
    if set(found) <= {UNJUDGED}:
        return UNJUDGED if found else ""
    what = "step" if len(comparison.columns) == 2 else "result"
    counts = [(found[word], word) for word in _ORDER if found[word]]
    if len(counts) > 1:
        words = ", ".join(f"{count:,} {word}" for count, word in counts)
        return f"{words} of {count_text(found.total(), what)}"
    ((count, word),) = counts
    return f"all {count:,} {word}" if count > 1 else f"1 {what} {word}"


def _words(comparison: Comparison) -> Iterator[str]:
    columns, base = comparison.columns, comparison.base
    places = [at for at in range(len(columns)) if at != base and not hindrance(columns, base, at)]
    for row in comparison.rows:
        if not row.is_waiting:
            yield from (_word(row, row.cells[at]) for at in places)


def _word(row: Row, cell: Cell) -> str:
    if cell.verdict == NOISE:
        return UNDECIDED
    if cell.why or cell.relative is None or not cell.verdict:
        return UNJUDGED
    if cell.verdict in DIFFERING:
        return verdict_words(row.unit)[cell.verdict]
    return EQUAL if cell.verdict in (SAME, SMALL) else UNDECIDED
