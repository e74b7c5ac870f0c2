"""The dialog in which a build is brought to a target: a tarball, its name there, where it is from."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from PySide6.QtCore import Signal, SignalInstance
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QProgressBar,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.errors import DynoError
from app.installing import ENDINGS, NOTES, install
from app.targets import Target, agent_on, connect
from app.units import bytes_text

from ...context import Context
from ...theme import SPACE
from ...widgets.message import Message

WIDTH = 70 * SPACE
TARBALLS = "Tarballs (*.tar *.tar.* *.tgz *.tbz2 *.txz);;All files (*)"
STEPS = 1000  # of the bar: its numbers are too small for bytes


class GivenUpError(DynoError):
    """The person has closed the dialog; what was sent stays for the next time."""


class InstallDialog(QDialog):
    """Sends it on a pool thread; closed in the middle, it ends after the piece at hand."""

    advanced = Signal(object, object)  # bytes that are there, and in all
    installed = Signal()

    def __init__(self, context: Context, target: Target, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._target = target
        self._given_up = [False]  # read by the pool thread
        self.setWindowTitle(f"Install a build on {target.name}")
        self.setMinimumWidth(WIDTH)
        self.message = Message()
        self.tarball = _field("Tarball", "mysql-8.0.40-linux-glibc2.28-x86_64.tar.xz")
        self.name = _field("Name", "as the tarball is called")
        self.notes = {name: _field(name.capitalize(), about) for name, about in NOTES.items()}
        self.bar = QProgressBar(maximum=STEPS, textVisible=False)
        self.bar.setAccessibleName("Sent")
        self.said = QLabel()
        self.said.setProperty("role", "muted")
        self._lay_out()
        self.tarball.textChanged.connect(self._on_changed)
        self.advanced.connect(self._on_advanced)
        self.bar.hide()
        self._on_changed()

    def _lay_out(self) -> None:
        form = QFormLayout()
        form.setHorizontalSpacing(2 * SPACE)
        form.setVerticalSpacing(SPACE)
        form.addRow(self._make_label("&Tarball", self.tarball), self._make_choice())
        form.addRow(self._make_label("&Name", self.name), self.name)
        for name, field in self.notes.items():
            form.addRow(self._make_label(name.capitalize(), field), field)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(2 * SPACE, 2 * SPACE, 2 * SPACE, 2 * SPACE)
        layout.setSpacing(2 * SPACE)
        layout.addWidget(self.message)
        layout.addLayout(form)
        for widget in (self.bar, self.said, self._make_buttons()):
            layout.addWidget(widget)

    def _make_label(self, text: str, field: QLineEdit) -> QLabel:
        label = QLabel(text)
        label.setBuddy(field)
        return label

    def _make_choice(self) -> QHBoxLayout:
        choose = QPushButton("&Choose…")
        choose.setAutoDefault(False)
        choose.clicked.connect(self._on_choose)
        line = QHBoxLayout()
        line.setSpacing(SPACE)
        line.addWidget(self.tarball, 1)
        line.addWidget(choose)
        return line

    def _make_buttons(self) -> QDialogButtonBox:
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        self.install_button = QPushButton("&Install")
        self.install_button.setDefault(True)
        self.install_button.clicked.connect(self.install)
        buttons.addButton(self.install_button, QDialogButtonBox.ButtonRole.ActionRole)
        buttons.rejected.connect(self.reject)
        return buttons

    # what a person does

    def install(self) -> None:
        """Send it, and have it unpacked there."""
        notes = {name: field.text().strip() for name, field in self.notes.items() if field.text().strip()}
        job = _Job(self._context, self._target, Path(self.tarball.text()), self.name.text().strip(), notes)
        told = _teller(self.advanced, self._given_up)
        self.message.clear()
        self._set_busy(True)
        self._context.tasks.run(self, lambda: job.carry_out(told), self._on_installed, self._on_failed)

    def reject(self) -> None:
        self._given_up[0] = True
        super().reject()

    def closeEvent(self, event: QCloseEvent) -> None:
        self._given_up[0] = True
        super().closeEvent(event)

    def _on_choose(self) -> None:
        dialog = QFileDialog(self, "A build", "", TARBALLS)
        dialog.fileSelected.connect(self.tarball.setText)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    # what comes

    def _on_changed(self) -> None:
        path = Path(self.tarball.text())
        self.name.setPlaceholderText(ENDINGS.sub("", path.name) or "as the tarball is called")
        self.install_button.setEnabled(bool(ENDINGS.search(path.name)))

    def _on_advanced(self, done: int, total: int) -> None:
        self.bar.setValue(STEPS * done // max(1, total))
        is_sent = done >= total
        text = f"{bytes_text(done)} of {bytes_text(total)} sent"
        self.said.setText("Sent; it is compared and unpacked there…" if is_sent else text)

    def _on_installed(self, build: Mapping[str, Any]) -> None:
        self._set_busy(False)
        what = f"{build['family']} {build['version']}" if build["version"] else "A server"
        self.said.setText(f"{what} is installed in {build['base']}")
        if build["problem"]:
            self.message.show_warning(f"It is installed, and cannot start: {build['problem']}")
        self.installed.emit()

    def _on_failed(self, error: Exception) -> None:
        self._set_busy(False)
        self.said.clear()
        self.message.show_failure(error)

    def _set_busy(self, is_busy: bool) -> None:
        for field in (self.tarball, self.name, *self.notes.values()):
            field.setEnabled(not is_busy)
        self.install_button.setEnabled(not is_busy)
        self.bar.setValue(0)
        self.bar.setVisible(is_busy)
        self.said.setText(f"Reading {Path(self.tarball.text()).name}…" if is_busy else "")


class _Job:
    """What a pool thread needs of it: it may touch no widget."""

    def __init__(
        self, context: Context, target: Target, tarball: Path, name: str, notes: Mapping[str, str]
    ) -> None:
        self._ask = context.secrets.ask
        self._target = target
        self._what = (tarball, name, notes)

    def carry_out(self, told: Any) -> dict[str, Any]:
        with closing(connect(self._target, self._ask)) as connection:
            agent = agent_on(connection, self._target)
            agent.deploy()
            return install(agent, *self._what, told)


def _teller(advanced: SignalInstance, given_up: list[bool]) -> Any:
    """Called on a pool thread: it has the bound signal, and the word that ends it."""

    def told(done: int, total: int) -> None:
        if given_up[0]:
            raise GivenUpError("given up: what was sent stays for the next time")
        with suppress(RuntimeError):  # the dialog has gone meanwhile
            advanced.emit(done, total)

    return told


def _field(name: str, placeholder: str) -> QLineEdit:
    field = QLineEdit()
    field.setAccessibleName(name)
    field.setPlaceholderText(placeholder)
    return field
