"""Actions on the builds of a target: install, add a directory, note, remove."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget

from app.core.errors import InputError
from app.protocol.answers import Build
from app.remote.reach import reached
from app.remote.target import Ask, Target
from app.targets.builds import paths_without, remove
from ui.core.context import Context
from ui.dialogs.removing import ask_before
from ui.widgets.actions import action

from .build_notes import BuildNotesDialog
from .install import InstallDialog
from .survey_card import BuildTree

_STAYS = "was not installed by Dyno: its files stay"


class BuildCommands(QObject):
    """Actions of the build list, on the chosen target and build."""

    changed = Signal(str)  # name of the target: a survey finds other builds there, or other notes
    targets_changed = Signal()  # its search paths are others
    failed = Signal(object)  # Exception

    def __init__(
        self, context: Context, tree: BuildTree, chosen: Callable[[], Target], widget: QWidget
    ) -> None:
        super().__init__(widget)
        self._context, self._tree, self._chosen, self._widget = context, tree, chosen, widget
        tip = "Upload a tarball to the target, or name a directory there"
        self.install = action(widget, "&Install a build…", "install build", tip, self._on_install)
        tip = "Edit the source, revision, compiler and flags of the chosen build"
        self.notes = action(widget, "&Notes of the build…", "build notes", tip, self._on_notes)
        tip = "Remove the chosen build; delete its files if Dyno installed it"
        self.remove = action(widget, "Remo&ve the build…", "remove build", tip, self._on_remove)
        for each in (self.notes, self.remove):
            tree.addAction(each)  # its context menu
        tree.itemActivated.connect(lambda *_: self.notes.trigger())
        tree.removal_wanted.connect(self.remove.trigger)
        tree.itemSelectionChanged.connect(self._follow)
        self._is_enabled = True
        self._follow()

    def all(self) -> Sequence[QAction]:
        return (self.install, self.notes, self.remove)

    def set_enabled(self, is_enabled: bool) -> None:
        """Enable the actions, except while a target is edited."""
        self._is_enabled = is_enabled
        self._follow()

    def _follow(self) -> None:
        self.install.setEnabled(self._is_enabled)
        for each in (self.notes, self.remove):
            each.setEnabled(self._is_enabled and self._tree.chosen is not None)

    def _on_install(self) -> None:
        target = self._chosen()
        dialog = InstallDialog(self._context, target, self._widget.window())
        dialog.installed.connect(lambda: self.changed.emit(target.name))
        dialog.registered.connect(self.targets_changed)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _on_notes(self) -> None:
        target, build = self._chosen(), self._tree.chosen
        if build is None:
            return
        dialog = BuildNotesDialog(self._context, target, build, self._widget.window())
        dialog.noted.connect(lambda: self.changed.emit(target.name))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _on_remove(self) -> None:
        """Ask, then remove."""
        target, build = self._chosen(), self._tree.chosen
        if build is None:
            return
        text = removal_text(target, build)
        if not text:
            self.failed.emit(InputError(f"{build.base} {_STAYS}"))
            return
        question = f"Remove the build {build.name} from {target.name}?"
        ask_before(self._widget, question, text, lambda: self._remove_build(target, build))

    def _remove_build(self, target: Target, build: Build) -> None:
        ask, base = self._context.secrets.ask, build.base

        def done(said: str) -> None:
            self._context.bus.said.emit(said)
            self.targets_changed.emit()
            self.changed.emit(target.name)

        self._context.tasks.run(self, lambda: _remove(target, ask, base), done, self.failed.emit)


def removal_text(target: Target, build: Build) -> str:
    """What removing a build does; '' if it is not possible."""
    base = build.base
    if paths_without(target, base) is not None:
        return f"{base} is removed from the list; its files stay."
    return f"{base} is deleted. Its sessions stay in the history." if build.installed else ""


def _remove(target: Target, ask: Ask, base: str) -> str:
    with reached(target, ask) as agent:
        return remove(agent, target.name, base)
