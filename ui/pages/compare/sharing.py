"""The comparison for other programs and people: copied as text, saved as an image, written as a report."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog, QWidget

from app.comparison.cells.cell import Comparison
from app.comparison.texts.text import to_csv, to_markdown, to_text
from app.core.errors import DynoError
from app.core.files import write_file
from app.core.harmless import as_file_name, harmless_text
from ui.core.context import WindowContext
from ui.core.theme import Theme
from ui.dialogs.report_controller import PageReportSaver
from ui.widgets.image import copy_image, save_image, temporarily_enlarged

from .body import CompareBody
from .panel import Panel
from .table import ComparisonTable

FORMS: dict[str, Callable[[Comparison, bool], str]] = {
    "text": to_text, "Markdown": to_markdown, "CSV": lambda comparison, _: to_csv(comparison),
}  # fmt: skip
_IMAGES = "PNG image (*.png);;SVG image (*.svg)"
_NUMBERS = "CSV with the numbers (*.csv)"


class CompareCopySave(QObject):
    """Copies and saves what the page shows; the status bar shows the result."""

    failed = Signal(Exception)

    def __init__(self, context: WindowContext, body: CompareBody, page: QWidget) -> None:
        super().__init__(page)
        self._context, self._body, self._page = context, body, page
        self._reporting = PageReportSaver(context, page)
        self._reporting.failed.connect(self.failed)

    def copy(self, form: str) -> None:
        """Copy the table with the texts next to and below values."""
        if comparison := self._body.comparison:
            text = FORMS[form](comparison, self._body.table.figures.has_details)
            QGuiApplication.clipboard().setText(harmless_text(text))
            self._context.bus.said.emit(f"Copied the table as {form}")

    def copy_step(self) -> None:
        """Copy the line of the chosen step, with the names of the columns above it."""
        QGuiApplication.clipboard().setText(harmless_text(self._body.table.selected_text()))
        self._context.bus.said.emit("Copied the step")

    def copy_chart(self) -> None:
        panel = self._body.panel
        with temporarily_enlarged(panel.picture, panel.least) as picture:
            copy_image(picture, panel.caption)
        self._context.bus.said.emit("Copied the chart")

    def save_table(self) -> None:
        if self._body.comparison and (path := self._ask_path("comparison")):
            self._save(lambda: save_table(self._body.table, self._context.theme, path), path)

    def save_chart(self) -> None:
        """Save a chart as a picture, or its numbers."""
        panel = self._body.panel
        numbers, name = panel.csv(), as_file_name(panel.title.lower())
        path = self._ask_path(name, f"{_IMAGES};;{_NUMBERS}" if numbers else _IMAGES)
        if path and path.suffix.lower() == ".csv":
            self._save(lambda: write_file(path, numbers), path)
        elif path:
            self._save(lambda: _save_picture(panel, path), path)

    def save_report(self) -> None:
        if comparison := self._body.comparison:
            self._reporting.ask(comparison)

    def _ask_path(self, name: str, forms: str = _IMAGES) -> Path | None:
        """Ask for a file; None if the person cancels."""
        first = Path(self._context.memory.folder) / f"{name}.png"
        path, chosen = QFileDialog.getSaveFileName(self._page, "Save", str(first), forms)
        if not path:
            return None
        wanted = Path(path)
        endings = [each for each in (".png", ".svg", ".csv") if each in forms]
        ending = next((each for each in endings if each in chosen), endings[0])
        return wanted if wanted.suffix.lower() in endings else wanted.with_name(wanted.name + ending)

    def _save(self, save: Callable[[], None], path: Path) -> None:
        try:
            save()
        except DynoError as error:
            self.failed.emit(error)
        else:
            self._context.bus.saved.emit(path, f"{path.name} is saved")


def _save_picture(panel: Panel, path: Path) -> None:
    with temporarily_enlarged(panel.picture, panel.least) as picture:
        save_image(picture, path, panel.caption)


def save_table(shown: ComparisonTable, theme: Theme, path: Path) -> None:
    """Save all lines and columns of the table, hidden ones included."""
    table = ComparisonTable(theme, shown.figures)
    table.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
    table.refresh()
    for policy in (table.setVerticalScrollBarPolicy, table.setHorizontalScrollBarPolicy):
        policy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    try:
        table.resize(table.whole_size)
        table.show()
        save_image(table, path)
    finally:
        table.close()
        table.deleteLater()
