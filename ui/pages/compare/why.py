"""Why a step is faster or slower: its costs, those of all steps, and what the writes did to later reads."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QButtonGroup,
    QPushButton,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from app.comparison.cells.cell import Comparison, Row
from app.comparison.cells.labels import heads_of, names_of, row_label
from app.comparison.charts.of_all_steps import pair_numbers
from app.comparison.stacks.stacks import are_comparable, profile_of
from app.comparison.texts.causes_text import causes_table
from app.comparison.texts.costs_text import before_after_table, cost_details_table, step_costs_table
from app.comparison.texts.costs_text import costs_to_csv as costs_csv
from app.comparison.texts.waits_text import statements_table, waits_table
from app.comparison.texts.work_text import counted_functions_table, work_changes_table
from app.comparison.why.before_after import before_after_tests
from app.comparison.why.causes import causes
from app.comparison.why.thread_states import thread_states_table
from app.comparison.why.waits import named_waits
from app.comparison.why.why import WhyEntry, why, why_all
from app.core.csv_text import csv_text
from app.core.table import Table
from app.core.units import count_text
from app.history.store.history import History
from app.protocol.plan import COUNT
from ui.core.context import WindowContext
from ui.core.index import Index
from ui.core.plain import as_tip
from ui.core.tasks import NewestAnswerRunner
from ui.core.theme import SPACE, Theme
from ui.models.text_table import SHARE, TextTableModel
from ui.widgets.elided import ElidedLabel
from ui.widgets.fitted_table import FittedTable
from ui.widgets.layouts import NATIVE, in_column, in_row

from .panel import ComparePanelData, Panel

CAUSES, STEP, ALL, THREADS, WRITES = "Causes", "This step", "All steps", "Threads", "Before/after"
_NAMED = {"Waits": waits_table, "Statements": statements_table}
READ = (CAUSES, *_NAMED)  # from the history, in the background
_TIPS = {
    CAUSES: "What may have made the chosen step slow, by name; of a counted step the functions",
    STEP: "What a query costs in the chosen step, the most likely explanation first",
    ALL: "The costs of all steps, relative or absolute like the table",
    THREADS: "What client threads did in each step: shares of their time",
    WRITES: "Tests before the writes (.pre) against the same tests after them",
    "Waits": "What the threads of the server waited for in the chosen step, by name",
    "Statements": "The statements of the chosen step: time, and rows examined per call",
}
_CHOOSE = "Choose a step in the table, and a column other than the base."
MOST_FUNCTIONS = 25  # *Flame graph…* has more
_SHARES = 5  # the column of details() that says how much each may explain
_BAR = 96  # pixels of it
_WIDE = 1000  # pixels with room for buttons and heading
_CUT = {  # where a long name loses letters: names of steps and columns differ at both ends
    ALL: Qt.TextElideMode.ElideMiddle,
    THREADS: Qt.TextElideMode.ElideMiddle,
    WRITES: Qt.TextElideMode.ElideMiddle,
    "Waits": Qt.TextElideMode.ElideLeft,
}


class WhyPanel(Panel):
    title = "Why"
    tip = "What a query costs, next to the change of the result"

    def __init__(self, context: WindowContext) -> None:
        super().__init__(context.theme)
        self._context = context
        self._latest = NewestAnswerRunner(context.tasks, self)
        self._named: Table | None = None  # of the ways of READ, once it is read
        self._way = context.memory.value("compare/why", CAUSES)
        self._ways = {text: QPushButton(text) for text in _TIPS}
        self._model = TextTableModel(self)
        self._table = FittedTable("Costs")
        self._table.setModel(self._model)
        self._table.setItemDelegate(ShareDelegate(context.theme, SHARE, self._table))
        self._notes: tuple[str, ...] = ()
        self._table.fitted.connect(self._on_fitted)
        self._heading = ElidedLabel(role="heading")
        buttons = in_row(*self._ways.values(), spacing=NATIVE)
        self._head: QBoxLayout = in_row(buttons, (self._heading, 1), spacing=NATIVE)
        self._build()

    def _build(self) -> None:
        group = QButtonGroup(self)
        for text, button in self._ways.items():
            button.setCheckable(True)
            button.setChecked(text == self._way)
            button.setToolTip(as_tip(_TIPS[text]))
            group.addButton(button)
        group.buttonClicked.connect(lambda button: self.go_to(button.text()))
        parts = (self._head, (self._table, 1), self.remark, 0)  # they stay at the top without a table
        self.setLayout(in_column(*parts, spacing=NATIVE, margins=(0, SPACE, 0, 0)))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The heading is next to the buttons if there is room."""
        super().resizeEvent(event)
        ways = QBoxLayout.Direction
        self._head.setDirection(ways.LeftToRight if event.size().width() >= _WIDE else ways.TopToBottom)

    @property
    def picture(self) -> QWidget:
        return self._table

    @property
    def notes(self) -> str:
        return "\n".join(filter(None, (self._heading.text(), *self._notes)))

    @property
    def least(self) -> QSize:
        return self._table.content_size

    def csv(self) -> str:
        if self.shown is None:
            return ""
        if self._way in READ:
            return csv_text(self._named.heads, self._named.lines) if self._named else ""
        if self._way == WRITES:
            return pair_numbers(self.shown.comparison, before_after_tests(self.shown.comparison)).to_csv()
        if self._way in (ALL, THREADS):
            return costs_csv(self.shown.whole, why_all(self.shown.whole))
        entry = _entry(self.shown)
        return costs_csv(self.shown.whole, [entry]) if entry else ""

    def parts(self, shown: ComparePanelData) -> tuple[object, ...]:
        return (shown.comparison, shown.is_relative, self._way, shown.step, shown.column)

    def go_to(self, way: str) -> None:
        """Show the costs of the step, of all steps, states of threads, or before and after the writes."""
        self._way = way
        self._context.memory.keep("compare/why", way)
        self._ways[way].setChecked(True)
        if self.shown is not None:
            self.update_from(self.shown)

    def draw(self, shown: ComparePanelData) -> None:
        if self._way in READ:
            self._draw_named(shown)
            return
        if self._way == STEP:
            self._draw_step(shown)
        elif self._way == ALL:
            self._show(step_costs_table(shown.whole, shown.is_relative))
        elif self._way == THREADS:
            self._show(thread_states_table(shown.whole))
        else:
            self._show(before_after_table(shown.comparison, before_after_tests(shown.comparison)))
        self.drawn.emit()

    def _draw_step(self, shown: ComparePanelData) -> None:
        if (entry := _entry(shown)) is None:
            self._show(Table("", (), (), 0, (_CHOOSE,)))
            return
        shares = [None, *(cost["explains"] for cost in entry["costs"]), *(None for _ in entry["engine"])]
        table = cost_details_table(shown.whole, entry)
        self._model.show(table, shares, _SHARES)
        self._arrange(table)

    def _draw_named(self, shown: ComparePanelData) -> None:
        """Read causes, waits or statements of the chosen cell, then show them."""
        self._named, way, place = None, self._way, _place(shown)
        alone = place is not None and place[1] == shown.whole.base
        if place is None or (alone and way != CAUSES):
            self._show(Table("", (), (), 0, (_CHOOSE,)))
            self.drawn.emit()
            return
        self._latest.read(
            lambda history: _read(history, way, shown, *place),
            lambda table: self._on_named(way, table),
            self.failed.emit,
        )

    def _on_named(self, way: str, table: Table) -> None:
        if self._way == way:  # else the person looks at something else by now
            self._named = table
            self._show(table)
            self.drawn.emit()

    def _show(self, table: Table) -> None:
        self._model.show(table)
        self._arrange(table)

    def _arrange(self, table: Table) -> None:
        self._table.setTextElideMode(_CUT.get(self._way, Qt.TextElideMode.ElideRight))
        self._heading.setText(table.title)
        self._heading.setVisible(bool(table.title))
        self._notes = table.remarks
        self._table.setVisible(bool(table.lines))
        self._on_fitted(0)
        self._table.fit(table.texts, self._model.share_column, _BAR)

    def _on_fitted(self, left_out: int) -> None:
        more = f"{count_text(left_out, 'more column')}: right-click the header, or widen the panel."
        has_more = left_out and self._model.rowCount()
        self.remark.setText("\n".join((*self._notes, *([more] if has_more else []))))
        self.remark.setVisible(bool(self.remark.text()))


