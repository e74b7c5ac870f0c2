"""Which setting did it: two columns of a comparison, a step, and what each setting turns out to do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QFormLayout, QWidget

from app.comparison.cells.labels import names_of
from ui.core.context import WindowContext
from ui.core.plain import PlainTextLabel, as_tip
from ui.core.theme import SPACE

from .explainer import DifferenceSearch
from .search_dialog import MeasuringDialog, base_and_other

if TYPE_CHECKING:
    from app.comparison.cells.cell import Comparison
    from app.explaining.entries import ExplainedDifferenceEntry
    from app.history.store.history import History

SIZE = QSize(144 * SPACE, 64 * SPACE)
_ABOUT = (
    "Dyno measures contenders between A and B, which have some settings of each, until every setting has its"
    " share of the ratio: at most 40 minutes. Each plan is in the history. Close this dialog at any time: the"
    " plan that runs goes on, and the next explanation uses all that was measured."
)
_TIP = "Measure until all is decided; uses what the history already has"


class DifferenceSearchDialog(MeasuringDialog):
    """Of the base and another column."""

    def __init__(
        self, context: WindowContext, comparison: Comparison, other: int, step: str, parent: QWidget
    ) -> None:
        super().__init__(context, comparison, "Settings and their shares", parent)
        self._columns = base_and_other(comparison, other)
        self.list_steps(step)
        self.steps.setAccessibleName("Step to explain")
        self.table.horizontalHeader().setSectionsMovable(False)
        form, names = QFormLayout(), names_of(comparison)
        for letter, column in zip("AB", self._columns, strict=True):
            form.addRow(letter, PlainTextLabel(names[comparison.columns.index(column)]))
        form.addRow("&Step", self.steps)
        self.lay_out("Which setting did it", SIZE, _ABOUT, form)
        self.measure.setToolTip(as_tip(_TIP))
        self.searcher.known.connect(self.show_entry)

    def search(self) -> Callable[[History], DifferenceSearch]:
        return partial(_search, [column.id for column in self._columns], self.step)

    def show_entry(self, entry: ExplainedDifferenceEntry) -> None:
        from app.explaining.text import explanation_table

        self.show_found(explanation_table(entry))


def _search(ids: Sequence[str], step: str, history: History) -> DifferenceSearch:
    from app.comparison.verdicts.judgement import verdict_limits
    from app.core.settings import read_settings
    from app.explaining.explaining import DifferenceQuestion
    from app.explaining.pair import ContenderPair

    pair = ContenderPair.of_sessions(history, ids)
    return DifferenceSearch(DifferenceQuestion(pair, step, limits=verdict_limits(read_settings())))
