"""The causes of each driven step by name, as sentences of a report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from app.comparison.cells.cell import Comparison
from app.comparison.cells.labels import row_label
from app.comparison.texts.causes_text import sentence
from app.comparison.verdicts.more_work import is_against
from app.comparison.why.causes import causes_of_row
from app.comparison.why.grounds import Settings
from app.history.store.history import History

_OF_STEP = 3  # causes


def cause_sentences(
    history: History, found: Comparison, names: Sequence[str]
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The first causes of each step in each column but the base; of the base if it is alone."""
    known: dict[str, Settings] = {}
    for row in found.rows:
        if row.kind == "drive":
            for at, entry in causes_of_row(history, found, row, known).items():
                if first := [each for each in entry["causes"] if not is_against(each)][:_OF_STEP]:
                    yield f"{row_label(row)}: {names[at]}", tuple(map(sentence, first))
