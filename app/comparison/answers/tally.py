"""A comparison in one short line: how many steps are slower, faster, the same: for a list of plans."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from app.comparison.cells.cell import Cell, Comparison, Row
from app.comparison.verdicts.judgement import DIFFERING
from app.protocol.plan import WITHOUT_WORK
from app.stats import VerdictLimits
from app.stats.at_target.verdicts import SAME, SMALL

from .sentences import hindrance, is_within, verdict_words

EQUAL, UNDECIDED, UNJUDGED = "the same", "undecided", "not judged"
_ORDER = ("slower", "worse", "larger", "faster", "better", "smaller", "different", EQUAL, UNDECIDED, UNJUDGED)
MEANING = "the same: no difference that matters, as sure as the verdicts are"


def tally_text(comparison: Comparison) -> str:
    """`3 slower, 1 faster, 12 the same` over all columns but the base; '' where nothing can be compared."""
    found = Counter(_words(comparison))
    if set(found) == {UNJUDGED}:
        return UNJUDGED
    return ", ".join(f"{found[word]:,} {word}" for word in _ORDER if found[word])


def _words(comparison: Comparison) -> Iterator[str]:
    columns, base = comparison.columns, comparison.base
    places = [at for at in range(len(columns)) if at != base and not hindrance(columns, base, at)]
    for row in comparison.rows:
        if row.kind not in WITHOUT_WORK:
            yield from (_word(row, row.cells[at], comparison.limits) for at in places)


def _word(row: Row, cell: Cell, limits: VerdictLimits) -> str:
    if cell.why or cell.relative is None or not cell.verdict:
        return UNJUDGED
    if cell.verdict in DIFFERING:
        return verdict_words(row.unit)[cell.verdict]
    is_equal = cell.verdict in (SAME, SMALL) or is_within(cell.low, cell.high, limits.matters)
    return EQUAL if is_equal else UNDECIDED
