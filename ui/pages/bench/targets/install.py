"""The dialog to install a build on a target, or to add a directory there: path, name, notes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QProgressBar,
    QPushButton,
    QRadioButton,
    QVBoxLayout,
    QWidget,
)

from app.core.errors import DynoError
from app.core.units import bytes_text
from app.protocol.answers import Build
from app.remote.reach import reached
from app.remote.target import Target
from app.targets.builds import ENDINGS, install, name_of, problem_of, register
from ui.core.context import Context
from ui.core.plain import Label
from ui.core.theme import SPACE
from ui.widgets.message import Message

from .build_notes import NoteFields

WIDTH = 70 * SPACE
TARBALLS = "Tarballs (*.tar *.tar.* *.tgz *.tbz2 *.txz);;All files (*)"
TARBALL, DIRECTORY = "mysql-8.0.40-linux-glibc2.28-x86_64.tar.xz", "/opt/mysql-8.0.40"
STEPS = 1000  # of the bar: its numbers are too small for bytes

Sent = tuple[int, int]  # bytes that are there, and in all


class GivenUpError(DynoError):
    """The person closed the dialog; uploaded parts stay for next time."""


class InstallDialog(QDialog):
    """Installs on a pool thread; if closed, it ends after the current piece."""

    registered = Signal()  # the search paths of the target are others
    installed = Signal()

    def __init__(self, context: Context, target: Target, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._target = target
        self._given_up = [False]  # read by the pool thread
        self.setWindowTitle(f"Install a build on {target.name}")
        self.setMinimumWidth(WIDTH)
        self.message = Message()
        where = "this computer" if target.is_local else target.name
        self.is_tarball = QRadioButton("A &tarball of this computer")
        self.is_there = QRadioButton(f"A &directory of {where}")
        self._kinds = QButtonGroup(self)
        for each in (self.is_tarball, self.is_there):
            self._kinds.addButton(each)
        self.path, self.name = _field("Path", ""), _field("Name", "")
        self.notes = NoteFields({})
        self.bar = QProgressBar(maximum=STEPS, textVisible=False)
        self.bar.setAccessibleName("Sent")
        self.said = Label()
        self.said.setProperty("role", "muted")
        self._build_layout()
        self.is_tarball.toggled.connect(self._on_changed)
        self.path.textChanged.connect(self._on_changed)
        self.bar.hide()
        self.is_tarball.setChecked(True)
        self.path.setFocus()

    def _build_layout(self) -> None:
        form = QFormLayout()
        form.setHorizontalSpacing(2 * SPACE)
        form.setVerticalSpacing(SPACE)
        form.addRow("", self._make_kinds())
        form.addRow(self._make_label("&Path", self.path), self._make_choice())
        form.addRow(self._make_label("&Name", self.name), self.name)
        self.notes.add_to(form)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(2 * SPACE, 2 * SPACE, 2 * SPACE, 2 * SPACE)
        layout.setSpacing(2 * SPACE)
        layout.addWidget(self.message)
        layout.addLayout(form)
        for widget in (self.bar, self.said, self._make_buttons()):
            layout.addWidget(widget)

    def _make_kinds(self) -> QHBoxLayout:
        self.is_tarball.setToolTip("Dyno uploads, verifies and unpacks it in its directory on the target")
        self.is_there.setToolTip("The files stay there; surveys include the directory from now on")
        line = QHBoxLayout()
        line.setSpacing(2 * SPACE)
        line.addWidget(self.is_tarball)
        line.addWidget(self.is_there)
        line.addStretch(1)
        return line

    def _make_label(self, text: str, field: QLineEdit) -> QLabel:
        label = Label(text)
        label.setBuddy(field)
        return label

    def _make_choice(self) -> QHBoxLayout:
        self.choose_button = QPushButton("&Choose…")
        self.choose_button.setAutoDefault(False)
        self.choose_button.clicked.connect(self._on_choose)
        line = QHBoxLayout()
        line.setSpacing(SPACE)
        line.addWidget(self.path, 1)
        line.addWidget(self.choose_button)
        return line

    def _make_buttons(self) -> QDialogButtonBox:
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        # it has the focus while all else is disabled: Enter must not cancel the upload
        buttons.button(QDialogButtonBox.StandardButton.Close).setAutoDefault(False)
        self.install_button = QPushButton("&Install")
        self.install_button.setDefault(True)
        self.install_button.clicked.connect(self.install)
        buttons.addButton(self.install_button, QDialogButtonBox.ButtonRole.ActionRole)
        buttons.rejected.connect(self.reject)
        return buttons

    # what a person does

    def install(self) -> None:
        """Upload and unpack, or let the target look in the directory."""
        notes = {name: text for name, text in self.notes.notes().items() if text}
        job = _Job(self._context, self._target, self.path.text().strip(), self.name.text().strip(), notes)
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

    def reject(self) -> None:
        self._given_up[0] = True
        super().reject()

    def closeEvent(self, event: QCloseEvent) -> None:
        self._given_up[0] = True
        super().closeEvent(event)

    def _on_choose(self) -> None:
        dialog = QFileDialog(self, "A build", "", TARBALLS)
        if self.is_there.isChecked():
            dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.fileSelected.connect(self.path.setText)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    # what comes

    def _on_changed(self) -> None:
        """Adapt the form: a directory is named after its build, and only local ones can be browsed."""
        is_there, path = self.is_there.isChecked(), Path(self.path.text().strip())
        self.path.setPlaceholderText(DIRECTORY if is_there else TARBALL)
        named = "family and version of the server" if is_there else "name of the tarball"
        self.name.setPlaceholderText(named if is_there else name_of(path) or named)
        self.name.setEnabled(not is_there)
        self.choose_button.setEnabled(not is_there or self._target.is_local)
        self.install_button.setEnabled(path.is_absolute() if is_there else bool(ENDINGS.search(path.name)))

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

    def _on_failed(self, error: Exception) -> None:
        self._set_busy(False)
        self.said.clear()
        self.message.show_failure(error)

    def _set_busy(self, is_busy: bool) -> None:
        for field in (self.is_tarball, self.is_there, self.path, self.name, self.choose_button):
            field.setEnabled(not is_busy)
        self.notes.set_enabled(not is_busy)
        self.install_button.setEnabled(not is_busy)
        self.bar.setValue(0)
        self.bar.setVisible(is_busy and self.is_tarball.isChecked())
        verb = "Reading" if self.is_tarball.isChecked() else "Looking into"
        self.said.setText(f"{verb} {Path(self.path.text()).name}…" if is_busy else "")
        if not is_busy:
            self.install_button.setDefault(True)  # while it was disabled, Enter was taken from it
            self.path.setFocus()
            self._on_changed()


class _Job:
    """The data of a pool thread, which touches no widget."""

    def __init__(
        self, context: Context, target: Target, path: str, name: str, notes: Mapping[str, str]
    ) -> None:
        self._ask = context.secrets.ask
        self._target, self._path, self._name, self._notes = target, path, name, notes

    def install(self, on_progress: Callable[[int, int], None]) -> Build:
        with reached(self._target, self._ask) as agent:
            return install(agent, Path(self._path), self._name, self._notes, on_progress)

    def register(self) -> Build:
        with reached(self._target, self._ask) as agent:
            return register(agent, self._target.name, self._path, self._notes)


def _until(given_up: list[bool], tell: Callable[[Sent], None]) -> Callable[[int, int], None]:
    """Reports the upload until the dialog is closed."""

    def on_progress(done: int, total: int) -> None:
        if given_up[0]:
            raise GivenUpError("cancelled: the next install continues from here")
        tell((done, total))

    return on_progress


def _field(name: str, placeholder: str) -> QLineEdit:
    field = QLineEdit()
    field.setAccessibleName(name)
    field.setPlaceholderText(placeholder)
    return field
