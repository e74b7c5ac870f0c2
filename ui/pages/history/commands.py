"""What can be done on the page: actions, each enabled where it can do something."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from ui.widgets.actions import action


class HistoryActions:
    """The actions, which the page carries out; keys that line edits use work only in the list."""

    def __init__(self, page: QWidget, table: QWidget) -> None:
        tip = "Compare the selected sessions; select two or more"
        self.compare = action(page, "&Compare", "compare", tip)
        tip = "Save a comparison of the selected sessions for other people"
        self.report = action(page, "Re&port…", "report", tip)
        tip = "Run the same work with the same contenders again"
        self.run_again = action(page, "Run a&gain", "run", tip)
        tip = "Set up the same plan on Bench, to edit it before it runs"
        self.edit = action(page, "Edit on Benc&h", "set up", tip)
        self.open_live = action(page, "&Open in Live", "open in live", "Show the curves of the session")
        self.rename = action(table, "&Rename", "rename", "Rename the session")
        self.tag = action(page, "&Tag…", "tag", "Tag the selected sessions")
        self.note = action(page, "Add &note", "note", "Add a note to the selected sessions")
        self.copy = action(table, "Cop&y", "copy", "Copy the selected lines as a table")
        self.export = action(page, "&Export…", "export", "Save the selected sessions as files")
        tip = "Save a shell script that repeats the session with sysbench, without Dyno"
        self.script = action(page, "&Script…", "script", tip)
        tip = "Import exported sessions, published tables, sysbench output"
        self.import_files = action(page, "&Import…", "import", tip)
        tip = "Import sysbench outputs as steps of one session, or result folders of small-datum"
        self.import_folder = action(page, "Import a &folder…", "import folder", tip)
        tip = "Sessions on the server of your team; fetch those that you want here"
        self.team = action(page, "Sessions of the tea&m…", "", tip)
        tip = "Compare each plan of the same work on this target with this contender"
        self.pin = action(page, "P&in as baseline", "pin", tip)
        tip = "Delete the selected sessions; can be undone"
        self.delete = action(table, "&Delete", "remove", tip)
        self.undo = action(page, "&Undo delete", "undo", "Restore the sessions deleted last")
        self.find = action(page, "&Filter", "find", "Find sessions by text")
        tip = "Group sessions by plan, or show one flat list"
        self.group = action(page, "&By plan", "by plan", tip, checkable=True)
        self.undo.setEnabled(False)
        self.show_selected(0)
        self.show_pin(can_be_pinned=False, is_pinned=False)

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
        first = (self.compare, self.report, self.run_again, self.edit)
        return (*first, self.open_live, self.tag, self.export, self.delete)

    def _of_sessions(self) -> Sequence[QAction | None]:
        looks, again = (self.compare, self.open_live, self.report), (self.run_again, self.edit)
        return (*looks, None, *again, self.pin, None, self.rename, self.tag, self.note)

    def show_pin(self, can_be_pinned: bool, is_pinned: bool) -> None:
        """Offer to pin one contender, or to take the baseline away."""
        self.pin.setEnabled(can_be_pinned or is_pinned)
        self.pin.setText("Unp&in baseline" if is_pinned else "P&in as baseline")

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
