"""Sessions for others and from them: exported, copied as a table, taken in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog, QWidget

from app.core.errors import DynoError
from app.core.harmless import as_file_name, harmless
from app.history.lists.browsing import read_session_lines
from app.history.store.history import History
from ui.core.bus import PartsToReload
from ui.core.context import WindowContext
from ui.core.plain import error_with_details, first_lines
from ui.models.session_columns import SessionListColumn
from ui.widgets.layouts import open_disposable_dialog

from .editing import session_count_text

_FILES = "Sessions (*.dyno.zip)"
_SOURCES = "Sessions, tables, output of sysbench (*.zip *.csv *.txt *.log *.out sb.o.*);;All files (*)"
_NAMED = 6  # problems


@dataclass(frozen=True)
class ImportSummary:
    """The results of importing files."""

    new: tuple[str, ...] = ()  # session ids
    known: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        parts = [f"{session_count_text(len(self.new))} imported"] if self.new or not self.problems else []
        if self.known:
            parts.append(f"{session_count_text(len(self.known))} known already")
        return "\n".join(filter(None, ("; ".join(parts), first_lines(self.problems, _NAMED))))


class SessionFileActions(QObject):
    imported = Signal(object)  # ImportedFiles
    failed = Signal(object)  # Exception

    def __init__(self, context: WindowContext, owner: QWidget) -> None:
        super().__init__(owner)
        self._context, self._owner = context, owner

    def choose_import(self) -> None:
        dialog = QFileDialog(self._owner, "Import sessions", self._context.memory.folder, _SOURCES)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
        self._open(dialog, lambda paths: self.import_files([Path(path) for path in paths]))

    def choose_import_of_folder(self) -> None:
        dialog = QFileDialog(self._owner, "Import a folder of sysbench outputs", self._context.memory.folder)
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        self._open(dialog, lambda paths: self.import_files([Path(path) for path in paths]))

    def import_files(self, files: Sequence[Path]) -> None:
        """Import files one after the other; a bad one does not stop the next."""
        self._context.bus.said.emit("Importing…")
        self._context.tasks.read(
            self, lambda history: _import_files(history, files), self._on_imported, self.failed.emit
        )

    def choose_export(self, sessions: Sequence[str], name: str) -> None:
        """Export one session to a file, several to a folder."""
        if len(sessions) == 1:
            dialog = QFileDialog(self._owner, "Export session", self._context.memory.folder, _FILES)
            dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
            dialog.setDefaultSuffix("dyno.zip")
            dialog.setOption(QFileDialog.Option.DontConfirmOverwrite)  # nothing is written over
            dialog.selectFile(f"{as_file_name(name)}.dyno.zip")
        else:
            dialog = QFileDialog(
                self._owner, f"Export {session_count_text(len(sessions))} into", self._context.memory.folder
            )
            dialog.setFileMode(QFileDialog.FileMode.Directory)
            dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        self._open(dialog, lambda paths: self.export_to(sessions, Path(paths[0])))

    def export_to(self, sessions: Sequence[str], place: Path) -> None:
        def work(history: History) -> list[Path]:
            from app.history.exchange.exporting import export

            return [export(history, session, place) for session in sessions]

        self._context.bus.said.emit("Exporting…")
        self._context.tasks.read(self, work, self._on_exported, self.failed.emit)

    def choose_script(self, session: str, name: str) -> None:
        """Choose a new folder for a script."""
        dialog = QFileDialog(self._owner, "Script of the session: a new folder", self._context.memory.folder)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setOption(QFileDialog.Option.DontConfirmOverwrite)  # nothing is written over
        dialog.selectFile(f"{as_file_name(name)}-script")
        self._open(dialog, lambda paths: self.write_script(session, Path(paths[0])))

    def write_script(self, session: str, folder: Path) -> None:
        def work(history: History) -> Path:
            from app.script.writing import write_script

            return write_script(history, session, folder)

        self._context.tasks.read(self, work, self._on_script_written, self.failed.emit)

    def _on_script_written(self, folder: Path) -> None:
        self._context.bus.saved.emit(folder / "run.sh", f"The script is saved: {folder / 'run.sh'}")

    def copy(self, sessions: Sequence[str], columns: Sequence[SessionListColumn]) -> None:
        """Copy as a tab-separated table, including lines not read yet."""

        def read(history: History) -> str:
            rows = [
                [harmless(column.text(line)) for column in columns]
                for line in read_session_lines(history, sessions)
            ]
            return "".join("\t".join(row) + "\n" for row in [[each.title for each in columns], *rows])

        self._context.tasks.read(self, read, self._on_copied, self.failed.emit)

    def _on_copied(self, text: str) -> None:
        QGuiApplication.clipboard().setText(text)
        self._context.bus.said.emit(f"{session_count_text(text.count(chr(10)) - 1)} copied")

    def _on_imported(self, taken: ImportSummary) -> None:
        if taken.new:
            self._context.bus.changed.emit(PartsToReload(sessions=True))
        self.imported.emit(taken)

    def _on_exported(self, files: list[Path]) -> None:
        where = files[0] if len(files) == 1 else files[0].parent
        self._context.bus.saved.emit(where, f"{session_count_text(len(files))} exported: {where}")

    def _open(self, dialog: QFileDialog, chosen: Callable[[list[str]], object]) -> None:
        def on_accepted() -> None:
            self._context.memory.keep_folder(Path(dialog.directory().absolutePath()))
            chosen(dialog.selectedFiles())

        dialog.accepted.connect(on_accepted)
        open_disposable_dialog(dialog)


def _import_files(history: History, files: Sequence[Path]) -> ImportSummary:
    from app.history.exchange.import_any import import_any

    new: list[str] = []
    known: list[str] = []
    problems: list[str] = []
    for file in files:
        try:
            taken = import_any(history, file)
            problems += taken.problems
            for found in taken.sessions:
                (new if found.new else known).append(found.session)
        except DynoError as error:
            problems.append(error_with_details(error)[0])
    return ImportSummary(tuple(new), tuple(known), tuple(problems))
