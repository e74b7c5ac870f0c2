"""The History page: list, selection, actions."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QAction, QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.history.lists.browsing import FoundSessions, facets
from ui.core.bus import Wanted
from ui.core.context import Context
from ui.core.page import Page
from ui.core.plain import error_lines
from ui.core.tasks import Latest
from ui.dialogs.cut_controller import Cutting
from ui.dialogs.flame_controller import Flames
from ui.dialogs.report_controller import Reporting
from ui.models.plan_cells import plan_text, plan_title
from ui.models.sessions import SessionModel
from ui.widgets.actions import action

from .asking import Asking
from .commands import Callbacks, Commands
from .detail import DetailPane
from .editing import Editing, count
from .exchange import Exchange, ImportedFiles
from .filter_bar import FilterBar
from .frame import Frame
from .table import SessionTable

if TYPE_CHECKING:
    from app.comparison.answers.over_time import OverTimeEntry
    from app.history.store.history import History

    from .reading import Detail


_BY_PLAN = "history/by plan"
_NONE = "Select a session to see its setup and results"
_SEVERAL = "Compare, tag, export or delete them"


class HistoryPage(Page):
    title = "History"
    counted = Signal(object)  # values of each facet

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._model = SessionModel(context.tasks, context.theme, self)
        self._table = SessionTable(self._model, context.theme, context.memory)
        is_by_plan = context.memory.value(_BY_PLAN, True)
        self._model.group_by_plan(is_by_plan)  # the history is read while the rest of the page is made
        self._is_asked = True
        self._bar, self._detail = FilterBar(), DetailPane(context.theme)
        self.editing, self.exchange = Editing(context, self), Exchange(context, self)
        self._asking = Asking(context, self.editing, self)
        self.cutting, self._reporting = Cutting(context, self), Reporting(context, self)
        self.flames = Flames(context, self)
        self._counting, self._reading = Latest(context.tasks, self), Latest(context.tasks, self)
        self._over_time = Latest(context.tasks, self)
        self._wanted: tuple[str, ...] = ()  # to be selected when they have been found
        self._commands = Commands(self, self._table, self._doings())
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

    def open(self, wanted: Wanted) -> None:
        """Select these sessions, and clear the filter."""
        if wanted.sessions:
            self._wanted = wanted.sessions
            self._bar.clear()

    def first_focus(self) -> QWidget:
        return self._table

    def page_actions(self) -> Sequence[QAction | None]:
        return self._commands.menu()

    # building

    def _doings(self) -> Callbacks:
        editing, exchange = self.editing, self.exchange
        return Callbacks(
            compare=lambda: self._want("compare", tuple(sorted(self._table.selected))),
            report=lambda: self._reporting.ask_of(sorted(self._table.selected)),
            run_again=lambda: self._want("bench", tuple(sorted(self._table.selected)), is_run=True),
            edit=lambda: self._want("bench", tuple(sorted(self._table.selected))),
            open_live=lambda: self._want("live", self._table.selected),
            rename=self._table.edit_name,
            tag=lambda: self._asking.ask_tags(self._table.selected),
            note=self._start_note,
            copy=lambda: exchange.copy(self._table.selected, self._table.columns.shown()),
            export=lambda: exchange.choose_export(self._table.selected, self._name()),
            script=lambda: exchange.choose_script(self._table.selected[0], self._name()),
            import_files=exchange.choose_import,
            import_folder=exchange.choose_import_of_folder,
            delete=lambda: editing.delete(self._table.selected),
            undo=editing.undo,
            team=self._show_team,
            find=self._bar.focus_text,
            group=self._on_group_toggled,
        )

    def _make_frame(self) -> Frame:
        frame = Frame(self._bar, self._table, self._detail, self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(frame)
        clear = action(frame, "Clear filter", "", "Show all sessions", self._bar.clear)
        tip = "Choose a target, contenders and a sequence to run"
        first = action(frame, "Set up a plan", "", tip, lambda: self._want("bench"))
        frame.build(self.context.memory, self._commands, clear, first)
        return frame

    def _connect(self) -> None:
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
        self._detail.noted.connect(lambda session, text: self.editing.note([session], text))
        self._detail.tags_changed.connect(self.editing.set_tags)
        self._detail.seconds_wanted.connect(self.cutting.ask)
        self._detail.stacks_wanted.connect(lambda id_, name, label: self.flames.ask([(name, [id_])], label))
        self._detail.over_time_wanted.connect(self._read_over_time)
        self._detail.compare_wanted.connect(lambda ids: self._want("compare", ids))
        self.editing.deleted.connect(self._on_deleted)
        self.editing.undone.connect(self._on_undone)
        self.exchange.imported.connect(self._on_imported)
        parts = (self._model, self.editing, self._asking, self.exchange)
        for part in (*parts, self.cutting, self._reporting, self.flames):
            part.failed.connect(self._message.show_failure)

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
            self._frame.show_selected(plan_title(plan, len(sessions)))
            self._detail.show_words(plan_text(plan, len(sessions)))
        elif len(sessions) == 1:
            self._frame.show_selected(self._name())
        else:
            self._frame.show_selected(f"{count(len(sessions))} selected" if sessions else "")
            self._detail.show_words(_SEVERAL if sessions else _NONE)

    def _read_detail(self) -> None:
        if len(self._table.selected) == 1:
            (session,) = self._table.selected
            self._reading.read(lambda history: _detail(history, session), self._on_read, self._on_not_read)

    def _on_read(self, detail: Detail) -> None:
        if self._table.selected == (detail.shown["id"],):
            self._frame.show_selected(detail.shown["name"])
            self._detail.show_detail(detail)

    def _on_not_read(self, error: Exception) -> None:
        self._detail.show_words(error_lines(error)[0])

    def _read_over_time(self, session: str) -> None:
        tabs = self._detail.tabs
        self._over_time.read(
            lambda history: _over_time(history, session),
            lambda found: tabs.show_over_time(session, found),
            lambda error: tabs.show_over_time(session, error_lines(error)[0]),
        )

    def _name(self) -> str:
        line = self._model.line(self._table.selected[0]) if self._table.selected else None
        return line["name"] if line else ""

    # what is done

    def _want(self, page: str, sessions: tuple[str, ...] = (), is_run: bool = False) -> None:
        self.context.bus.wanted.emit(Wanted(page, sessions, is_run))

    def _show_team(self) -> None:
        from ui.dialogs.team_sessions import TeamSessionsDialog

        dialog = TeamSessionsDialog(self.context, self.window())
        dialog.finished.connect(dialog.deleteLater)
        dialog.begin()
        dialog.open()

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
        done = f"{count(gone)} deleted"
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

    def _on_imported(self, taken: ImportedFiles) -> None:
        if taken.problems:
            self._message.show_error(taken.text)
        else:
            self._message.clear()  # about another file
        self.context.bus.said.emit(taken.text.splitlines()[0])
        self.open(Wanted("history", taken.new + taken.known))

    def _on_menu_wanted(self, at: QPoint) -> None:
        self._commands.show_context_menu(self, self._table.viewport().mapToGlobal(at))

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if _files(event):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        self.exchange.import_files(_files(event))
        event.acceptProposedAction()


def _detail(history: History, session: str) -> Detail:
    from .reading import read_detail  # by the thread that reads

    return read_detail(history, session)


def _over_time(history: History, session: str) -> OverTimeEntry:
    from app.comparison.answers.over_time import over_time

    return over_time(history, session)


def _files(event: QDropEvent) -> list[Path]:
    return [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]
