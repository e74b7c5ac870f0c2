"""Notes on a build: their fields, and the dialog to read and change them."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QFormLayout, QLabel, QLineEdit, QVBoxLayout, QWidget

from app.core.harmless import harmless
from app.protocol.answers import Build
from app.remote.reach import reached
from app.remote.target import Ask, Target
from app.targets.builds import FILE, MOST, NOTES, note, problem_of
from app.targets.tested_versions import tried
from ui.core.context import Context
from ui.core.plain import Label
from ui.core.theme import SPACE
from ui.widgets.message import Message

WIDTH = 70 * SPACE


class NoteFields:
    """A line for each note, in a separate form or below other lines."""

    def __init__(self, notes: Mapping[str, str]) -> None:
        self.lines = {name: _line(name, about, notes.get(name, "")) for name, about in NOTES.items()}

    def add_to(self, form: QFormLayout) -> None:
        for name, line in self.lines.items():
            label = Label(name.capitalize())
            label.setBuddy(line)
            form.addRow(label, line)

    def notes(self) -> dict[str, str]:
        return {name: line.text().strip() for name, line in self.lines.items()}

    def set_enabled(self, is_enabled: bool) -> None:
        for line in self.lines.values():
            line.setEnabled(is_enabled)


class BuildNotesDialog(QDialog):
    """Edits the notes of a build; emptied ones are deleted."""

    noted = Signal()

    def __init__(self, context: Context, target: Target, build: Build, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context, self._target, self._build = context, target, build
        self.setWindowTitle(harmless(f"Notes of {build.name} on {target.name}"))
        self.setMinimumWidth(WIDTH)
        self.message = Message()
        self.fields = NoteFields(build.notes or {})
        self.buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Save | QDialogButtonBox.StandardButton.Cancel
        )
        self.buttons.accepted.connect(self.save)
        self.buttons.rejected.connect(self.reject)
        self._build_layout()

    def _build_layout(self) -> None:
        form = QFormLayout()
        form.setHorizontalSpacing(2 * SPACE)
        form.setVerticalSpacing(SPACE)
        self.fields.add_to(form)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(2 * SPACE, 2 * SPACE, 2 * SPACE, 2 * SPACE)
        layout.setSpacing(2 * SPACE)
        layout.addWidget(self.message)
        layout.addWidget(_about(self._build))
        layout.addLayout(form)
        layout.addWidget(self.buttons)

    def save(self) -> None:
        """Store the notes on the target; later sessions have them."""
        target, ask, base = self._target, self._context.secrets.ask, self._build.base
        notes = self.fields.notes()
        self._set_busy(True)
        self._context.tasks.run(
            self, lambda: _note(target, ask, base, notes), self._on_noted, self._on_failed
        )

    def _on_noted(self, _: object) -> None:
        self.noted.emit()
        self.accept()

    def _on_failed(self, error: Exception) -> None:
        self._set_busy(False)
        self.message.show_failure(error)

    def _set_busy(self, is_busy: bool) -> None:
        self.fields.set_enabled(not is_busy)
        self.buttons.button(QDialogButtonBox.StandardButton.Save).setEnabled(not is_busy)


def _note(target: Target, ask: Ask, base: str, notes: Mapping[str, str]) -> None:
    with reached(target, ask) as agent:
        note(agent, base, notes)


def _about(build: Build) -> QLabel:
    """Text on the build, its tested version and its tarball."""
    file = (build.notes or {}).get(FILE, "")
    version = tried(build.family, build.version)
    came = f"from {file}" if file else ""
    lines = (build.version_text, build.server, version.text, problem_of(build), came)
    label = Label("\n".join(filter(None, lines)))
    label.setProperty("role", "muted")
    label.setWordWrap(True)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label


def _line(name: str, about: str, text: str) -> QLineEdit:
    line = QLineEdit(harmless(text))
    line.setAccessibleName(name.capitalize())
    line.setPlaceholderText(about)
    line.setMaxLength(MOST)
    return line
