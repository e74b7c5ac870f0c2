"""Writes a report: a dialog for its content, one for the file, then a task."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from ui.core.context import WindowContext
from ui.widgets.layouts import open_disposable_dialog

if TYPE_CHECKING:
    from app.comparison.cells.cell import Comparison
    from app.history.store.history import History

    from .report import ReportDialog

_REPORTS = "Web page (*.html);;Markdown (*.md);;Table (*.csv)"


class PageReportSaver(QObject):
    """Reports of one page; all but the dialogs runs off the GUI thread."""

    failed = Signal(object)  # Exception

    def __init__(self, context: WindowContext, page: QWidget) -> None:
        super().__init__(page)
        self._context, self._page = context, page

    def ask_of(self, sessions: Sequence[str]) -> None:
        """Compare these sessions, then ask."""
        home = self._context.home

        def work(history: History) -> Comparison:
            from app.comparison.verdicts.compare import compare
            from app.comparison.verdicts.judgement import verdict_limits
            from app.core.settings import read_settings

            return compare(history, sessions, limits=verdict_limits(read_settings(home)))

        self._context.tasks.read(self, work, self.ask, self.failed.emit)

    def ask(self, comparison: Comparison) -> None:
        """Ask for the contents of a report."""
        from app.report.content import title_of

        from .report import ReportDialog

        dialog = ReportDialog(title_of(comparison), self._page)
        dialog.accepted.connect(lambda: self._write(dialog, comparison))
        dialog.scripts_wanted.connect(lambda: self._write_scripts(comparison))
        open_disposable_dialog(dialog)

    @property
    def _folder(self) -> Path:
        return Path(self._context.memory.folder)

    def _write(self, dialog: ReportDialog, comparison: Comparison) -> None:
        if (file := _ask_file(self._page, self._folder)) is None:
            return
        from app.report.writing import ReportRequest, write_report

        ids = tuple(id_ for column in comparison.columns for id_ in column.ids)
        request = ReportRequest(
            ids, file, comparison.base_id, dialog.title, dialog.own_text, dialog.sections,
            comparison.limits,
        )  # fmt: skip
        self._context.tasks.read(
            self,
            lambda history: write_report(history, request),
            lambda written: self._context.bus.saved.emit(written, f"The report is saved: {written}"),
            self.failed.emit,
        )

    def _write_scripts(self, comparison: Comparison) -> None:
        """Write a script for each column, of its first session."""
        if (folder := _ask_new_folder(self._page, self._folder, "Scripts of the columns", "scripts")) is None:
            return

        def work(history: History) -> str:
            from app.comparison.cells.labels import names_of
            from app.script.writing import write_scripts

            firsts = [column.id for column in comparison.columns]
            columns = dict(zip(names_of(comparison), firsts, strict=True))
            problems = write_scripts(history, columns, folder)
            return "; ".join([f"The scripts are saved: {folder}", *problems])

        self._context.tasks.read(
            self, work, lambda text: self._context.bus.saved.emit(folder, text), self.failed.emit
        )


def _ask_file(parent: QWidget, folder: Path) -> Path | None:
    """Ask for the file of a report."""
    from app.report.writing import FORMS

    path, chosen = QFileDialog.getSaveFileName(parent, "Save report", str(folder / "report.html"), _REPORTS)
    if not path:
        return None
    wanted = Path(path)
    ending = next((each for each in (".md", ".csv") if each in chosen), ".html")
    return wanted if wanted.suffix.lower() in FORMS else wanted.with_name(wanted.name + ending)


def _ask_new_folder(parent: QWidget, folder: Path, title: str, name: str) -> Path | None:
    """Ask for a new folder."""
    path, _ = QFileDialog.getSaveFileName(
        parent, f"{title}: a new folder", str(folder / name), options=QFileDialog.Option.DontConfirmOverwrite
    )
    return Path(path) if path else None
