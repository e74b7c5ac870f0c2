"""The plan as a file: to read, save, open, or take along as a command line."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QVBoxLayout, QWidget

from app.core.harmless import as_file_name
from app.planner.request.command_line import command_line
from app.planner.starting.draft import Draft
from ui.core.theme import SPACE
from ui.widgets.actions import action, action_button
from ui.widgets.code import CodeView

_FILES = "Plan files (*.toml)"


class PlanText(QWidget):
    """Shows the request of a draft; listeners read and write the files."""

    save_wanted = Signal(str)  # path
    open_wanted = Signal(str)  # path
    said = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._draft = Draft()
        self.folder = ""  # where dialogs begin
        self.text = CodeView("Plan as TOML")
        tip = "Save this plan to a file, for Open plan or a terminal"
        self.save = action(self, "Save plan…", "save", tip, self._on_save)
        self.load = action(self, "Open plan…", "open", "Set up a plan from a file", self._on_open)
        tip = "Copy the command that runs this plan in a terminal"
        self.copy = action(self, "Copy command line", "copy as text", tip, self._on_copy)
        buttons = QHBoxLayout()
        for each in (self.load, self.save, self.copy):
            buttons.addWidget(action_button(each))
        buttons.addStretch(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, SPACE, 0, 0)
        layout.addLayout(buttons)
        layout.addWidget(self.text, 1)

    def show_draft(self, draft: Draft) -> None:
        self._draft = draft
        self.text.show_text(draft.request.to_toml())
        for each in (self.save, self.copy):
            each.setEnabled(not draft.unread)

    def _on_save(self) -> None:
        name = as_file_name(self._draft.request.name or self._draft.request.sequence or "plan")
        self._ask(QFileDialog.AcceptMode.AcceptSave, "Save plan", f"{name}.toml")

    def _on_open(self) -> None:
        self._ask(QFileDialog.AcceptMode.AcceptOpen, "Open plan", "")

    def _ask(self, mode: QFileDialog.AcceptMode, title: str, name: str) -> None:
        is_save = mode == QFileDialog.AcceptMode.AcceptSave
        dialog = QFileDialog(self.window(), title, self.folder, _FILES)
        dialog.setAcceptMode(mode)
        dialog.setFileMode(QFileDialog.FileMode.AnyFile if is_save else QFileDialog.FileMode.ExistingFile)
        dialog.setDefaultSuffix("toml")
        dialog.selectFile(name)
        dialog.fileSelected.connect(self.save_wanted if is_save else self.open_wanted)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _on_copy(self) -> None:
        QGuiApplication.clipboard().setText(command_line(self._draft.request))
        self.said.emit("Copied the command line")