def _entry(shown: ComparePanelData) -> WhyEntry | None:
    """The entry of the chosen cell; None without a base."""
    place = _place(shown)
    return why(shown.whole, *place) if place and place[1] != shown.whole.base else None


def _place(shown: ComparePanelData) -> tuple[Row, int] | None:
    """The row and column of the chosen cell; for the base, the first other column, if there is one."""
    if shown.row is None:
        return None
    base, count = shown.whole.base, len(shown.whole.columns)
    wanted = (shown.row.workload, shown.row.coordinates)
    row = next(row for row in shown.whole.rows if (row.workload, row.coordinates) == wanted)
    others = [at for at in range(count) if at != base] or [base]
    return row, shown.column if shown.column in others else others[0]


def _read(history: History, way: str, shown: ComparePanelData, row: Row, at: int) -> Table:
    """The table of a way of READ."""
    names, base = names_of(shown.whole), shown.whole.base
    title = f"{row_label(row)}: {names[at]}" + (f" against {names[base]}" if at != base else "")
    if way == CAUSES:
        work = _functions(history, shown.whole, row, at)
        return work or causes_table(title, causes(history, shown.whole, row, at))
    return _NAMED[way](title, named_waits(history, shown.whole, row.workload, row.coordinates, at))


def _functions(history: History, whole: Comparison, row: Row, at: int) -> Table | None:
    """The functions of a counted step; None of any other, and without its stacks."""
    columns, names, label = whole.columns, heads_of(whole).texts, row_label(row)
    if row.kind != COUNT:
        return None
    base, its = (profile_of(history, columns[each].ids, label) for each in (whole.base, at))
    if at == whole.base and its.events:
        return counted_functions_table(its, label, MOST_FUNCTIONS)
    if not its.events or not are_comparable(base, its):
        return None
    return work_changes_table(base, its, (names[whole.base], names[at]), label, MOST_FUNCTIONS)


_ALPHA = 0.35
_GAP = 4  # pixels above and below a bar


class ShareDelegate(QStyledItemDelegate):
    """Draws shares; other cells stay as they are."""

    def __init__(self, theme: Theme, role: int, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._role = role

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        super().paint(painter, option, index)
        if share := index.data(self._role):
            place = option.rect.adjusted(0, _GAP, 0, -_GAP)
            place.setWidth(max(1, round(place.width() * min(share, 1.0))))
            colour = self._theme.colour("accent")
            colour.setAlphaF(_ALPHA)
            painter.fillRect(place, colour)
