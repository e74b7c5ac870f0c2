"""What can be done on the page: actions, each enabled where it can do something."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from ui.widgets.actions import action

Do = Callable[[], object]


@dataclass(frozen=True)
class Callbacks:
    """The functions of the actions."""

    compare: Do
    report: Do
    run_again: Do
    edit: Do
    open_live: Do
    rename: Do
    tag: Do
    note: Do
    copy: Do
    export: Do
    script: Do
    import_files: Do
    import_folder: Do
    delete: Do
    undo: Do
    team: Do
    find: Do
    group: Do


class Commands:
    """The actions; keys that line edits use work only in the list."""

    def __init__(self, page: QWidget, table: QWidget, do: Callbacks) -> None:
        tip = "Compare the selected sessions; select two or more"
        self.compare = action(page, "&Compare", "compare", tip, do.compare)
        tip = "Save a comparison of the selected sessions for other people"
        self.report = action(page, "Re&port…", "report", tip, do.report)
        tip = "Run the same work with the same contenders again"
        self.run_again = action(page, "Run a&gain", "run", tip, do.run_again)
        tip = "Set up the same plan on Bench, to edit it before it runs"
        self.edit = action(page, "Edit on Benc&h", "set up", tip, do.edit)
        self.open_live = action(
            page, "&Open in Live", "open in live", "Show the curves of the session", do.open_live
        )
        self.rename = action(table, "&Rename", "rename", "Rename the session", do.rename)
        self.tag = action(page, "&Tag…", "tag", "Tag the selected sessions", do.tag)
        self.note = action(page, "Add &note", "note", "Add a note to the selected sessions", do.note)
        self.copy = action(table, "Cop&y", "copy", "Copy the selected lines as a table", do.copy)
        self.export = action(page, "&Export…", "export", "Save the selected sessions as files", do.export)
        tip = "Save a shell script that repeats the session with sysbench, without Dyno"
        self.script = action(page, "&Script…", "script", tip, do.script)
        tip = "Import exported sessions, published tables, sysbench output"
        self.import_files = action(page, "&Import…", "import", tip, do.import_files)
        tip = "Import sysbench outputs as steps of one session, or result folders of small-datum"
        self.import_folder = action(page, "Import a &folder…", "import folder", tip, do.import_folder)
        tip = "Sessions on the server of your team; fetch those that you want here"
        self.team = action(page, "Sessions of the tea&m…", "", tip, do.team)
        tip = "Delete the selected sessions; can be undone"
        self.delete = action(table, "&Delete", "remove", tip, do.delete)
        self.undo = action(page, "&Undo delete", "undo", "Restore the sessions deleted last", do.undo)
        self.find = action(page, "&Filter", "find", "Find sessions by text", do.find)
        tip = "Group sessions by plan, or show one flat list"
        self.group = action(page, "&By plan", "by plan", tip, do.group, checkable=True)
        self.undo.setEnabled(False)
        self.show_selected(0)

    def menu(self) -> Sequence[QAction | None]:
        """The menu of the page."""
        files = (self.export, self.script, self.import_files, self.import_folder, self.team)
        lasting = (self.delete, self.undo, None, self.find, self.group)
        return (*self._of_sessions(), self.copy, None, *files, None, *lasting)

    def show_context_menu(self, page: QWidget, at: QPoint) -> None:
        """Show the list's context menu."""
        menu = QMenu(page)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for each in (*self._of_sessions(), self.copy, self.export, self.script, None, self.delete):
            if each is None:
                menu.addSeparator()
            else:
                menu.addAction(each)
        menu.popup(at)

    def buttons(self) -> Sequence[QAction]:
        """The actions with buttons on the page."""
        again = (self.run_again, self.edit)
        return (self.compare, self.report, *again, self.open_live, self.tag, self.export, self.delete)

    def _of_sessions(self) -> Sequence[QAction | None]:
        again = (self.run_again, self.edit)
        return (
            self.compare,
            self.open_live,
            self.report,
            None,
            *again,
            None,
            self.rename,
            self.tag,
            self.note,
        )

    def show_selected(self, sessions: int, is_plan: bool = False, are_published: bool = False) -> None:
        for each in (self.open_live, self.rename, self.script):
            each.setEnabled(sessions == 1)
        self.run_again.setEnabled(sessions >= 1 and not are_published)
        for each in (self.edit, self.copy, self.tag, self.note, self.export, self.delete):
            each.setEnabled(sessions >= 1)
        for each in (self.compare, self.report):
            each.setEnabled(sessions >= 2)
        self.compare.setText("&Compare plan" if is_plan else "&Compare")
        self.edit.setText("Set up the same &here" if are_published else "Edit on Benc&h")
