"""Tests before and after the writes, written down."""

from __future__ import annotations

from collections.abc import Sequence

from app.core.table import MISSING, TextTable, ratio_text
from app.core.units import figure_text
from app.protocol.plan import step_label

from .before_after import ColumnOfPair, PairOfSteps
from .charts import NOTHING
from .entries import Comparison
from .text import names_of

_ALL = 5  # sessions that are told one by one


def pairs_of_steps(comparison: Comparison, found: Sequence[PairOfSteps]) -> TextTable:
    """A line a pair and column."""
    names = names_of(comparison)
    lines = tuple(
        (step_label(pair["after"], pair["coordinates"]), name, pair["unit"], *_cells(column, pair["unit"]))
        for pair in found
        for name, column in zip(names, pair["columns"], strict=True)
        if column["n"]
    )
    heads = ("step", "column", "unit", "before", "after", "ratio", "sessions", "n")
    title = "After the writes against before them"
    return TextTable(title, heads, lines, 3, () if lines else (NOTHING["before-after"],))


def _cells(column: ColumnOfPair, unit: str) -> tuple[str, ...]:
    """Both figures, how they relate in all sessions and in each, and how many; ! where a step has marks."""
    mark = " !" if column["marks"] else ""
    figures = (figure_text(value, unit) for value in column["values"])
    return *figures, ratio_text(column["ratio"]) + mark, _sessions(column), str(column["n"])


def _sessions(column: ColumnOfPair) -> str:
    """`0.80 1.00`; of many from which to which."""
    known = [ratio for ratio in column["ratios"] if ratio is not None]
    if len(known) < 2:
        return MISSING
    if len(known) <= _ALL:
        return " ".join(map(ratio_text, known))
    return f"{ratio_text(min(known))} to {ratio_text(max(known))}"
