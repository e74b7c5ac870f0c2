"""The builds of a target: installing one, adding a directory, notes, removing, with the dialogs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAction, QCloseEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QHBoxLayout,
    QProgressBar,
    QPushButton,
    QRadioButton,
    QWidget,
)

from app.core.errors import DynoError, InputError
from app.core.harmless import harmless
from app.core.units import bytes_text
from app.protocol.answers import Build
from app.remote.reach import reached
from app.remote.target import Ask, Target
from app.targets.builds import (
    ENDINGS,
    FILE,
    MOST,
    NOTES,
    install,
    name_of,
    problem_of,
    register,
    remove,
    search_paths_without,
    store_build_notes,
)
from app.targets.tested_versions import how_tested
from ui.core.context import WindowContext
from ui.core.plain import PlainTextLabel
from ui.core.theme import SPACE
from ui.dialogs.questions import ask_before
from ui.widgets.actions import action
from ui.widgets.form import Form, FormFieldSpec
from ui.widgets.layouts import dialog_buttons, in_row, lay_out_dialog, open_disposable_dialog
from ui.widgets.message import MessageBar

from .survey_card import BuildTree

_STAYS = "was not installed by Dyno: its files stay"
WIDTH = 70 * SPACE
NOTE_FIELDS = tuple(
    FormFieldSpec(name, name.capitalize(), empty=about, longest=MOST) for name, about in NOTES.items()
)
TARBALLS = "Tarballs (*.tar *.tar.* *.tgz *.tbz2 *.txz);;All files (*)"
TARBALL, DIRECTORY = "mysql-8.0.40-linux-glibc2.28-x86_64.tar.xz", "/opt/mysql-8.0.40"
STEPS = 1000  # of the bar: its numbers are too small for bytes

FIELDS = (FormFieldSpec("path", "&Path", button="&Choose…"), FormFieldSpec("name", "&Name"), *NOTE_FIELDS)
Sent = tuple[int, int]  # bytes that are there, and in all


class BuildActions(QObject):
    """Actions of the build list, on the chosen target and build."""

    changed = Signal(str)  # name of the target: a survey finds other builds there, or other notes
    targets_changed = Signal()  # its search paths are others
    failed = Signal(object)  # Exception

    def __init__(
        self, context: WindowContext, tree: BuildTree, chosen: Callable[[], Target], widget: QWidget
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
        dialog = InstallBuildDialog(self._context, target, self._widget.window())
        dialog.installed.connect(lambda: self.changed.emit(target.name))
        dialog.registered.connect(self.targets_changed)
        open_disposable_dialog(dialog)

    def _on_notes(self) -> None:
        target, build = self._chosen(), self._tree.chosen
        if build is None:
            return
        dialog = BuildNotesDialog(self._context, target, build, self._widget.window())
        dialog.noted.connect(lambda: self.changed.emit(target.name))
        open_disposable_dialog(dialog)

    def _on_remove(self) -> None:
        """Ask, then remove."""
        target, build = self._chosen(), self._tree.chosen
        if build is None:
            return
        text = removal_warning_text(target, build)
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


def removal_warning_text(target: Target, build: Build) -> str:
    """What removing a build does; '' if it is not possible."""
    base = build.base
    if search_paths_without(target, base) is not None:
        return f"{base} is removed from the list; its files stay."
    return f"{base} is deleted. Its sessions stay in the history." if build.installed else ""


def _remove(target: Target, ask: Ask, base: str) -> str:
    with reached(target, ask) as agent:
        return remove(agent, target.name, base)


class BuildNotesDialog(QDialog):
    """Edits the notes of a build; emptied ones are deleted."""

    noted = Signal()

    def __init__(
        self, context: WindowContext, target: Target, build: Build, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._context, self._target, self._build = context, target, build
        self.setWindowTitle(harmless(f"Notes of {build.name} on {target.name}"))
        self.setMinimumWidth(WIDTH)
        self.message = MessageBar()
        self.form = Form(NOTE_FIELDS)
        self.form.fill({name: harmless((build.notes or {}).get(name, "")) for name in NOTES})
        standard = QDialogButtonBox.StandardButton
        self.buttons = dialog_buttons(self, standard.Save, standard.Cancel)
        lay_out_dialog(self, self.message, _about(build), self.form, self.buttons, spacing=2 * SPACE)

    def accept(self) -> None:
        """Store the notes on the target; later sessions have them."""
        target, ask, base = self._target, self._context.secrets.ask, self._build.base
        notes = self.form.values()
        self._set_busy(True)
        self._context.tasks.run(
            self, lambda: _note(target, ask, base, notes), self._on_noted, self._on_failed
        )

    def _on_noted(self, _: object) -> None:
        self.noted.emit()
        super().accept()

    def _on_failed(self, error: Exception) -> None:
        self._set_busy(False)
        self.message.show_failure(error)

    def _set_busy(self, is_busy: bool) -> None:
        self.form.setEnabled(not is_busy)
        self.buttons.button(QDialogButtonBox.StandardButton.Save).setEnabled(not is_busy)


def _note(target: Target, ask: Ask, base: str, notes: Mapping[str, str]) -> None:
    with reached(target, ask) as agent:
        store_build_notes(agent, base, notes)


def _about(build: Build) -> PlainTextLabel:
    """Text on the build, its tested version and its tarball."""
    file = (build.notes or {}).get(FILE, "")
    version = how_tested(build.family, build.version)
    came = f"from {file}" if file else ""
    lines = (build.version_text, build.server, version.text, problem_of(build), came)
    return PlainTextLabel("\n".join(filter(None, lines)), "muted", wraps=True, selectable=True)


class UploadCancelledError(DynoError):
    """The person closed the dialog; uploaded parts stay for next time."""


class InstallBuildDialog(QDialog):
    """Installs a build, or adds a directory, on a pool thread; if closed, it ends after the current piece."""

    registered = Signal()  # the search paths of the target are others
    installed = Signal()

    def __init__(self, context: WindowContext, target: Target, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._target = target
        self._given_up = [False]  # read by the pool thread
        self.setWindowTitle(f"Install a build on {target.name}")
        self.setMinimumWidth(WIDTH)
        self.message = MessageBar()
        where = "this computer" if target.is_local else target.name
        self.is_tarball = QRadioButton("A &tarball of this computer", self)
        self.is_there = QRadioButton(f"A &directory of {where}", self)  # before the form: Tab begins here
        self._kinds = QButtonGroup(self)
        for each in (self.is_tarball, self.is_there):
            self._kinds.addButton(each)
        self.form = Form(FIELDS, parent=self)
        self.path, self.name = self.form.line("path"), self.form.line("name")
        self.choose_button = self.form.buttons["path"]
        self.bar = QProgressBar(maximum=STEPS, textVisible=False)
        self.bar.setAccessibleName("Sent")
        self.said = PlainTextLabel(role="muted")
        self.form.grid.addLayout(self._make_kinds(), 0, 1)
        parts = (self.message, self.form, self.bar, self.said, self._make_buttons())
        lay_out_dialog(self, *parts, spacing=2 * SPACE)
        self.install_button.setDefault(True)  # now that it has its dialog
        self.is_tarball.toggled.connect(self._on_changed)
        self.path.textChanged.connect(self._on_changed)
        self.form.button_clicked.connect(self._on_choose)
        self.bar.hide()
        self.is_tarball.setChecked(True)
        self.path.setFocus()

    def _make_kinds(self) -> QHBoxLayout:
        self.is_tarball.setToolTip("Dyno uploads, verifies and unpacks it in its directory on the target")
        self.is_there.setToolTip("The files stay there; surveys include the directory from now on")
        return in_row(self.is_tarball, self.is_there, 1, spacing=2 * SPACE)

    def _make_buttons(self) -> QDialogButtonBox:
        buttons = dialog_buttons(self, QDialogButtonBox.StandardButton.Close)
        # it has the focus while all else is disabled: Enter must not cancel the upload
        self.close_button = buttons.button(QDialogButtonBox.StandardButton.Close)
        self.close_button.setAutoDefault(False)
        self.install_button = QPushButton("&Install")
        self.install_button.clicked.connect(self.install)
        buttons.addButton(self.install_button, QDialogButtonBox.ButtonRole.ActionRole)
        return buttons

    # what a person does

    def install(self) -> None:
        """Upload and unpack, or let the target look in the directory; say what is missing for it."""
        if problem := self._problem():
            self.form.show_problems({"path": problem})
            self.path.setFocus()
            return
        typed = self.form.values()
        notes = {name: typed[name] for name in NOTES if typed[name]}
        job = _Job(self._context.secrets.ask, self._target, typed["path"], typed["name"], notes)
        given_up, is_there = self._given_up, self.is_there.isChecked()
        self.message.clear()
        self._set_busy(True)
        self._context.tasks.run_long(
            self,
            lambda tell: job.register() if is_there else job.install(_until(given_up, tell)),
            self._on_advanced,
            lambda build: self._on_installed(build, is_there),
            self._on_failed,
        )

    def _problem(self) -> str:
        """What is wrong with the path; '' if nothing."""
        path = Path(self.path.text().strip())
        if self.is_there.isChecked():
            return "" if path.is_absolute() else f"name a directory of the target, such as {DIRECTORY}"
        return "" if ENDINGS.search(path.name) else f"choose a tarball, such as {TARBALL}"

    def reject(self) -> None:
        self._given_up[0] = True
        super().reject()

    def closeEvent(self, event: QCloseEvent) -> None:
        self._given_up[0] = True
        super().closeEvent(event)

    def _on_choose(self, _field: str) -> None:
        dialog = QFileDialog(self, "A build", "", TARBALLS)
        if self.is_there.isChecked():
            dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.fileSelected.connect(self.path.setText)
        open_disposable_dialog(dialog)

    # what comes

    def _on_changed(self) -> None:
        """Adapt the form: a directory is named after its build, and only local ones can be browsed."""
        is_there, path = self.is_there.isChecked(), Path(self.path.text().strip())
        self.path.setPlaceholderText(DIRECTORY if is_there else TARBALL)
        named = "family and version of the server" if is_there else "name of the tarball"
        self.name.setPlaceholderText(named if is_there else name_of(path) or named)
        self.name.setEnabled(not is_there)
        self.choose_button.setEnabled(not is_there or self._target.is_local)
        if not self._problem():
            self.form.show_problems({})
        self.install_button.setDefault(True)  # what is typed is another build

    def _on_advanced(self, sent: Sent) -> None:
        done, total = sent
        self.bar.setValue(STEPS * done // max(1, total))
        is_sent = done >= total
        text = f"{bytes_text(done)} of {bytes_text(total)} sent"
        self.said.setText("Sent; verifying and unpacking…" if is_sent else text)

    def _on_installed(self, build: Build, is_there: bool) -> None:
        self._set_busy(False)
        what = f"{build.family} {build.version}" if build.version else "A server"
        self.said.setText(f"{what} is {'known' if is_there else 'installed'} in {build.base}")
        if problem_of(build):
            is_able = "it cannot start" if build.problem else "some of its engines are not available"
            self.message.show_warning(f"The build is installed, but {is_able}: {problem_of(build)}")
        if is_there:
            self.registered.emit()
        self.installed.emit()
        self.close_button.setDefault(True)  # there is nothing more to do
        self.close_button.setFocus()

    def _on_failed(self, error: Exception) -> None:
        self._set_busy(False)
        self.said.clear()
        self.message.show_failure(error)

    def _set_busy(self, is_busy: bool) -> None:
        self.form.setEnabled(not is_busy)
        self.install_button.setEnabled(not is_busy)
        self.bar.setValue(0)
        self.bar.setVisible(is_busy and self.is_tarball.isChecked())
        verb = "Reading" if self.is_tarball.isChecked() else "Looking into"
        self.said.setText(f"{verb} {Path(self.path.text()).name}…" if is_busy else "")
        if not is_busy:
            self.install_button.setDefault(True)  # while it was disabled, Enter was taken from it
            self.path.setFocus()
            self._on_changed()


@dataclass(frozen=True)
class _Job:
    """The data of a pool thread, which touches no widget."""

    ask: Ask
    target: Target
    path: str
    name: str
    notes: Mapping[str, str]

    def install(self, on_progress: Callable[[int, int], None]) -> Build:
        with reached(self.target, self.ask) as agent:
            return install(agent, Path(self.path), self.name, self.notes, on_progress)

    def register(self) -> Build:
        with reached(self.target, self.ask) as agent:
            return register(agent, self.target.name, self.path, self.notes)


def _until(given_up: list[bool], tell: Callable[[Sent], None]) -> Callable[[int, int], None]:
    """Reports the upload until the dialog is closed."""

    def on_progress(done: int, total: int) -> None:
        if given_up[0]:
            raise UploadCancelledError("cancelled: the next install continues from here")
        tell((done, total))

    return on_progress
