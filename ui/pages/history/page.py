"""The History page: list, selection, actions."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QAction, QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QWidget

from app.history.lists.browsing import FoundSessions, facets
from ui.core.bus import ShowPageRequest
from ui.core.context import WindowContext
from ui.core.page import Page
from ui.core.plain import error_with_details
from ui.core.tasks import NewestAnswerRunner
from ui.dialogs.cut_controller import CutController
from ui.dialogs.flame_controller import FlameGraphOpener
from ui.dialogs.report_controller import PageReportSaver
from ui.models.plan_cells import plan_text, plan_title_with_count
from ui.models.sessions import SessionModel
from ui.widgets.actions import action
from ui.widgets.layouts import in_column, open_disposable_dialog

from .asking import HistoryQuestions
from .commands import HistoryActions
from .detail import DetailPane
from .editing import SessionEditController, session_count_text
from .exchange import ImportSummary, SessionFileActions
from .filter_bar import FilterBar
from .frame import HistoryPageLayout
from .table import SessionTable

if TYPE_CHECKING:
    from app.comparison.answers.over_time import OverTimeEntry
    from app.history.store.history import History

    from .reading import SessionDetailTexts
    from .tabs import DetailTabs


_BY_PLAN = "history/by plan"
_NONE = "Select a session to see its setup and results"
_SEVERAL = "Compare, tag, export or delete them"


class HistoryPage(Page):
    title = "History"
    counted = Signal(object)  # values of each facet

    def __init__(self, context: WindowContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._model = SessionModel(context.tasks, context.theme, self)
        self._table = SessionTable(self._model, context.theme, context.memory)
        is_by_plan = context.memory.value(_BY_PLAN, True)
        self._model.group_by_plan(is_by_plan)  # the history is read while the rest of the page is made
        self._is_asked = True
        self._bar, self._detail = FilterBar(), DetailPane(context.theme)
        self.editing, self.exchange = SessionEditController(context, self), SessionFileActions(context, self)
        self._asking = HistoryQuestions(context, self.editing, self)
        self.cutting, self._reporting = CutController(context, self), PageReportSaver(context, self)
        self.flames = FlameGraphOpener(context, self)
        self._counting, self._reading = (
            NewestAnswerRunner(context.tasks, self),
            NewestAnswerRunner(context.tasks, self),
        )
        self._over_time = NewestAnswerRunner(context.tasks, self)
        self._wanted: tuple[str, ...] = ()  # to be selected when they have been found
        self._commands = HistoryActions(self, self._table)
        self._commands.group.setChecked(is_by_plan)
        self._frame = self._make_frame()
        self._message = self._frame.message
        self._connect()
        self.setAcceptDrops(True)
        self._on_chosen()

    # what the window asks

    def reload(self) -> None:
        if not self._is_asked:
            self._model.reload()
        self._is_asked = False

    def open(self, wanted: ShowPageRequest) -> None:
        """Select these sessions, and clear the filter."""
        if wanted.sessions:
            self._wanted = wanted.sessions
            self._bar.clear()

    def first_focus(self) -> QWidget:
        return self._table

    def page_actions(self) -> Sequence[QAction | None]:
        return self._commands.menu()

    # building

    def _connect_commands(self) -> None:
        commands, table, exchange = self._commands, self._table, self.exchange
        for command, do in (
            (commands.compare, lambda: self._want("compare", tuple(sorted(table.selected)))),
            (commands.report, lambda: self._reporting.ask_of(sorted(table.selected))),
            (commands.run_again, lambda: self._want("bench", tuple(sorted(table.selected)), is_run=True)),
            (commands.edit, lambda: self._want("bench", tuple(sorted(table.selected)))),
            (commands.open_live, lambda: self._want("live", table.selected)),
            (commands.rename, table.edit_name),
            (commands.tag, lambda: self._asking.ask_tags(table.selected)),
            (commands.note, self._start_note),
            (commands.copy, lambda: exchange.copy(table.selected, table.columns.shown())),
            (commands.export, lambda: exchange.choose_export(table.selected, self._name())),
            (commands.script, lambda: exchange.choose_script(table.selected[0], self._name())),
            (commands.import_files, exchange.choose_import),
            (commands.import_folder, exchange.choose_import_of_folder),
            (commands.delete, lambda: self.editing.delete(table.selected)),
            (commands.undo, self.editing.undo),
            (commands.team, self._show_team),
            (commands.find, self._bar.focus_text),
            (commands.group, self._on_group_toggled),
        ):
            command.triggered.connect(do)

    def _make_frame(self) -> HistoryPageLayout:
        frame = HistoryPageLayout(self._bar, self._table, self._detail, self)
        self.setLayout(in_column(frame))
        clear = action(frame, "Clear filter", "", "Show all sessions", self._bar.clear)
        tip = "Choose a target, contenders and a sequence to run"
        first = action(frame, "Set up a plan", "", tip, lambda: self._want("bench"))
        frame.build(self.context.memory, self._commands, clear, first)
        return frame

    def _connect(self) -> None:
        self._connect_commands()
        self._bar.changed.connect(self._model.ask)
        self.counted.connect(self._bar.show_facets)
        self._bar.left.connect(self._table.focus_list)
        self._model.found.connect(self._on_found)
        self._model.dataChanged.connect(lambda *_: self._show_selected())
        self._model.renamed.connect(self.editing.rename)
        self._table.chosen.connect(lambda _: self._on_chosen())
        self._table.opened.connect(lambda sessions: self._want("live", sessions))
        self._table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self._table.customContextMenuRequested.connect(self._on_menu_wanted)
        self._detail.opened.connect(self._on_detail_opened)
        self.editing.deleted.connect(self._on_deleted)
        self.editing.undone.connect(self._on_undone)
        self.exchange.imported.connect(self._on_imported)
        parts = (self._model, self.editing, self._asking, self.exchange)
        for part in (*parts, self.cutting, self._reporting, self.flames):
            part.failed.connect(self._message.show_failure)

    def _on_detail_opened(self, tabs: DetailTabs) -> None:
        tabs.noted.connect(lambda session, text: self.editing.note([session], text))
        tabs.overview.tags_changed.connect(self.editing.set_tags)
        tabs.seconds_wanted.connect(self.cutting.ask)
        tabs.stacks_wanted.connect(lambda id_, name, label: self.flames.ask([(name, [id_])], label))
        tabs.over_time_wanted.connect(self._read_over_time)
        tabs.over_time.compare_wanted.connect(lambda ids: self._want("compare", ids))

    # what was found

    def _on_found(self, found: FoundSessions) -> None:
        self._bar.show_count(len(found.ids), found.total)
        self._frame.show_found(len(found.ids), found.total)
        if found.total:
            self._table.columns.restore()
        if self._wanted:
            self._table.select(self._wanted)
            self._wanted = ()
        self._show_selected()
        self._read_detail()
        wanted = self._bar.filter
        self._counting.read(
            lambda history: facets(history, wanted), self.counted.emit, self._message.show_failure
        )

    # what is selected

    def _on_chosen(self) -> None:
        self._show_selected()
        self._read_detail()

    def _show_selected(self) -> None:
        sessions, plan = self._table.selected, self._model.plan(self._table.selected_plan)
        are_published = self._model.are_published(sessions)
        self._commands.show_selected(len(sessions), plan is not None, are_published)
        if plan is not None:
            self._frame.show_selected(plan_title_with_count(plan, len(sessions)))
            self._detail.show_words(plan_text(plan, len(sessions)))
        elif len(sessions) == 1:
            self._frame.show_selected(self._name())
        else:
            self._frame.show_selected(f"{session_count_text(len(sessions))} selected" if sessions else "")
            self._detail.show_words(_SEVERAL if sessions else _NONE)

    def _read_detail(self) -> None:
        if len(self._table.selected) == 1:
            (session,) = self._table.selected
            self._reading.read(lambda history: _detail(history, session), self._on_read, self._on_not_read)

    def _on_read(self, detail: SessionDetailTexts) -> None:
        if self._table.selected == (detail.shown["id"],):
            self._frame.show_selected(detail.shown["name"])
            self._detail.show_detail(detail)

    def _on_not_read(self, error: Exception) -> None:
        self._detail.show_words(error_with_details(error)[0])

    def _read_over_time(self, session: str) -> None:
        tabs = self._detail.tabs
        self._over_time.read(
            lambda history: _over_time(history, session),
            lambda found: tabs.show_over_time(session, found),
            lambda error: tabs.show_over_time(session, error_with_details(error)[0]),
        )

    def _name(self) -> str:
        line = self._model.line(self._table.selected[0]) if self._table.selected else None
        return line["name"] if line else ""

    # what is done

    def _want(self, page: str, sessions: tuple[str, ...] = (), is_run: bool = False) -> None:
        self.context.bus.wanted.emit(ShowPageRequest(page, sessions, is_run))

    def _show_team(self) -> None:
        from ui.dialogs.team_sessions import TeamSessionsDialog

        dialog = TeamSessionsDialog(self.context, self.window())
        dialog.begin()
        open_disposable_dialog(dialog)

    def _start_note(self) -> None:
        """Start a note in the session's line; for several sessions ask."""
        if len(self._table.selected) == 1:
            self._detail.start_note()
        else:
            self._asking.ask_note(self._table.selected)

    def _on_group_toggled(self) -> None:
        is_by_plan = self._commands.group.isChecked()
        self.context.memory.keep(_BY_PLAN, is_by_plan)
        self._model.group_by_plan(is_by_plan)

    def _on_deleted(self, gone: int, left: int) -> None:
        self._commands.undo.setEnabled(self.editing.can_undo)
        done = f"{session_count_text(gone)} deleted"
        if left:
            stays = "1 is" if left == 1 else f"{left} are"
            self._message.show_warning(f"{done}; {stays} still running: stop the plan on Live first")
        elif gone:
            self._message.show_info(done, self._commands.undo)

    def _on_undone(self, sessions: tuple[str, ...], text: str) -> None:
        self._wanted = sessions
        self._commands.undo.setEnabled(self.editing.can_undo)
        self._message.clear()
        self.context.bus.said.emit(text)

    def _on_imported(self, taken: ImportSummary) -> None:
        if taken.problems:
            self._message.show_error(taken.text)
        else:
            self._message.clear()  # about another file
        self.context.bus.said.emit(taken.text.splitlines()[0])
        self.open(ShowPageRequest("history", taken.new + taken.known))

    def _on_menu_wanted(self, at: QPoint) -> None:
        self._commands.show_context_menu(self, self._table.viewport().mapToGlobal(at))

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if _files(event):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        self.exchange.import_files(_files(event))
        event.acceptProposedAction()


def _detail(history: History, session: str) -> SessionDetailTexts:
    from .reading import read_detail  # by the thread that reads

    return read_detail(history, session)


def _over_time(history: History, session: str) -> OverTimeEntry:
    from app.comparison.answers.over_time import over_time

    return over_time(history, session)


def _files(event: QDropEvent) -> list[Path]:
    return [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]
