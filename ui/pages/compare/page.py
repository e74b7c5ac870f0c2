"""Compare: sessions side by side, one of them the base."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtGui import QAction, QShowEvent
from PySide6.QtWidgets import QStackedWidget, QWidget

from app.comparison.cells.cell import Comparison
from app.comparison.cells.labels import names_of, row_label
from ui.core.bus import ShowPageRequest
from ui.core.context import WindowContext
from ui.core.page import MARGIN, Page
from ui.core.plain import WholeTextLabel, as_tip, first_lines
from ui.core.tasks import NewestAnswerRunner
from ui.core.theme import SPACE
from ui.dialogs.flame_controller import FlameGraphOpener
from ui.widgets.empty import EmptyPage
from ui.widgets.layouts import boxed, in_column, in_row
from ui.widgets.message import Banner, MessageBar

from .body import CompareBody
from .chooser import SessionChooser
from .chosen import MOST_SENTENCES, ChosenSessions, ShownComparison, ViewOptions, compare_chosen
from .columns import ChosenColumns
from .commands import CompareActions
from .controls import CompareControls
from .limits import LimitsRow
from .published import ShippedResultsImporter
from .questions import ColumnQuestions
from .sharing import CompareCopySave

_WARNINGS = 3  # lines of them before the table is pushed too far down
_BY_EFFECT = "compare/by effect"

_EMPTY_TITLE = "Nothing to compare yet"
_EMPTY_TEXT = (
    "Choose two to eight sessions here or in the history. This page shows their results step by step,"
    " charts, and the differences between them."
)


class ComparePage(Page):
    title = "Compare"

    def __init__(self, context: WindowContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._latest, self._seeing = (NewestAnswerRunner(context.tasks, self) for _ in range(2))
        self.message, self.warning = Banner(self), MessageBar()
        self.verdict = WholeTextLabel()
        self.controls = CompareControls(context.memory)
        self.limits = LimitsRow(context)
        self.body = CompareBody(context)
        self.columns = ChosenColumns(context, self.body.table, self)
        self._compared = ShownComparison(self.columns.chosen)
        self.sharing = CompareCopySave(context, self.body, self)
        self.flames = FlameGraphOpener(context, self)
        self.published = ShippedResultsImporter(context, self)
        self.commands = CompareActions(self)
        self.questions = ColumnQuestions(context, self, self.body.table, lambda: self._compared.comparison)
        self.commands.by_effect.setChecked(context.memory.value(_BY_EFFECT, False))
        self.chooser = SessionChooser(context)
        self._stack = QStackedWidget()
        self._build()
        self._connect()
        self._show()

    def _build(self) -> None:
        self.controls.add_first(self.columns.trail.back, self.columns.trail.forward)
        self.controls.add_button(self.commands.live)
        self.controls.add_button(self.commands.by_effect)
        self.controls.add_button(self.commands.choose)
        self.controls.add_menu("Copy", "Copy the table for other programs", self.commands.copying)
        self.controls.add_menu(
            "Save", "Save the table or chart as PNG or SVG, the numbers as CSV", self.commands.saving
        )
        self.controls.add_button(self.commands.report)
        self.body.table.column_actions = list(self.commands.column)
        self.body.table.cell_actions = list(self.commands.cell)
        parts = (self.controls, self.verdict, self.warning, self.limits, (self.body, 1))
        self._stack.addWidget(
            EmptyPage(_EMPTY_TITLE, _EMPTY_TEXT, self.commands.choose, self.commands.published)
        )
        self._stack.addWidget(boxed(in_column(*parts)))
        self.chooser.hide()
        self.setLayout(in_row(self.chooser, (self._stack, 1), spacing=2 * SPACE, margins=(MARGIN,) * 4))

    def _connect_commands(self) -> None:
        commands, columns, share = self.commands, self.columns, self.sharing
        for command, do in (
            (commands.choose, self.toggle_chooser),
            (commands.published, self.published.take),
            (commands.make_base, columns.make_base),
            (commands.move_left, lambda: columns.move(-1)),
            (commands.move_right, lambda: columns.move(1)),
            (commands.remove, columns.remove),
            (commands.turn, self.controls.turn),
            (commands.why, self.body.show_why),
            (commands.seconds, self.body.show_seconds),
            (commands.hide, self.body.table.hide_chosen),
            (commands.unhide, self.body.table.show_hidden),
            (commands.by_effect, self._on_sorted),
            (commands.copy_step, share.copy_step),
            (commands.live, columns.open_live),
            (commands.repeat, columns.repeat_disturbed),
            (commands.flame, self.show_flame),
            (commands.again, columns.measure_again),
            (commands.count, columns.count_work),
            (commands.explain, self.questions.explain),
            (commands.bisect, self.questions.bisect),
            (commands.gate, self.questions.gate),
            (commands.copy_text, lambda: share.copy("text")),
            (commands.copy_markdown, lambda: share.copy("Markdown")),
            (commands.copy_csv, lambda: share.copy("CSV")),
            (commands.save_table, share.save_table),
            (commands.save_chart, share.save_chart),
            (commands.copy_chart, share.copy_chart),
            (commands.report, share.save_report),
        ):
            command.triggered.connect(do)

    def _connect(self) -> None:
        self._connect_commands()
        self.body.table.hidden_changed.connect(self.commands.show_hidden)
        for changed in (self.controls.changed, self.limits.changed, self.limits.turned):
            changed.connect(self._show)
        self.context.theme.changed.connect(self._show)
        self.columns.changed.connect(self.reload)
        self.columns.changed.connect(self._tell_seen)
        for part in (self.body, self.sharing, self.limits, self.flames):
            part.failed.connect(self.message.show_failure)
        self.published.taken.connect(self._on_published)
        self.published.first_taken.connect(self._on_first_published)
        self.published.failed.connect(self.message.show_failure)
        self.chooser.ticked.connect(self.columns.tick)
        self.chooser.closed.connect(self.toggle_chooser)
        self.chooser.failed.connect(self.message.show_failure)

    # the page

    def open(self, wanted: ShowPageRequest) -> None:
        """Compare these sessions; the first is the base."""
        if wanted.sessions:
            self.columns.choose(ChosenSessions(tuple(wanted.sessions)))
            self.body.table.setFocus()

    def first_focus(self) -> QWidget:
        return self.body.table

    def page_actions(self) -> Sequence[QAction | None]:
        return (self.columns.trail.back, self.columns.trail.forward, None, *self.commands.menu())

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not event.spontaneous():  # such as of a window that was minimised
            self._tell_seen()

    def _tell_seen(self) -> None:
        if self.isVisible():
            self.context.bus.seen.emit(self.columns.chosen.ids)

    def reload(self) -> None:
        chosen, look = self.columns.chosen, self._look
        self._latest.read(
            lambda history: compare_chosen(history, chosen, look), self._on_read, self.message.show_failure
        )
        if self.chooser.isVisible():
            self.chooser.reload()

    def _on_read(self, compared: ShownComparison) -> None:
        self._compared = compared
        self.columns.keep(compared.chosen, compared.comparison)
        self.message.clear()
        if compared.said:
            self.message.show_info(compared.said)
        elif compared.comparison and len(compared.comparison.columns) == 1:
            self.message.show_info("Only one column: choose another to compare with.", self.commands.choose)
        elif not compared.chosen.ids:
            self.published.take_first()
        self._show()

    @property
    def _look(self) -> ViewOptions:
        return ViewOptions(self.controls.measure.name, self.limits.limits, self.limits.is_common)

    def _show(self) -> None:
        """Show what was read, by the chosen measure, limits and view."""
        compared, look = self._compared, self._look
        if compared.comparison is None or compared.look == look:
            self._present(compared)
            return
        self._seeing.run(
            lambda: compared.seen(look), lambda seen: self._on_seen(compared, seen), self.message.show_failure
        )

    def _on_seen(self, before: ShownComparison, seen: ShownComparison) -> None:
        """Show the result, unless something else was read meanwhile."""
        if before is self._compared:
            self._compared = seen
            self._present(seen)

    def _present(self, compared: ShownComparison) -> None:
        self._stack.setCurrentIndex(1 if compared.shown else 0)
        self.commands.show(compared.shown)
        self.chooser.set_chosen(self.columns.chosen.ids)
        if compared.comparison and compared.shown:
            self._show_caveats(compared.caveats, compared.shown)
            self.verdict.show_first(compared.sentences, MOST_SENTENCES)
            is_by_effect = self.commands.by_effect.isChecked()
            self.body.show_comparison(
                compared, self.controls.is_relative, self.limits.has_details, is_by_effect
            )
            self.limits.explain(compared.shown, self.body.table.figures.has_deviations)

    def _show_caveats(self, caveats: Sequence[str], shown: Comparison) -> None:
        """Show what to know before the sentences are believed, and what can be done about it."""
        self.warning.setToolTip(as_tip("\n".join(caveats) if len(caveats) > _WARNINGS else ""))
        are_apart = any(cell.across for row in shown.rows for cell in row.cells)
        actions = [self.commands.repeat] if self.commands.repeat.isEnabled() else []
        actions += [self.commands.again] if are_apart else []
        text = first_lines(caveats, _WARNINGS)
        self.warning.show_warning(text, *actions) if text else self.warning.clear()

    def _on_sorted(self) -> None:
        self.context.memory.keep(_BY_EFFECT, self.commands.by_effect.isChecked())
        self._show()

    # what is compared

    def toggle_chooser(self) -> None:
        self.chooser.setVisible(not self.chooser.isVisible())
        if self.chooser.isVisible():
            self.chooser.begin()
        else:
            self.body.table.setFocus()

    def _on_first_published(self, ids: list[str]) -> None:
        if not self.columns.chosen.ids:  # chosen meanwhile
            self._on_published(ids)

    def _on_published(self, ids: list[str]) -> None:
        """Compare published versions of a server; with a comparison open, list them to tick."""
        if self.columns.chosen.ids:
            self.chooser.show()
            self.chooser.offer(ids)
        else:
            self.columns.take_versions(ids)

    def show_flame(self) -> None:
        """Show the stacks of the chosen step: of the chosen column, and against the base."""
        comparison, row = self.body.comparison, self.body.table.chosen_step
        if comparison and row:
            base, at = comparison.base, max(0, self.body.table.chosen_column)
            places = dict.fromkeys((base, at))
            names, columns = names_of(comparison), comparison.columns
            self.flames.ask([(names[each], columns[each].ids) for each in places], row_label(row))
