"""The differences between the columns."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QCheckBox, QWidget

from app.comparison.cells.labels import names_of
from app.comparison.differences.differences import DifferenceEntry, differences, is_of_the_builds
from app.comparison.texts.differences_text import NOTHING, differences_csv
from ui.core.context import WindowContext
from ui.core.plain import PlainTextLabel
from ui.core.tasks import NewestAnswerRunner
from ui.core.theme import SPACE
from ui.models.differences import DifferencesModel
from ui.widgets.filter_line import FilterLine
from ui.widgets.layouts import NATIVE, in_column, in_row
from ui.widgets.table import LineSelectTable

from .panel import ComparePanelData, Panel

_WHAT_WIDTH, _VALUE_WIDTH = 240, 120


class DifferencesPanel(Panel):
    title = "What differs"
    tip = "Differences between the columns, the most important first: durability, parity, variables, preset"

    def __init__(self, context: WindowContext) -> None:
        super().__init__(context.theme)
        self._latest = NewestAnswerRunner(context.tasks, self)
        self._found: list[DifferenceEntry] = []
        self._names: list[str] = []
        self._filter = FilterLine("Filter of the differences", "Filter")
        self._filter.textChanged.connect(self._show)
        self._partial = QCheckBox()
        self._partial.setToolTip("Variables that some builds do not have, or at each build's default")
        self._partial.toggled.connect(self._show)
        self._model = DifferencesModel(context.theme, self)
        self._table = LineSelectTable("What differs")
        self._table.setModel(self._model)
        self._table.horizontalHeader().setSectionsMovable(False)
        self._table.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self._table.horizontalHeader().setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.remark = PlainTextLabel(role="muted")
        head = in_row(self._filter, self._partial, (self.remark, 1), spacing=NATIVE)
        self.setLayout(in_column(head, (self._table, 1), spacing=NATIVE, margins=(0, SPACE, 0, 0)))

    @property
    def picture(self) -> QWidget:
        return self._table

    @property
    def least(self) -> QSize:
        return self._table.content_size

    def csv(self) -> str:
        kept = matching(self._found, self._filter.text(), self._partial.isChecked())
        return differences_csv(self._names, kept)

    def parts(self, shown: ComparePanelData) -> tuple[object, ...]:
        return (shown.whole.columns, shown.lines)

    def draw(self, shown: ComparePanelData) -> None:
        firsts = [column.id for column in shown.comparison.columns]
        names = names_of(shown.comparison)
        self._latest.read(
            lambda history: differences(history, firsts),
            lambda found: self._on_read(names, found),
            self.failed.emit,
        )

    def _on_read(self, names: list[str], found: list[DifferenceEntry]) -> None:
        self._names, self._found = names, found
        partial = sum(is_of_the_builds(each) for each in found)
        self._partial.setText(f"defaults and missing variables too ({partial})")
        self._partial.setVisible(bool(partial))
        self._show()
        self.drawn.emit()

    def _show(self) -> None:
        kept = matching(self._found, self._filter.text(), self._partial.isChecked())
        self._model.show(self._names, kept)
        self._table.clearSpans()
        for row in self._model.headings:
            self._table.setSpan(row, 0, 1, self._model.columnCount())
        values = self._model.columnCount() - 1
        width = self._table.width() - self._table.verticalScrollBar().sizeHint().width() - 2 * SPACE
        spare = width - values * _VALUE_WIDTH  # for names, as long as there is something to say about all
        what = min(self._table.sizeHintForColumn(0) + 2 * SPACE, width // 3, spare)
        self._table.setColumnWidth(0, max(what, _WHAT_WIDTH))
        room = (width - self._table.columnWidth(0)) // max(values, 1)
        for at in range(1, values + 1):
            self._table.setColumnWidth(at, max(room, _VALUE_WIDTH))
        self.remark.setText("" if kept else NOTHING if not self._found else "Nothing fits.")


def matching(found: Sequence[DifferenceEntry], text: str, has_partial: bool) -> list[DifferenceEntry]:
    """Differences that contain all words of the text."""
    words = text.lower().split()
    kept = [each for each in found if has_partial or not is_of_the_builds(each)]
    return [each for each in kept if all(word in _searched(each) for word in words)]


def _searched(entry: DifferenceEntry) -> str:
    return " ".join([entry["group"], entry["name"], *(value or "" for value in entry["values"])]).lower()
